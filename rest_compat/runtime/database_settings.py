"""What the database says of the service's settings and of its roles (I/O; rest reference 17)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from compat_base.postgres.database import Connection, fetch, run_script
from compat_base.values.sqltext import Statement, compile_sql, raw
from rest_compat.catalog.load import QUERIES
from rest_compat.runtime.snapshot import RoleSettings
from rest_compat.settings import DATABASE_KEYS, Settings

_ISOLATION = "default_transaction_isolation"
_NAMES = [f"pgrst.{key.replace('-', '_')}" for key in DATABASE_KEYS]


async def stored_settings(connection: Connection, settings: Settings) -> Mapping[str, str]:
    """The pre-config function's values under those of the role; PgFault where there are none."""
    called: dict[str, str] = {}
    if settings.pre_config is not None:
        await run_script(connection, "begin read only")
        try:
            call = raw("select ") + settings.pre_config.sql() + raw("()")
            await run_script(connection, compile_sql(call).text)
            rows = await fetch(
                connection,
                Statement(
                    "select substr(x, 7) as name, current_setting(x, true) as value"
                    " from unnest($1::text[]) x",
                    (_NAMES,),
                ),
            )
        finally:
            await run_script(connection, "rollback")
        called = {row["name"]: row["value"] for row in rows if row["value"] is not None}
    rows = await fetch(connection, Statement(QUERIES["database_settings"], (_NAMES,)))
    return called | {row["name"]: row["value"] for row in rows}


async def stored_roles(connection: Connection) -> dict[str, RoleSettings]:
    """What `ALTER ROLE … SET` says of each role the service may switch to."""
    rows = await fetch(connection, Statement(QUERIES["role_settings"]))
    by_role: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        by_role[row["role"]].append((row["name"], row["value"]))
    return {
        role: RoleSettings(
            tuple(pair for pair in pairs if pair[0] != _ISOLATION), dict(pairs).get(_ISOLATION)
        )
        for role, pairs in by_role.items()
    }
