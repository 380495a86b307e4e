"""Primary and foreign keys of tables as views show them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compat_base.values import jsontext
from rest_compat.catalog.model import Table
from rest_compat.catalog.view_origins import view_origins
from rest_compat.names import QualifiedName

Row = Mapping[str, Any]
Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class ViewKey:
    """A key of a table that a view shows: its columns, and for each the view's that show it."""

    view: QualifiedName
    table: QualifiedName
    constraint: str
    kind: str
    names: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]


def find_view_keys(views: Rows, key_columns: Rows, schemas: Sequence[str]) -> list[ViewKey]:
    """The keys that each exposed view shows whole, also through other views."""
    origins = {row["oid"]: view_origins(row["definition"]) for row in views}
    keys_of: defaultdict[int, list[Row]] = defaultdict(list)
    for key in key_columns:
        keys_of[key["relation"]].append(key)
    found: list[ViewKey] = []
    for view in views:
        if view["schema"] not in schemas:
            continue
        names = {int(number): name for number, name in jsontext.decode(view["columns"]).items()}
        shown: defaultdict[int, defaultdict[int, list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for number in sorted(names):
            for relation, column in _sources(view["oid"], number, origins):
                shown[relation][column].append(names[number])
        for relation, columns in shown.items():
            found.extend(_shown_keys(view, columns, keys_of[relation]))
    return found


def _sources(
    view: int, number: int, origins: Mapping[int, dict[int, tuple[int, int]]]
) -> Iterable[tuple[int, int]]:
    """Every relation and column a view's column shows, nearest first."""
    seen: set[int] = set()
    source = origins[view].get(number)
    while source is not None and source[0] not in seen:
        yield source
        seen.add(source[0])
        source = origins.get(source[0], {}).get(source[1])


def _shown_keys(
    view: Row, columns: Mapping[int, list[str]], keys: Iterable[Row]
) -> Iterable[ViewKey]:
    for key in keys:
        if all(number in columns for number in key["numbers"]):
            yield ViewKey(
                view=QualifiedName(view["schema"], view["name"]),
                table=QualifiedName(key["schema"], key["name"]),
                constraint=key["constraint_name"],
                kind=key["kind"],
                names=tuple(key["names"]),
                columns=tuple(tuple(columns[number]) for number in key["numbers"]),
            )


def with_view_primary_keys(
    tables: dict[QualifiedName, Table], view_keys: Iterable[ViewKey]
) -> dict[QualifiedName, Table]:
    """Give views the primary keys they show; of a column shown twice the first copy counts."""
    keys: defaultdict[QualifiedName, list[str]] = defaultdict(list)
    for key in view_keys:
        if key.kind == "p":
            keys[key.view].extend(copies[0] for copies in key.columns)
    for name, columns in keys.items():
        tables[name] = replace(tables[name], primary_key=tuple(columns))
    return tables
