"""The rows of realtime.subscription: inserting them checks a subscription."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from compat_base.postgres.database import Database, fetch, fetch_one
from compat_base.postgres.faults import Fault, PgFault
from compat_base.values import jsontext
from compat_base.values.sqltext import Statement
from realtime_compat.access.catalog import QUERIES
from realtime_compat.auth import Caller
from realtime_compat.changes.entries import Wanted

# The names of SQLSTATEs in the original's messages.
_STATE_NAMES = {
    "P0001": "raise_exception",
    "22003": "numeric_value_out_of_range",
    "22007": "invalid_datetime_format",
    "22008": "datetime_field_overflow",
    "2201B": "invalid_regular_expression",
    "22P02": "invalid_text_representation",
    "23502": "not_null_violation",
    "42501": "insufficient_privilege",
    "42703": "undefined_column",
    "42704": "undefined_object",
    "42804": "datatype_mismatch",
    "42883": "undefined_function",
    "42P01": "undefined_table",
    "57014": "query_canceled",
}
_BAD_DATA = "22"  # the class of SQLSTATEs


@dataclass(frozen=True, slots=True)
class Refused:
    """The database refused an entry; `exception` is the error's text for clients."""

    wanted: Wanted
    exception: str


async def record(
    database: Database,
    subscription: UUID,
    wanted: Sequence[tuple[Wanted, Sequence[int]]],
    caller: Caller,
) -> int | Refused:
    """Insert a channel's entries, all or none; returns the log's position (LSN), or the refusal.

    Each entry comes with the oids of its tables. Raises Unavailable or PoolTimeout.
    """
    entries = jsontext.encode([_entry(one, tables) for one, tables in wanted])
    arguments = (subscription, entries, caller.claims)
    try:
        async with database.acquire() as connection:
            row = await fetch_one(connection, Statement(QUERIES["subscribe"], arguments))
    except PgFault as error:
        if not error.fault.sqlstate.startswith(_BAD_DATA):
            raise
        return Refused(wanted[0][0], exception_text(error.fault))  # text that JSON cannot carry
    if row is None or row["refused"] is None:
        return int(row["lsn"]) if row else 0
    fault = Fault(row["state"], row["message"])
    number = int(row["refused"])
    return Refused(wanted[number - 1][0], exception_text(fault))


async def forget(database: Database, subscriptions: Sequence[UUID]) -> None:
    """Delete the entries of closed channels."""
    async with database.acquire() as connection:
        await fetch(connection, Statement(QUERIES["forget_subscriptions"], (subscriptions,)))


async def forget_dead_nodes(database: Database) -> None:
    """Delete the entries of nodes that are gone; this one must hold its lock."""
    async with database.acquire() as connection:
        await fetch(connection, Statement(QUERIES["forget_dead_nodes"]))


def exception_text(fault: Fault) -> str:
    """A server error as the original shows it: SQLSTATE, its name, the message."""
    name = _STATE_NAMES.get(fault.sqlstate)
    shown = f" ({name})" if name else ""
    return f"ERROR {fault.sqlstate}{shown} {fault.message}"


def _entry(wanted: Wanted, tables: Sequence[int]) -> dict[str, object]:
    return {
        "tables": list(tables),
        "filters": [[c.column, c.op, c.value, c.negate] for c in wanted.conditions],
        "event": wanted.event,
        "select": None if wanted.select is None else list(wanted.select),
    }
