"""What PostgreSQL answers when it does not do as asked, as values that error tables can hold."""

from __future__ import annotations

from dataclasses import dataclass

DISK_FULL = "53100"  # SQLSTATE


@dataclass(frozen=True, slots=True)
class Fault:
    """What PostgreSQL said: SQLSTATE, texts, and the names it gave with them."""

    sqlstate: str
    message: str
    detail: str | None = None
    hint: str | None = None
    constraint: str | None = None
    table: str | None = None
    column: str | None = None
    position: int | None = None
    """The character of the statement's text at which it was found, from 1; None where none was."""


class PgFault(Exception):  # noqa: N818 — the field's name for what a server answers
    """PostgreSQL refused a statement; carries the Fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.sqlstate}: {fault.message}")
        self.fault = fault


class Unavailable(Exception):  # noqa: N818 — it names the state, and reads so where it is caught
    """No usable connection: refused, lost, or the server is starting or stopping.

    `fault` is what the server said of it, where it still could.
    """

    def __init__(self, message: str, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.fault = fault


class PoolTimeout(Exception):  # noqa: N818 — as above
    """Every connection of the pool stayed busy for longer than one may wait."""


def refusal(fault: Fault) -> PgFault | Unavailable:
    """What to raise for a fault: classes 08 and 57P say that the connection is no more."""
    if fault.sqlstate.startswith(("08", "57P")):
        return Unavailable(fault.message, fault)
    return PgFault(fault)
