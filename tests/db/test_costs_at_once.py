"""Two who settle a month at the same moment, on connections of their own."""

from __future__ import annotations

import asyncio

import asyncpg

from tests.conftest import Server
from tests.db.test_costs import add_plan, pay, settle
from tests.harness_sql import add_person, pair


async def test_c11_2_two_who_settle_at_once_settle_once(
    server: Server, planner_database: str
) -> None:
    url = server.url(planner_database)
    one, other = await asyncpg.connect(url), await asyncpg.connect(url)
    try:
        ana, berta = [await add_person(one, name) for name in ("Ana", "Berta")]
        await pair(one, ana, berta)
        await pay(one, ana, await add_plan(one, ana, berta), "40", ana)
        results = await asyncio.gather(settle(one, ana, 2000), settle(other, berta, 2000))
        assert results == ["ok", "ok"]
        assert await one.fetchval("select count(*) from liquidaciones") == 1
    finally:
        await one.close()
        await other.close()
