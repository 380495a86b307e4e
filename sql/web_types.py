"""The web app's description of the schema: tables and functions as a signed-in client sees them.

`make snapshot` writes `web/src/lib/database.gen.ts` of it, and a test compares the two.
"""  # noqa: INP001 — beside the migrations, not a package

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import asyncpg

WEB_TYPES = Path(__file__).resolve().parents[1] / "web/src/lib/database.gen.ts"

_HEAD = (
    "/** The schema as a signed-in client sees it. "
    "Written by `make snapshot` from the migrations: do not edit. */\n"
)
_COLUMNS = """
select c.relname as "table", a.attname as name, not a.attnotnull as nullable,
  coalesce(nullif(t.typbasetype, 0), t.oid)::regtype::text as type,
  a.attnotnull and not a.atthasdef as required,
  has_column_privilege('authenticated', c.oid, a.attnum, 'insert') as inserted,
  has_column_privilege('authenticated', c.oid, a.attnum, 'update') as updated
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_type t on t.oid = a.atttypid
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
  and has_table_privilege('authenticated', c.oid, 'select')
order by c.relname, a.attnum
"""
_FUNCTIONS = """
select p.proname as name, p.prorettype::regtype::text as returns, p.proretset as many,
  (select array_agg(a.type::regtype::text order by a.n)
   from unnest(p.proargtypes) with ordinality as a (type, n)) as types,
  p.proargnames as names, p.pronargs - p.pronargdefaults as required
from pg_proc p
where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
  and has_function_privilege('authenticated', p.oid, 'execute')
order by p.proname
"""
# numeric: a service may write it as a JSON number or, to lose no digit, as a string
_KINDS = {
    "boolean": "boolean",
    "integer": "number",
    "smallint": "number",
    "bigint": "number",
    "numeric": "number | string",
    "json": "unknown",
    "jsonb": "unknown",
    "void": "undefined",
}

_Row: TypeAlias = asyncpg.Record


async def web_types(connection: asyncpg.Connection[_Row]) -> str:
    """The TypeScript text of a migrated database."""
    tables: dict[str, list[_Row]] = {}
    for column in await connection.fetch(_COLUMNS):
        tables.setdefault(column["table"], []).append(column)
    described = "".join(_table(name, columns) for name, columns in tables.items())
    functions = "".join(_function(row) for row in await connection.fetch(_FUNCTIONS))
    return (
        f"{_HEAD}\nexport type Tables = {{\n{described}}}\n"
        f"\nexport type Functions = {{\n{functions}}}\n"
    )


def _kind(type_name: str, *, nullable: bool = False) -> str:
    kind = _KINDS.get(type_name, "string")
    return f"{kind} | null" if nullable else kind


def _table(name: str, columns: list[_Row]) -> str:
    def block(title: str, chosen: list[_Row], *, every: bool) -> str:
        if not chosen:
            return f"    {title}: never\n"
        lines = "".join(
            f"      {c['name']}{'' if every or (title == 'Insert' and c['required']) else '?'}: "
            f"{_kind(c['type'], nullable=c['nullable'])}\n"
            for c in chosen
        )
        return f"    {title}: {{\n{lines}    }}\n"

    return (
        f"  {name}: {{\n"
        + block("Row", columns, every=True)
        + block("Insert", [c for c in columns if c["inserted"]], every=False)
        + block("Update", [c for c in columns if c["updated"]], every=False)
        + "    Relationships: []\n  }\n"
    )


def _function(row: _Row) -> str:
    types = row["types"] or []
    arguments = "; ".join(
        f"{name}{'' if n < row['required'] else '?'}: {_kind(type_name)}"
        for n, (name, type_name) in enumerate(
            zip((row["names"] or [])[: len(types)], types, strict=True)
        )
    )
    args = f"{{ {arguments} }}" if arguments else "Record<never, never>"
    returns = _kind(row["returns"]) + ("[]" if row["many"] else "")
    return f"  {row['name']}: {{ Args: {args}; Returns: {returns} }}\n"
