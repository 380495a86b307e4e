"""supabase-py's realtime client, which speaks serializer 1.0.0 because it names none."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from supabase import AsyncClient, AsyncClientOptions, acreate_client

from tests.harness_stack import Stack

SECONDS = 60
Box = asyncio.Queue[Any]


@pytest.fixture
async def clients(project_stack: Stack) -> AsyncIterator[Any]:
    """Makes clients with a key, and closes them all."""
    made: list[AsyncClient] = []
    async with httpx.AsyncClient() as http:

        async def make(key: str = "SUPABASE_PUBLISHABLE_KEY") -> AsyncClient:
            options = AsyncClientOptions(httpx_client=http, auto_refresh_token=False)
            url, secret = project_stack.url, project_stack.keys[key]
            made.append(await acreate_client(url, secret, options))
            return made[-1]

        yield make
        for client in made:
            await client.remove_all_channels()
            await client.realtime.close()


async def _next(box: Box) -> Any:
    return await asyncio.wait_for(box.get(), SECONDS)


async def _listen(client: AsyncClient, topic: str, *bindings: dict[str, Any]) -> list[Box]:
    """A channel that hears the bindings, each into a box, once its changes flow."""
    channel, system = client.channel(topic), Box()
    channel.on_system(system.put_nowait)
    boxes = [Box() for _ in bindings]
    for binding, box in zip(bindings, boxes, strict=True):
        channel.on_postgres_changes(callback=box.put_nowait, **binding)
    await channel.subscribe()
    assert (await _next(system)).message == "Subscribed to PostgreSQL"
    return boxes


async def _write(client: AsyncClient, table: str, row: dict[str, Any]) -> dict[str, Any]:
    return (await client.table(table).insert(row).execute()).data[0]


async def test_an_insert_an_update_and_a_delete(clients: Any) -> None:
    client, batch = await clients(), str(uuid.uuid4())
    binding = {"event": "*", "schema": "public", "table": "alarms", "filter": f"batch=eq.{batch}"}
    [box] = await _listen(client, "alarms", binding)
    row = await _write(client, "alarms", {"batch": batch, "level": 1})
    await client.table("alarms").update({"level": 2}).eq("id", row["id"]).execute()
    await client.table("alarms").delete().eq("id", row["id"]).execute()
    data = [(await _next(box))["data"] for _ in range(3)]
    assert [one["type"] for one in data] == ["INSERT", "UPDATE", "DELETE"]
    assert data[0]["record"] == row
    assert (data[1]["record"]["level"], data[1]["old_record"]) == (2, row)
    assert data[2]["old_record"] == {**row, "level": 2}


async def test_several_bindings_on_one_table_without_a_schema(clients: Any) -> None:
    client, batch = await clients(), str(uuid.uuid4())
    bindings = [
        {"event": event, "table": "readings", "filter": f"batch=eq.{batch}"}
        for event in ("INSERT", "UPDATE", "*")
    ]
    inserts, updates, both = await _listen(client, "readings", *bindings)
    row = await _write(client, "readings", {"batch": batch, "n": 1})
    await client.table("readings").update({"n": 2}).eq("id", row["id"]).execute()
    assert [(await _next(both))["data"]["type"] for _ in range(2)] == ["INSERT", "UPDATE"]
    assert (await _next(inserts))["data"]["record"]["n"] == 1
    assert (await _next(updates))["data"]["record"]["n"] == 2
    assert inserts.empty()
    assert updates.empty()


async def test_every_value_keeps_its_json_type(clients: Any) -> None:
    client, batch = await clients(), str(uuid.uuid4())
    [box] = await _listen(client, "types", {"event": "INSERT", "schema": "public", "table": "readings", "filter": f"batch=eq.{batch}"})  # fmt: skip
    sent = {
        "batch": batch, "n": -7, "amount": 1.25, "label": "ñ", "ok": True,
        "at": "2026-02-03T04:05:06+00:00", "day": "2026-02-03", "tags": ["a", "b,c"],
        "data": {"deep": [1, None]}, "ref": str(uuid.uuid4()),
    }  # fmt: skip
    row = await _write(client, "readings", sent)
    assert (await _next(box))["data"]["record"] == row == {"id": row["id"], **sent}


async def test_policies_decide_who_hears(clients: Any) -> None:
    people = []
    admin = await clients("SUPABASE_SECRET_KEY")
    for _ in range(2):
        credentials = {"email": f"p-{uuid.uuid4()}@example.com", "password": "secreto-123"}
        await admin.auth.admin.create_user({**credentials, "email_confirm": True})
        person = await clients()
        await person.auth.sign_in_with_password(credentials)
        people.append(person)
    batch = str(uuid.uuid4())
    bindings = [
        {"event": "*", "schema": "public", "table": "diary"},
        {"event": "*", "schema": "public", "table": "readings", "filter": f"batch=eq.{batch}"},
    ]
    mine, mine_end = await _listen(people[0], "diary", *bindings)
    others, others_end = await _listen(people[1], "diary", *bindings)
    await _write(people[0], "diary", {"body": "hola"})
    await _write(people[0], "readings", {"batch": batch})
    await _next(mine_end)
    await _next(others_end)
    assert (await _next(mine))["data"]["record"]["body"] == "hola"
    assert others.empty()


async def test_a_table_that_is_not_published_is_refused(clients: Any) -> None:
    client, states, system = await clients(), Box(), Box()
    channel = client.channel("none").on_system(system.put_nowait)
    channel.on_postgres_changes("*", lambda _change: None, table="unpublished", schema="public")
    await channel.subscribe(lambda state, error: states.put_nowait((state, error)))
    state, _ = await _next(states)
    assert state == "SUBSCRIBED"


async def test_broadcasts_reach_the_others(clients: Any) -> None:
    topic, received, own = f"lobby:{uuid.uuid4()}", Box(), Box()
    listener, sender = (await clients()).channel(topic), (await clients()).channel(topic)
    await listener.on_broadcast("said", received.put_nowait).subscribe()
    await sender.on_broadcast("said", own.put_nowait).subscribe()
    for n in range(3):
        await sender.send_broadcast("said", {"n": n})
    assert [(await _next(received))["payload"]["n"] for _ in range(3)] == [0, 1, 2]
    assert own.empty()


async def test_broadcasts_come_back_to_whoever_asked(clients: Any) -> None:
    own = Box()
    params = {
        "config": {"broadcast": {"self": True, "ack": True}, "presence": None, "private": False}
    }
    channel = (await clients()).channel(f"lobby:{uuid.uuid4()}", params)
    await channel.on_broadcast("said", own.put_nowait).subscribe()
    await channel.send_broadcast("said", {"n": 1})
    assert (await _next(own))["payload"] == {"n": 1}


async def test_a_broadcast_by_http(clients: Any) -> None:
    topic, received = f"lobby:{uuid.uuid4()}", Box()
    await (await clients()).channel(topic).on_broadcast("said", received.put_nowait).subscribe()
    await (await clients()).channel(topic).http_send("said", {"n": 1})
    assert (await _next(received))["payload"] == {"n": 1}


async def test_presence_is_shared_changed_and_taken_back(clients: Any) -> None:
    topic = f"lobby:{uuid.uuid4()}"
    joins, leaves = Box(), Box()
    watcher = (await clients()).channel(topic)
    watcher.on_presence_join(lambda key, _old, new: joins.put_nowait((key, new)))
    watcher.on_presence_leave(lambda key, _now, left: leaves.put_nowait((key, left)))
    await watcher.subscribe()
    params = {
        "config": {"broadcast": None, "presence": {"key": "ana", "enabled": True}, "private": False}
    }
    guest = (await clients()).channel(topic, params)
    await guest.subscribe()
    await guest.track({"mood": "calm"})
    key, new = await _next(joins)
    assert (key, new[0]["mood"]) == ("ana", "calm")
    await guest.track({"mood": "glad"})
    key, new = await _next(joins)
    assert (key, new[-1]["mood"]) == ("ana", "glad")
    assert [meta["mood"] for meta in watcher.presence_state()["ana"]] == ["glad"]
    await guest.untrack()
    while "ana" in watcher.presence_state():
        await _next(leaves)


async def test_a_private_room_is_closed_to_strangers(clients: Any) -> None:
    states = Box()
    params = {"config": {"broadcast": None, "presence": None, "private": True}}
    channel = (await clients()).channel("room:1", params)
    await channel.subscribe(lambda state, error: states.put_nowait((state, error)))
    state, error = await _next(states)
    assert state == "CHANNEL_ERROR"
    assert "Unauthorized" in str(error)


@pytest.mark.parametrize(("scope", "left"), [("others", ["first"]), ("global", [])])
async def test_signing_out_elsewhere_closes_channels(clients: Any, scope: str, left: Any) -> None:
    admin = await clients("SUPABASE_SECRET_KEY")
    credentials = {"email": f"p-{uuid.uuid4()}@example.com", "password": "secreto-123"}
    await admin.auth.admin.create_user({**credentials, "email_confirm": True})
    devices: dict[str, AsyncClient] = {}
    states: dict[str, Box] = {}
    for name in ("first", "second", "third"):
        devices[name] = await clients()
        await devices[name].auth.sign_in_with_password(credentials)
        box = states[name] = Box()
        channel = devices[name].channel(f"lobby:{uuid.uuid4()}")
        await channel.subscribe(lambda state, _error, box=box: box.put_nowait(state))
        assert await _next(box) == "SUBSCRIBED"
    token = (await devices["first"].auth.get_session()).access_token
    await admin.auth.admin.sign_out(token, scope)
    for name in devices.keys() - left:
        while await _next(states[name]) != "CLOSED":
            pass
    assert all(states[name].empty() for name in left)
