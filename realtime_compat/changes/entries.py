"""One requested entry of a join: parsed, or refused with the original's sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from realtime_compat.changes.filters import (
    Condition,
    FilterError,
    elixir_list,
    elixir_text,
    parse_filter,
)
from realtime_compat.changes.model import Action

ANY = "*"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parsed entry: which changes of which tables, and which columns of them.

    `event` is `*` or an action's name; `select` is None for all columns.
    """

    entry: int
    event: str
    schema: str
    table: str
    conditions: tuple[Condition, ...] = ()
    select: tuple[str, ...] | None = None

    def shown(self) -> str:
        """The parameters as the original's messages list them."""
        filters = ", ".join(_condition_text(condition) for condition in self.conditions)
        select = "nil" if self.select is None else elixir_list(self.select)
        return (
            f"[event: {self.event}, schema: {self.schema}, table: {self.table}, "
            f"filters: [{filters}], select: {select}]"
        )

    def not_enabled(self) -> str:
        """The sentence where nothing in the publication matches."""
        return (
            "Unable to subscribe to changes with given parameters. Please check Realtime is "
            f"enabled for the given connect parameters: {self.shown()}"
        )

    def refused(self, exception: str) -> str:
        """The sentence where the database refused the entry."""
        return (
            "Unable to subscribe to changes with given parameters. An exception happened so "
            f"please check your connect parameters: {self.shown()}. Exception: {exception}"
        )


class EntryError(Exception):
    """An entry that cannot be parsed; the message is for the client."""


def read_entry(entry: int, requested: dict[str, Any]) -> Wanted:
    """Parse an entry; raises EntryError."""
    schema, table = _text(requested.get("schema")), _text(requested.get("table"))
    filter_text = requested.get("filter")
    has_bad_filter = filter_text is not None and (
        not isinstance(filter_text, str) or (bool(filter_text) and not (schema and table))
    )
    if not (schema or table) or has_bad_filter:
        raise EntryError(
            "No subscription params provided. Please provide at least a `schema` or `table` "
            f"to subscribe to: {_elixir(requested)}"
        )
    try:
        conditions = parse_filter(filter_text or "")
    except FilterError as error:
        raise EntryError(str(error)) from error
    schema, table = (schema or "public", table) if table else (schema, ANY)
    select = _select(requested.get("select"), schema, table)
    return Wanted(entry, _event(requested.get("event")), schema, table, conditions, select)


def _event(value: Any) -> str:
    name = value.upper() if isinstance(value, str) else ANY
    return name if name in Action.__members__ else ANY


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _select(value: Any, schema: str, table: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise EntryError(
            "Error parsing `select` params: expected a list of column name strings, "
            'e.g. select: ["col1", "col2"]'
        )
    names = tuple(name for name in cast("list[Any]", value) if isinstance(name, str))
    if not names:
        return None
    if ANY in {schema, table}:
        raise EntryError(
            "Column selection is not supported for wildcard subscriptions. "
            "Provide an explicit schema and table name."
        )
    return names


def _condition_text(condition: Condition) -> str:
    fields = (condition.column, condition.op, condition.value)
    shown = ", ".join(elixir_text(field) for field in fields)
    return f"{{{shown}, {'true' if condition.negate else 'false'}}}"


def _elixir(value: Any) -> str:
    """A JSON value as the original's messages show it."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        pairs = (f"{elixir_text(k)} => {_elixir(members[k])}" for k in sorted(members))
        return f"%{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(_elixir(member) for member in cast('list[Any]', value))}]"
    if isinstance(value, str):
        return elixir_text(value)
    if value is None:
        return "nil"
    return str(value).lower() if isinstance(value, bool) else str(value)
