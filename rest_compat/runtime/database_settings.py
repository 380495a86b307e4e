"""Settings and role settings kept in the database (I/O; rest reference 17)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from compat_base.postgres.pipeline import PipelineSession
from compat_base.values.pgarray import array_text
from compat_base.values.sqltext import Statement, compile_sql, raw
from rest_compat.catalog.load import QUERIES, rolled_back
from rest_compat.runtime.plan_cache import RoleSettings
from rest_compat.settings import Settings, database_keys

_ISOLATION = "default_transaction_isolation"
_NAMES = array_text([f"pgrst.{key.replace('-', '_')}" for key in database_keys()]).encode()
_SET_BY_FUNCTION = Statement(
    "select substr(x, 7) as name, current_setting(x, true) as value from unnest($1::text[]) x",
    (_NAMES,),
)
_SET_BY_ROLE = Statement(QUERIES["database_settings"], (_NAMES,))
_ROLES = Statement(QUERIES["role_settings"])


async def stored_settings(session: PipelineSession, settings: Settings) -> Mapping[str, str]:
    """The pre-config function's values under those of the role; PgFault where there are none."""
    called: dict[str, str] = {}
    if settings.pre_config is not None:
        call = compile_sql(raw("select ") + settings.pre_config.sql() + raw("()"))
        async with rolled_back(session, Statement("begin read only")):
            answers = await session.run((call, _SET_BY_FUNCTION))
            rows = answers[1].records()
        called = {row["name"]: row["value"] for row in rows if row["value"] is not None}
    rows = (await session.run((_SET_BY_ROLE,)))[0].records()
    return called | {row["name"]: row["value"] for row in rows}


async def stored_roles(session: PipelineSession) -> dict[str, RoleSettings]:
    """What `ALTER ROLE … SET` sets for each role that the service may switch to."""
    rows = (await session.run((_ROLES,)))[0].records()
    by_role: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        by_role[row["role"]].append((row["name"], row["value"]))
    return {
        role: RoleSettings(
            tuple(pair for pair in pairs if pair[0] != _ISOLATION), dict(pairs).get(_ISOLATION)
        )
        for role, pairs in by_role.items()
    }
