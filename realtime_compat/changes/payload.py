"""The wire format of a change (realtime reference 10, the message; 11, steps 2 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from compat_base.values import jsontext
from realtime_compat.changes.model import (
    Action,
    Column,
    RowChange,
    Table,
    Transaction,
    Unchanged,
    Value,
)
from realtime_compat.changes.values import to_json

MAX_CHANGE = 1_048_576  # bytes of JSON
MAX_SMALL = 64  # bytes of JSON of a value that stays in a change that is too large

NO_PRIMARY_KEY = "Error 400: Bad Request, no primary key"
UNAUTHORIZED = "Error 401: Unauthorized"
TOO_LARGE = "Error 413: Payload Too Large"

Values = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A change with its table's present catalog entry: values by column name.

    `new` and `old` hold only what the stream sends; the key of an update that did not change it is
    in `old` too. `new_json` and `old_json` are the same as JSON text.
    """

    action: Action
    table: Table
    new: Values
    old: Values
    new_json: Mapping[str, str]
    old_json: Mapping[str, str]
    xid: int
    committed_at: int
    size: int

    @property
    def row(self) -> Values:
        """The row that filters test: the new one, or the old one of a delete."""
        return self.old if self.action is Action.DELETE else self.new

    def key(self) -> dict[str, str | None]:
        """The primary key's values, as text."""
        return {column.name: text_of(self.row.get(column.name)) for column in self.table.key}


def text_of(value: Value) -> str | None:
    """A value's text; None for NULL and for what the stream does not carry."""
    return value if isinstance(value, str) else None


def resolve(change: RowChange, table: Table, transaction: Transaction) -> Resolved:
    """Name a change's values and convert them to JSON."""
    columns = {column.name: column for column in table.columns}
    old = _old_values(change, columns)
    new = _new_values(change, columns, old)
    old_shown = _old_shown(change, table, old, new)
    new_json = _as_json(new, columns)
    old_json = _as_json(old_shown, columns)
    size = sum(
        len(name) + len(text) + 8 for row in (new_json, old_json) for name, text in row.items()
    )
    return Resolved(
        change.action,
        table,
        new,
        old,
        new_json,
        old_json,
        transaction.xid,
        transaction.committed_at,
        _exact(size, new_json, old_json),
    )


def _exact(estimate: int, *rows: Mapping[str, str]) -> int:
    """Bytes instead of characters, counted only where it may matter."""
    if estimate * 4 <= MAX_CHANGE:
        return estimate
    return sum(
        len(name.encode()) + len(t.encode("utf-8", "replace")) + 8
        for row in rows
        for name, t in row.items()
    )


def _old_values(change: RowChange, columns: Mapping[str, Column]) -> dict[str, Value]:
    """What the stream says of the old row: with a key identity the other columns are no values."""
    if change.old is None:
        return {}
    pairs = zip(change.relation.columns, change.old, strict=False)
    return {
        announced.name: value
        for announced, value in pairs
        if announced.name in columns and (change.old_is_full or announced.is_key)
    }


def _new_values(
    change: RowChange, columns: Mapping[str, Column], old: Mapping[str, Value]
) -> dict[str, Value]:
    """The new row; a value that was not repeated is the old row's where that is known."""
    if change.new is None:
        return {}
    values: dict[str, Value] = {}
    for announced, value in zip(change.relation.columns, change.new, strict=False):
        if announced.name not in columns:
            continue
        values[announced.name] = (
            old.get(announced.name, value) if isinstance(value, Unchanged) else value
        )
    return values


def _old_shown(
    change: RowChange, table: Table, old: Mapping[str, Value], new: Mapping[str, Value]
) -> Mapping[str, Value]:
    """What `old_record` may hold.

    Of an update that left the identity alone the stream says nothing old, so those columns are
    taken from the new row. Of a delete under row-level security only the key is shown.
    """
    if change.action is Action.UPDATE and change.old is None:
        identity = {column.name for column in change.relation.columns if column.is_key}
        return {name: value for name, value in new.items() if name in identity}
    if change.action is Action.DELETE and table.has_policies:
        key = {column.name for column in table.key}
        return {name: value for name, value in old.items() if name in key}
    return old


def _as_json(values: Mapping[str, Value], columns: Mapping[str, Column]) -> dict[str, str]:
    return {
        name: to_json(value, columns[name].type)
        for name, value in values.items()
        if not isinstance(value, Unchanged)
    }


def refusal(change: Resolved, readable: frozenset[str]) -> str | None:
    """The error that a role gets in place of an insert or update (400 or 401), if any."""
    if change.action is Action.DELETE:
        return None
    key = change.table.key
    if not key:
        return NO_PRIMARY_KEY
    return None if all(column.name in readable for column in key) else UNAUTHORIZED


def refused_json(change: Resolved, error: str) -> str:
    """The `data` of a change that a role may not read."""
    old = ',"old_record":{}' if change.action is Action.UPDATE else ""
    return (
        f'{{"schema":{jsontext.encode(change.table.schema)},'
        f'"table":{jsontext.encode(change.table.name)},"type":"{change.action.value}",'
        f'"commit_timestamp":null,"columns":[],"record":{{}}{old},'
        f'"errors":[{jsontext.encode(error)}]}}'
    )


def data_json(change: Resolved, readable: frozenset[str], select: tuple[str, ...] | None) -> str:
    """The `data` of a change for a role that may read these columns, cut to `select`."""
    columns = _shown_columns(change.table, readable, select)
    names = {column.name for column in columns}
    is_large = change.size > MAX_CHANGE
    parts = [
        f'"schema":{jsontext.encode(change.table.schema)}',
        f'"table":{jsontext.encode(change.table.name)}',
        f'"type":"{change.action.value}"',
        f'"commit_timestamp":"{timestamp_text(change.committed_at)}"',
        f'"columns":{_columns_json(columns)}',
    ]
    if change.action is not Action.DELETE:
        parts.append(f'"record":{_record(change.new_json, names, is_large=is_large)}')
    if change.action is not Action.INSERT:
        parts.append(f'"old_record":{_record(change.old_json, names, is_large=is_large)}')
    errors = f"[{jsontext.encode(TOO_LARGE)}]" if is_large else "null"
    parts.append(f'"errors":{errors}')
    return "{" + ",".join(parts) + "}"


def message_json(entries: tuple[int, ...], data: str) -> str:
    """The payload of a `postgres_changes` message."""
    return f'{{"ids":{jsontext.encode(list(entries))},"data":{data}}}'


def timestamp_text(microseconds: int) -> str:
    """A commit time in UTC, cut to milliseconds."""
    seconds, rest = divmod(microseconds, 1_000_000)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest // 1000:03d}Z"


def _shown_columns(
    table: Table, readable: frozenset[str], select: tuple[str, ...] | None
) -> tuple[Column, ...]:
    return tuple(
        column
        for column in table.columns
        if column.name in readable and (select is None or column.is_key or column.name in select)
    )


def _columns_json(columns: tuple[Column, ...]) -> str:
    return jsontext.encode([{"name": column.name, "type": column.type.name} for column in columns])


def _record(values: Mapping[str, str], names: set[str], *, is_large: bool) -> str:
    members = (
        f"{jsontext.encode(name)}:{text}"
        for name, text in values.items()
        if name in names and not (is_large and len(text.encode("utf-8", "replace")) > MAX_SMALL)
    )
    return "{" + ",".join(members) + "}"
