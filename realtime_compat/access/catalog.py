"""Tables, types and privileges, as the catalog has them now.

A table is loaded again when its Relation message comes again: PostgreSQL repeats that before the
next change whenever the table, its columns or its grants have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from compat_base.postgres.database import Connection, Database, Record, fetch
from compat_base.postgres.queries import load_queries
from compat_base.values.sqltext import Statement
from realtime_compat.changes.model import Column, JsonForm, PgType, Relation, Table

QUERIES = load_queries("realtime_compat.access", "queries.sql")
FIRST_OWN_OID = 16_384  # below it are PostgreSQL's own objects
PRIVILEGES_SECONDS = 30.0  # a role granted to a role sends no Relation message

_JSON_FORMS = {
    **dict.fromkeys(("int2", "int4", "int8", "numeric", "float4", "float8"), JsonForm.NUMBER),
    "bool": JsonForm.BOOLEAN,
    "json": JsonForm.JSON,
    "jsonb": JsonForm.JSON,
    "timestamp": JsonForm.TIMESTAMP,
    "timestamptz": JsonForm.TIMESTAMPTZ,
    "bytea": JsonForm.BYTES,
    "hstore": JsonForm.HSTORE,
}


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of the publication."""

    oid: int
    schema: str
    name: str
    has_policies: bool = False


@dataclass(slots=True)
class _Entry:
    relation: Relation
    table: Table
    readable: dict[str, frozenset[str]]
    loaded_at: float


class Catalog:
    """Cached tables, until the stream reports that they may have changed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._entries: dict[int, _Entry] = {}
        self._types: dict[int, PgType] = {}

    async def refresh(
        self, relations: Iterable[Relation], roles: Mapping[int, set[str]], now: float
    ) -> None:
        """Load these relations, and which of their columns the roles may read."""
        stale = [relation for relation in relations if not self._is_fresh(relation, now)]
        missing = {
            oid: wanted - self._known_roles(oid) if oid not in {r.oid for r in stale} else wanted
            for oid, wanted in roles.items()
        }
        if not stale and not any(missing.values()):
            return
        async with self._database.acquire() as connection:
            for relation in stale:
                self._entries.pop(relation.oid, None)
            await self._load_tables(connection, stale, now)
            await self._load_privileges(connection, missing)

    def table(self, oid: int) -> Table | None:
        """A refreshed table; None where it was dropped."""
        entry = self._entries.get(oid)
        return entry.table if entry else None

    def readable(self, oid: int, role: str) -> frozenset[str]:
        """The columns of a refreshed table that a role may select."""
        entry = self._entries.get(oid)
        return entry.readable.get(role, frozenset()) if entry else frozenset()

    def clear(self) -> None:
        """Forget everything, as for another stream."""
        self._entries.clear()
        self._types.clear()

    def _is_fresh(self, relation: Relation, now: float) -> bool:
        entry = self._entries.get(relation.oid)
        return (
            entry is not None
            and entry.relation is relation
            and now - entry.loaded_at < PRIVILEGES_SECONDS
        )

    def _known_roles(self, oid: int) -> set[str]:
        entry = self._entries.get(oid)
        return set(entry.readable) if entry else set()

    async def _load_tables(
        self, connection: Connection, relations: Sequence[Relation], now: float
    ) -> None:
        if not relations:
            return
        by_oid = {relation.oid: relation for relation in relations}
        # A user's own type may have changed since, as the table has.
        self._types = {oid: known for oid, known in self._types.items() if oid < FIRST_OWN_OID}
        rows = await fetch(connection, Statement(QUERIES["tables"], (list(by_oid),)))
        await self._load_types(connection, {row["type_oid"] for row in rows})
        grouped: dict[int, list[Record]] = {}
        for row in rows:
            grouped.setdefault(row["oid"], []).append(row)
        for oid, members in grouped.items():
            self._entries[oid] = _Entry(by_oid[oid], self._make_table(members), {}, now)

    def _make_table(self, rows: list[Record]) -> Table:
        first = rows[0]
        return Table(
            oid=first["oid"],
            schema=first["schema"],
            name=first["name"],
            columns=tuple(
                Column(
                    row["column_name"],
                    row["number"],
                    self._types[row["type_oid"]],
                    row["is_key"],
                    row["is_plain"],
                )
                for row in rows
            ),
            has_policies=first["has_policies"],
            is_guarded=first["is_guarded"],
            is_by_subject=first["is_by_subject"],
        )

    async def _load_privileges(
        self, connection: Connection, missing: Mapping[int, set[str]]
    ) -> None:
        roles = sorted(set[str]().union(*missing.values()))
        oids = [oid for oid, wanted in missing.items() if wanted and oid in self._entries]
        if not roles or not oids:
            return
        for oid in oids:
            self._entries[oid].readable.update(dict.fromkeys(roles, frozenset[str]()))
        rows = await fetch(connection, Statement(QUERIES["readable_columns"], (roles, oids)))
        for row in rows:
            self._entries[row["oid"]].readable[row["role"]] = frozenset(row["columns"])

    async def _load_types(self, connection: Connection, oids: set[int]) -> None:
        """Load types with their element, base and member types, until none is missing."""
        found: dict[int, Record] = {}
        wanted = oids - self._types.keys()
        while wanted:
            rows = await fetch(connection, Statement(QUERIES["types"], (sorted(wanted),)))
            found |= {row["oid"]: row for row in rows}
            parts = {oid for row in rows for oid in _parts(row)}
            wanted = parts - found.keys() - self._types.keys()
        for oid in found:
            self._make_type(oid, found)

    def _make_type(self, oid: int, rows: Mapping[int, Record]) -> PgType:
        known = self._types.get(oid)
        if known is not None:
            return known
        row = rows[oid]
        made = self._types[oid] = self._type_of(row, rows)
        return made

    def _type_of(self, row: Record, rows: Mapping[int, Record]) -> PgType:
        oid, name = row["oid"], row["name"]
        if row["base"]:
            base = self._make_type(row["base"], rows)
            return PgType(
                oid, name, base.base, base.json_form, base.element, base.delimiter, base.fields,
                base.is_enum,
            )  # fmt: skip
        if row["category"] == "A" and row["element"] and row["length"] == -1:
            element = self._make_type(row["element"], rows)
            return PgType(oid, name, name, JsonForm.ARRAY, element, row["delimiter"])
        if row["kind"] == "c":
            fields = tuple(
                (field, self._make_type(type_oid, rows))
                for field, type_oid in zip(row["field_names"], row["field_types"], strict=True)
            )
            return PgType(oid, name, name, JsonForm.COMPOSITE, fields=fields)
        json_form = _JSON_FORMS.get(name, JsonForm.TEXT)
        return PgType(oid, name, name, json_form, is_enum=row["kind"] == "e")


def _parts(row: Record) -> list[int]:
    element = [row["element"]] if row["category"] == "A" and row["element"] else []
    base = [row["base"]] if row["base"] else []
    return element + base + list(row["field_types"])


async def published_tables(database: Database, publication: str) -> tuple[PublishedTable, ...]:
    """The tables of a publication."""
    async with database.acquire() as connection:
        rows = await fetch(connection, Statement(QUERIES["published_tables"], (publication,)))
    return tuple(
        PublishedTable(row["oid"], row["schema"], row["name"], row["has_policies"]) for row in rows
    )
