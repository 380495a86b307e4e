"""The stock Python client, unmodified: no `vsn`, so serializer 1.0.0."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from realtime import AsyncRealtimeClient, RealtimeSubscribeStates

from tests.harness_realtime import TIMEOUT, Served, token


@pytest.fixture
async def client(served: Served) -> AsyncIterator[AsyncRealtimeClient]:
    stock = AsyncRealtimeClient(f"ws://{served.address}/socket", token())
    await stock.connect()
    yield stock
    await stock.close()


class Received:
    """What a callback was given, one after the other."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Any] = asyncio.Queue()

    def __call__(self, *given: Any) -> None:
        self.queue.put_nowait(given[0] if len(given) == 1 else given)

    async def next(self) -> Any:
        async with asyncio.timeout(TIMEOUT):
            return await self.queue.get()


async def subscribed(channel: Any) -> None:
    states = Received()
    await channel.subscribe(states)
    assert (await states.next())[0] == RealtimeSubscribeStates.SUBSCRIBED


async def test_changes_of_a_table_with_several_bindings(
    served: Served, client: AsyncRealtimeClient
):
    inserts, everything, ready = Received(), Received(), Received()
    channel = client.channel("todos")
    channel.on_postgres_changes("INSERT", table="todos", callback=inserts)
    channel.on_postgres_changes(
        "*", schema="public", table="todos", filter="task=eq.stock", callback=everything
    )
    channel.on_system(ready)
    await subscribed(channel)
    await ready.next()
    rows = await served.sql("insert into todos (task) values ('stock') returning id")
    for received in (inserts, everything):
        data = (await received.next())["data"]
        assert (data["type"], data["record"]["id"]) == ("INSERT", rows[0]["id"])
    await served.sql(f"update todos set done = true where id = {rows[0]['id']}")
    data = (await everything.next())["data"]
    assert (data["type"], data["old_record"]) == ("UPDATE", {"id": rows[0]["id"]})


async def test_broadcast_with_self_and_ack(client: AsyncRealtimeClient):
    received = Received()
    channel = client.channel(
        "talk",
        {
            "config": {
                "broadcast": {"self": True, "ack": True},
                "presence": {"key": "", "enabled": False},
                "private": False,
            }
        },
    )
    channel.on_broadcast("ping", received)
    await subscribed(channel)
    await channel.send_broadcast("ping", {"n": 1})
    assert (await received.next())["payload"] == {"n": 1}


async def test_presence(client: AsyncRealtimeClient):
    synced, joins, leaves = Received(), Received(), Received()
    channel = client.channel("lobby")
    channel.on_presence_sync(synced).on_presence_join(joins).on_presence_leave(leaves)
    await subscribed(channel)
    await channel.track({"n": 1})
    assert (await joins.next())[2][0]["n"] == 1
    await channel.track({"n": 2})
    assert (await joins.next())[2][0]["n"] == 2
    await leaves.next()
    await channel.untrack()
    assert (await leaves.next())[2][0]["n"] == 2
    assert channel.presence_state() == {}


async def test_a_new_token_for_a_live_channel(served: Served, client: AsyncRealtimeClient):
    user = "11111111-1111-4111-8111-111111111111"
    received, ready = Received(), Received()
    channel = client.channel("mine")
    channel.on_postgres_changes("INSERT", schema="public", table="secrets", callback=received)
    channel.on_system(ready)
    await subscribed(channel)
    await ready.next()
    await client.set_auth(token("authenticated", sub=user))
    await ready.next()
    await served.sql(f"insert into secrets values (900, '{user}', 'x')")
    assert (await received.next())["data"]["record"]["id"] == 900
    await served.sql("delete from secrets where id = 900")
