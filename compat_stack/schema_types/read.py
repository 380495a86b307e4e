"""Schemas read from a database's catalog, as far as the role of the session may see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import product
from typing import TypeAlias

from compat_base.postgres.database import Connection, Record, faults
from compat_stack.schema_types.collation import SortKey, collated
from compat_stack.schema_types.model import (
    Argument,
    Column,
    Function,
    Key,
    KeySide,
    Relation,
    Schemas,
    TypeFacts,
    TypeName,
)
from compat_stack.schema_types.view_columns import Place, required_columns
from rest_compat.catalog.view_origins import view_origins

_SCHEMAS = """
select nspname::text as name
from pg_namespace
where nspname = any ($1::text[]) and not starts_with(nspname, 'pg_')
  and (pg_has_role(nspowner, 'usage') or has_schema_privilege(oid, 'create, usage'))
"""
# Bits of pg_relation_is_updatable: 4 an update, 8 an insert; here also by triggers and rules.
_RELATIONS = """
select c.oid::int8, n.nspname::text as schema, c.relname::text as name, c.relkind::text as kind,
  (pg_relation_is_updatable(c.oid, true) & 8) = 8 as is_inserted,
  (pg_relation_is_updatable(c.oid, true) & 4) = 4 as is_updated
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any ($1::text[])
  and (
    c.relkind in ('f', 'v', 'm')
    or c.relkind in ('r', 'p') and (
      pg_has_role(c.relowner, 'usage')
      or has_table_privilege(
        c.oid, 'select, insert, update, delete, truncate, references, trigger'
      )
      or has_any_column_privilege(c.oid, 'select, insert, update, references')
    )
  )
"""
# A trigger's type: 64 instead of, 4 insert, 16 update. A rule's event: 2 update, 3 insert.
_COLUMNS = """
select a.attrelid::int8 as relation, a.attnum::int as number, a.attname::text as name,
  coalesce(b.typname, t.typname)::text as type,
  coalesce(bn.nspname, tn.nspname)::text as type_schema,
  not (a.attnotnull or t.typtype = 'd' and t.typnotnull) as is_nullable,
  a.atthasdef or a.attidentity <> '' as has_default,
  case
    when c.relkind in ('v', 'm') then c.relkind = 'v' and (
      pg_column_is_updatable(c.oid, a.attnum, false)
      or exists (
        select from pg_trigger g
        where g.tgrelid = c.oid and g.tgtype & 64 <> 0 and g.tgtype & 20 <> 0
          and not g.tgisinternal
      )
      or exists (
        select from pg_rewrite w
        where w.ev_class = c.oid and w.is_instead and w.ev_type in ('2', '3')
          and w.ev_qual::text = '<>'
      )
    )
    else a.attidentity <> 'a' and a.attgenerated = ''
  end as is_written,
  coalesce(c.relkind in ('v', 'm')
    and col_description(c.oid, a.attnum) ~ '(?n)^\\s*@notNull\\s*$', false) as is_declared_required
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_namespace n on n.oid = c.relnamespace
join pg_type t on t.oid = a.atttypid
join pg_namespace tn on tn.oid = t.typnamespace
left join pg_type b on t.typtype = 'd' and b.oid = t.typbasetype
left join pg_namespace bn on bn.oid = b.typnamespace
where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'f', 'v', 'm')
  and n.nspname = any ($1::text[])
  and (
    pg_has_role(c.relowner, 'usage')
    or has_column_privilege(c.oid, a.attnum, 'select, insert, update, references')
  )
"""
_REQUIRED = """
select a.attrelid::int8 as relation, a.attnum::int as number
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_type t on t.oid = a.atttypid
where a.attnum > 0 and c.relkind in ('r', 'p', 'f')
  and (a.attnotnull or t.typtype = 'd' and t.typnotnull)
"""
# The views of schemas, and those that they read; `is_read` where keys may lead through it.
_VIEWS = """
with recursive views (oid) as (
  select c.oid
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('v', 'm') and n.nspname = any ($1::text[] || $2::text[])
  union
  select d.refobjid
  from views
  join pg_rewrite r on r.ev_class = views.oid and r.rulename = '_RETURN'
  join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
    and d.refclassid = 'pg_class'::regclass
  join pg_class c on c.oid = d.refobjid and c.relkind in ('v', 'm')
)
select c.oid::int8, n.nspname::text as schema, c.relname::text as name,
  r.ev_action::text as definition, n.nspname = any ($1::text[] || $2::text[]) as is_read,
  (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
   where a.attrelid = c.oid and a.attnum > 0) as columns
