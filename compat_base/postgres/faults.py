"""Server errors as values that error tables can map."""

from __future__ import annotations

from dataclasses import dataclass

DISK_FULL = "53100"  # SQLSTATE


@dataclass(frozen=True, slots=True)
class Fault:
    """A server error: SQLSTATE, messages, and the names of the objects concerned."""

    sqlstate: str
    message: str
    detail: str | None = None
    hint: str | None = None
    constraint: str | None = None
    table: str | None = None
    column: str | None = None
    position: int | None = None
    """The position of the error in the statement, in characters from 1; None without one."""


class PgFault(Exception):  # noqa: N818 — the field's name for what a server answers
    """PostgreSQL refused a statement; carries the Fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.sqlstate}: {fault.message}")
        self.fault = fault


class Unavailable(Exception):  # noqa: N818 — it names the state, and reads so where it is caught
    """No usable connection: refused, lost, or the server is starting or stopping.

    `fault` is the server's last error, if it sent one.
    """

    def __init__(self, message: str, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.fault = fault


class PoolTimeout(Exception):  # noqa: N818 — as above
    """No connection of the pool became free within `acquire_timeout`."""


def refusal(fault: Fault) -> PgFault | Unavailable:
    """The exception for a fault: Unavailable for classes 08 and 57P, else PgFault."""
    if fault.sqlstate.startswith(("08", "57P")):
        return Unavailable(fault.message, fault)
    return PgFault(fault)
