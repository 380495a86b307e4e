"""Whose the tables are that the worker reads and writes.

The worker may be a superuser: triggers of a table of the project's own would run as it, and the
jobs of such a table as whoever they name.
"""

from __future__ import annotations

from typing import LiteralString


def owned(*tables: LiteralString) -> LiteralString:
    """A condition: all of these are plain tables of a superuser's or of whoever asks."""
    listed = ", ".join(f"(to_regclass('{table}'))" for table in tables)
    return (
        "(select pg_catalog.bool_and(coalesce(c.relkind = 'r' and (r.rolsuper"
        " or r.rolname = session_user), false)) from (values " + listed + ") as t (relation)"
        " left join pg_catalog.pg_class as c on c.oid = t.relation"
        " left join pg_catalog.pg_roles as r on r.oid = c.relowner)"
    )