from views
join pg_class c on c.oid = views.oid
join pg_namespace n on n.oid = c.relnamespace
join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
"""
# One to one: a primary or unique key has these columns, named in the order of the table's.
_KEYS = """
select k.conname::text as name, k.conrelid::int8 as relation, n.nspname::text as schema,
  c.relname::text as relation_name, k.conkey::int[] as columns,
  k.confrelid::int8 as referenced, fn.nspname::text as referenced_schema,
  f.relname::text as referenced_name, k.confkey::int[] as referenced_columns,
  exists (
    select from pg_constraint u
    where u.conrelid = k.conrelid and u.contype in ('p', 'u')
      and k.conkey = array(select number from unnest(u.conkey) as number order by number)
  ) as is_one_to_one,
  array(
    select a.attname::text from unnest(k.conkey) with ordinality as o (number, place)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = o.number order by o.place
  ) as names,
  array(
    select a.attname::text from unnest(k.confkey) with ordinality as o (number, place)
    join pg_attribute a on a.attrelid = k.confrelid and a.attnum = o.number order by o.place
  ) as referenced_names
from pg_constraint k
join pg_class c on c.oid = k.conrelid
join pg_namespace n on n.oid = c.relnamespace
join pg_class f on f.oid = k.confrelid
join pg_namespace fn on fn.oid = f.relnamespace
where k.contype = 'f' and k.conparentid = 0
  and n.nspname not in ('information_schema', 'pg_catalog', 'pg_toast')
"""
_FUNCTIONS = """
select p.oid::int8, n.nspname::text as schema, p.proname::text as name,
  p.proargnames::text[] as names, p.proargmodes::text[] as modes,
  coalesce(p.proallargtypes::int8[], p.proargtypes::int8[]) as types,
  p.pronargs - p.pronargdefaults as required, p.pronargs::int as given,
  pg_get_function_arguments(p.oid) as declared, pg_get_function_result(p.oid) as gives,
  p.prorettype::int8 as returns, t.typrelid::int8 as row_of, p.proretset as returns_set,
  p.prorows::float8 as rows
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join pg_type t on t.oid = p.prorettype
where p.prokind = 'f' and n.nspname = any ($1::text[])
  and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
"""
_TYPES = """
select t.oid::int8, n.nspname::text as schema, t.typname::text as name,
  format_type(t.oid, null) as shown, t.typrelid::int8 as row_of,
  array(select e.enumlabel::text from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder)
    as labels,
  array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
    and not a.attisdropped order by a.attnum) as attribute_names,
  array(select a.atttypid::int8 from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
    and not a.attisdropped order by a.attnum) as attribute_types
