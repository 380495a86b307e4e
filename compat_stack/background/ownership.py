"""Whether tables belong to a superuser or to the migrating user.

Jobs run as the role that their table names, so a table of the project's own would let its owner
name the administrator.
"""

from __future__ import annotations

from typing import LiteralString


def owned(*tables: tuple[LiteralString, LiteralString]) -> LiteralString:
    """A condition: all of these are plain tables of a superuser's or the migrating user's.

    Tables are given as (schema, name), and looked up in the catalog: a schema that the worker may
    not use is no error.
    """
    listed = ", ".join(f"('{schema}', '{name}')" for schema, name in tables)
    return (
        "(select pg_catalog.bool_and(coalesce(c.relkind = 'r'"
        " and (r.rolsuper or r.oid = (select nspowner from pg_catalog.pg_namespace"
        " where nspname = 'compat'))"
        " and pg_catalog.has_schema_privilege(n.oid, 'usage')"
        " and pg_catalog.has_table_privilege(c.oid, 'select'), false))"
        " from (values " + listed + ") as t (space, name)"
        " left join pg_catalog.pg_namespace as n on n.nspname = t.space"
        " left join pg_catalog.pg_class as c on c.relnamespace = n.oid and c.relname = t.name"
        " left join pg_catalog.pg_roles as r on r.oid = c.relowner)"
    )
