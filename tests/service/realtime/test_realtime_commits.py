"""A commit stands in the log before others see its rows: subscribers must not miss it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.harness_realtime import Served, token

USER = "11111111-1111-4111-8111-111111111111"
SECRETS = {"event": "*", "schema": "public", "table": "secrets"}
INSERT = f"insert into secrets values (77, '{USER}', 'x')"
WAITING = "select from pg_stat_activity where wait_event = 'SyncRep'"


@asynccontextmanager
async def logged_but_unseen(served: Served, statement: str) -> AsyncIterator[None]:
    """A commit that waits for a standby that does not exist: streamed, and seen after the block."""
    await served.sql(
        "alter system set synchronous_standby_names = 'nobody'", "select pg_reload_conf()"
    )
    try:
        waiting = asyncio.ensure_future(served.sql("set synchronous_commit = on", statement))
        while not await served.sql(WAITING):
            assert not waiting.done(), waiting.result()
        yield
    finally:
        await served.sql("alter system reset synchronous_standby_names", "select pg_reload_conf()")
    await waiting


async def test_a_commit_streamed_before_it_is_visible_is_told_once_it_is(served: Served):
    async with served.connect(token("authenticated", sub=USER)) as client:
        await client.subscribe(SECRETS)
        async with logged_but_unseen(served, INSERT):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.change(), 0.5)
        # The waiting commit is let go by a background process that looks every few seconds.
        assert (await client.change(60))["data"]["record"]["id"] == 77