from pg_type t
join pg_namespace n on n.oid = t.typnamespace
left join pg_class c on c.oid = t.typrelid and c.relkind = 'c'
"""
_LOOKED_UP = "rpfvm"  # kinds of relations in the order in which a name is looked up


async def read_schemas(
    connection: Connection, names: Sequence[str], through: Sequence[str] = ()
) -> Schemas:
    """Read those of the schemas that are there.

    Keys lead to and from their views also through the views of the schemas `through`.
    """
    with faults():
        rows = await connection.fetch(_SCHEMAS, list(names))
        found = sorted((row["name"] for row in rows), key=collated)
        relations = await connection.fetch(_RELATIONS, found)
        columns = await connection.fetch(_COLUMNS, found)
        required = await connection.fetch(_REQUIRED)
        views = await connection.fetch(_VIEWS, found, list(through))
        keys = await connection.fetch(_KEYS)
        functions = await connection.fetch(_FUNCTIONS, found)
        types = await connection.fetch(_TYPES)
    never_null = required_columns(
        {row["oid"]: row["definition"] for row in views},
        {(row["relation"], row["number"]) for row in required},
    )
    by_relation: dict[int, list[Column]] = {}
    for row in sorted(columns, key=lambda row: collated(row["name"])):
        by_relation.setdefault(row["relation"], []).append(_column(row, never_null))
    facts = sorted(map(_type, types), key=lambda each: (*_place(each.schema, each.name), each.oid))
    by_name: dict[str, list[TypeFacts]] = {}
    for each in facts:
        by_name.setdefault(each.name, []).append(each)
    in_order = sorted(relations, key=lambda row: (*_order(row), row["oid"]))
    return Schemas(
        names=tuple(found),
        relations=tuple(_relation(row, by_relation.get(row["oid"], [])) for row in in_order),
        keys=tuple(_keys(keys, views, set(found))),
        functions=tuple(map(_function, functions)),
        types={each.oid: each for each in facts},
        types_by_name=by_name,
    )


def _place(schema: str, name: str) -> tuple[SortKey, SortKey]:
    return collated(schema), collated(name)


def _order(row: Record) -> tuple[int, SortKey, SortKey]:
    kind = "r" if row["kind"] == "p" else row["kind"]
    return _LOOKED_UP.index(kind), collated(row["schema"]), collated(row["name"])


def _column(row: Record, never_null: AbstractSet[Place]) -> Column:
    is_required = row["is_declared_required"] or (row["relation"], row["number"]) in never_null
    return Column(
        name=row["name"],
        type=TypeName(row["type_schema"], row["type"]),
        is_nullable=row["is_nullable"] and not is_required,
        has_default=row["has_default"],
        is_written=row["is_written"],
    )


def _relation(row: Record, columns: Sequence[Column]) -> Relation:
    is_view = row["kind"] in {"v", "m"}
    is_stored = row["kind"] == "m"
    return Relation(
        oid=row["oid"],
        schema=row["schema"],
        name=row["name"],
        part="Views" if is_view else "Tables",
        is_inserted=row["is_inserted"] and not is_stored,
        is_updated=row["is_updated"] and not is_stored,
        columns=tuple(columns),
    )


def _keys(
    rows: Sequence[Record], views: Sequence[Record], names: AbstractSet[str]
) -> Iterator[Key]:
    """The foreign keys of tables, and of and to the views that show all of their columns."""
    shown = _shown(views, names)
    for row in rows:
        table = KeySide(row["schema"], row["relation_name"], tuple(row["names"]))
        other = KeySide(
            row["referenced_schema"], row["referenced_name"], tuple(row["referenced_names"])
        )
        sources = [
            *([table] if table.schema in names else []),
            *_sides(shown, row["relation"], row["columns"]),
        ]
        targets = [other, *_sides(shown, row["referenced"], row["referenced_columns"])]
        for source, target in product(sources, targets):
            yield Key(row["name"], source, target, row["is_one_to_one"])


_Shown: TypeAlias = "list[tuple[str, str, Mapping[Place, list[str]]]]"


def _shown(views: Sequence[Record], names: AbstractSet[str]) -> _Shown:
    """The views of the schemas, each with the columns that show a column of another relation."""
    origins = {row["oid"]: view_origins(row["definition"]) for row in views if row["is_read"]}
    found: _Shown = []
    for row in views:
        if row["schema"] not in names:
            continue
        columns: dict[Place, list[str]] = {}
        for number, origin in origins[row["oid"]].items():
            name = row["columns"][number - 1]
            passed: set[int] = set()
            place: Place | None = origin
            while place is not None and place[0] not in passed:
                columns.setdefault(place, []).append(name)
                passed.add(place[0])
                place = origins.get(place[0], {}).get(place[1])
        found.append((row["schema"], row["name"], columns))
    return found


def _sides(shown: _Shown, relation: int, numbers: Sequence[int]) -> Iterator[KeySide]:
    """The columns of views that show all of a relation's columns, in every combination."""
    for schema, name, columns in shown:
        for each in product(*(columns.get((relation, number), ()) for number in numbers)):
            yield KeySide(schema, name, each)


def _function(row: Record) -> Function:
    types: list[int] = row["types"]
    names: list[str] = row["names"] or [""] * len(types)
    modes: list[str] = row["modes"] or ["i"] * len(types)
    # By their places among all arguments, as the original counts
    with_default = range(row["required"], row["given"])
    return Function(
        oid=row["oid"],
        schema=row["schema"],
        name=row["name"],
        every_argument=tuple(
            Argument(name, type_oid, mode, has_default=place in with_default)
            for place, (name, type_oid, mode) in enumerate(zip(names, types, modes, strict=True))
        ),
        declared=row["declared"],
        gives=row["gives"],
        returns=row["returns"],
        row_of=row["row_of"],
        returns_set=row["returns_set"],
        rows=row["rows"],
    )


def _type(row: Record) -> TypeFacts:
    return TypeFacts(
        oid=row["oid"],
        schema=row["schema"],
        name=row["name"],
        shown=row["shown"],
        row_of=row["row_of"],
        labels=tuple(row["labels"]),
        attributes=tuple(zip(row["attribute_names"], row["attribute_types"], strict=True)),
    )
