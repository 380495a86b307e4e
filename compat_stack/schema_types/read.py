"""Schemas read from a database's catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compat_base.postgres.database import Connection, Record, faults
from compat_stack.schema_types.model import (
    Argument,
    Column,
    ForeignKey,
    Function,
    Relation,
    Schemas,
    TypeFacts,
)
from rest_compat.catalog.view_origins import view_origins

_RELATIONS = """
select c.oid::int8, c.reltype::int8 as row_type, n.nspname::text as schema,
  c.relname::text as name, c.relkind::text as kind,
  (pg_relation_is_updatable(c.oid, false) & 20) = 20 as is_written,
  (select r.ev_action::text from pg_rewrite r
   where r.ev_class = c.oid and r.rulename = '_RETURN' and c.relkind in ('v', 'm')) as definition
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'f', 'v', 'm', 'c') and n.nspname = any ($1::text[])
"""
_COLUMNS = """
select a.attrelid::int8 as relation, a.attnum::int as number, a.attname::text as name,
  a.atttypid::int8 as type,
  not (a.attnotnull or (t.typtype = 'd' and t.typnotnull)) as is_nullable,
  a.atthasdef or a.attidentity <> '' as has_default,
  a.attgenerated <> '' or a.attidentity = 'a'
    or (c.relkind = 'v' and not pg_column_is_updatable(c.oid, a.attnum, false)) as never_written
from pg_attribute a
join pg_type t on t.oid = a.atttypid
join pg_class c on c.oid = a.attrelid
where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'f', 'v', 'm', 'c')
order by a.attrelid, a.attnum
"""
_KEYS = """
select k.conname::text as name, k.conrelid::int8 as relation, k.conkey::int[] as columns,
  k.confrelid::int8 as referenced, k.confkey::int[] as referenced_columns,
  exists (
    select from pg_constraint u
    where u.conrelid = k.conrelid and u.contype in ('p', 'u')
      and u.conkey @> k.conkey and u.conkey <@ k.conkey
  ) as is_one_to_one
from pg_constraint k
where k.contype = 'f' and k.conparentid = 0
"""
_FUNCTIONS = """
select n.nspname::text as schema, p.proname::text as name, p.proargnames::text[] as names,
  p.proargmodes::text[] as modes, p.proargtypes::int8[] as types,
  p.proallargtypes::int8[] as every_type, p.pronargdefaults::int as defaults,
  p.prorettype::int8 as returns, p.proretset as returns_set, p.prorows = 1 as returns_one
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join pg_type t on t.oid = p.prorettype
where p.prokind = 'f' and n.nspname = any ($1::text[])
  and t.typname not in ('trigger', 'event_trigger')
order by n.nspname, p.proname, p.oid
"""
_TYPES = """
select t.oid::int8, n.nspname::text as schema, t.typname::text as name, t.typtype::text as kind,
  case when t.typcategory = 'A' then t.typelem else 0 end::int8 as element,
  t.typbasetype::int8 as base, coalesce(c.relkind::text, '') as relation,
  coalesce((select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_enum e
   where e.enumtypid = t.oid), '{}') as labels
from pg_type t
join pg_namespace n on n.oid = t.typnamespace
left join pg_class c on c.oid = t.typrelid
"""


async def read_schemas(connection: Connection, names: Sequence[str]) -> Schemas:
    """Read the schemas; other schemas are known by their types alone."""
    wanted = sorted(set(names))
    with faults():
        relations = await connection.fetch(_RELATIONS, wanted)
        columns = await connection.fetch(_COLUMNS)
        keys = await connection.fetch(_KEYS)
        functions = await connection.fetch(_FUNCTIONS, wanted)
        types = await connection.fetch(_TYPES)
    by_relation: dict[int, list[Record]] = {}
    for row in columns:
        by_relation.setdefault(row["relation"], []).append(row)
    required = {(r["relation"], r["number"]) for r in columns if not r["is_nullable"]}
    found = [(row["kind"], _relation(row, by_relation, required)) for row in relations]
    return Schemas(
        names=tuple(wanted),
        relations=tuple(relation for kind, relation in found if kind != "c"),
        composites=tuple(relation for kind, relation in found if kind == "c"),
        keys=tuple(_key(row) for row in keys),
        functions=tuple(_function(row) for row in functions),
        types={row["oid"]: _type(row) for row in types},
    )


def _relation(
    row: Record, columns: Mapping[int, list[Record]], required: set[tuple[int, int]]
) -> Relation:
    is_view = row["kind"] in {"v", "m"}
    origins = view_origins(row["definition"]) if row["definition"] else {}
    return Relation(
        oid=row["oid"],
        row_type=row["row_type"],
        schema=row["schema"],
        name=row["name"],
        is_view=is_view,
        is_written=row["is_written"] and row["kind"] != "m",
        columns=tuple(
            Column(
                number=each["number"],
                name=each["name"],
                type=each["type"],
                # A view's column is as required as the one that it shows
                is_nullable=each["is_nullable"] and origins.get(each["number"]) not in required,
                has_default=each["has_default"],
                never_written=each["never_written"],
            )
            for each in columns.get(row["oid"], ())
        ),
        origins=origins,
    )


def _key(row: Record) -> ForeignKey:
    return ForeignKey(
        row["name"], row["relation"], tuple(row["columns"]), row["referenced"],
        tuple(row["referenced_columns"]), row["is_one_to_one"],
    )  # fmt: skip


def _function(row: Record) -> Function:
    types: list[int] = row["every_type"] or row["types"]
    names: list[str] = row["names"] or [""] * len(types)
    modes: list[str] = row["modes"] or ["i"] * len(types)
    every = list(zip(names, types, modes, strict=False))
    given = [(name, type_oid) for name, type_oid, mode in every if mode in {"i", "b", "v"}]
    required = len(given) - row["defaults"]
    return Function(
        schema=row["schema"],
        name=row["name"],
        arguments=tuple(
            Argument(name, type_oid, place >= required)
            for place, (name, type_oid) in enumerate(given)
        ),
        table=tuple((name, type_oid) for name, type_oid, mode in every if mode == "t"),
        returns=row["returns"],
        returns_set=row["returns_set"],
        returns_one=row["returns_one"],
    )


def _type(row: Record) -> TypeFacts:
    return TypeFacts(
        row["schema"], row["name"], row["kind"], row["element"], row["base"], row["relation"],
        tuple(row["labels"]),
    )  # fmt: skip
