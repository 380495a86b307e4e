"""Realtime over several workers: whoever hears whom, through the deaths of workers and broker."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import asyncpg
import httpx2
import pytest

from tests.harness_live import Frame, Live
from tests.harness_stack import Stack, start_stack
from tests.harness_states import until as soon
from tests.harness_workers import (
    broker_of,
    children,
    is_ready,
    sockets_of_each,
    until,
    workers,
)

WORKERS = 2
TIMEOUT = 60.0
ROOM = "realtime:room"
OPEN = {"config": {"broadcast": {"self": False}, "presence": {"key": "", "enabled": True}}}
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    started = start_stack(tmp_path_factory.mktemp("workers") / "data", WORKERS=str(WORKERS))
    yield started
    started.stop()


@pytest.fixture
async def pair(stack: Stack) -> AsyncIterator[tuple[Live, Live]]:
    """Sockets at two workers."""
    until(lambda: is_ready(stack), "ready")
    async with sockets_of_each(stack, stack.keys["SUPABASE_ANON_KEY"], WORKERS) as found:
        one, other = found.values()
        yield one, other


def fresh_room() -> str:
    return f"{ROOM}-{next(_numbers)}"


async def join(live: Live, room: str, **presence: Any) -> None:
    answer = await live.reply(room, "phx_join", OPEN)
    assert answer["status"] == "ok", answer
    if presence:
        tracked = {"type": "presence", "event": "track", "payload": presence}
        answer = await live.reply(room, "presence", tracked)
        assert answer["status"] == "ok", answer


async def broadcast(live: Live, room: str, number: int) -> None:
    message = {"type": "broadcast", "event": "e", "payload": {"n": number}}
    await live.push(room, "broadcast", message)


async def receive_until(live: Live, room: str, numbers: list[int], last: int) -> None:
    """Add what is broadcast, up to the last."""
    while last not in numbers:
        frame = await live.take_frame(lambda f: f.event == "broadcast" and f.topic == room)
        numbers.append(frame.payload["payload"]["n"])


def is_diff(kind: str, name: str) -> Callable[[Frame], bool]:
    def fits(frame: Frame) -> bool:
        if frame.event != "presence_diff":
            return False
        metas = [meta for each in frame.payload[kind].values() for meta in each["metas"]]
        return any(meta.get("name") == name for meta in metas)

    return fits


async def test_broadcasts_cross_once_and_in_order(pair: tuple[Live, Live]):
    one, other = pair
    room = fresh_room()
    await join(one, room)
    await join(other, room)
    received: list[int] = []
    for number in range(300):
        await broadcast(one, room, number)
    await receive_until(other, room, received, 299)
    assert received == list(range(300))


async def test_a_broadcast_by_http_is_heard_at_every_worker(stack: Stack, pair: tuple[Live, Live]):
    room = fresh_room()
    for live in pair:
        await join(live, room)
    topic = room.removeprefix("realtime:")
    message = {"topic": topic, "event": "e", "payload": {"n": 1}}
    async with httpx2.AsyncClient() as client:
        key = stack.keys["SUPABASE_SERVICE_ROLE_KEY"]
        answer = await client.post(
            f"{stack.url}/realtime/v1/api/broadcast",
            json={"messages": [message]},
            headers={"apikey": key, "authorization": f"Bearer {key}"},
        )
    assert answer.status_code == 202
    for live in pair:
        await receive_until(live, room, [], 1)


async def test_a_join_is_answered_once_what_others_send_comes(
    stack: Stack, pair: tuple[Live, Live]
):
    one, other = pair
    room = fresh_room()
    await join(one, room)
    broker = broker_of(stack)
    os.kill(broker, signal.SIGSTOP)
    try:
        ref = await other.push(room, "phx_join", OPEN)
        await other.settle()  # a heartbeat is answered meanwhile, the join is not
        assert [f for f in other.kept if f.event == "phx_reply" and f.ref == ref] == []
    finally:
        os.kill(broker, signal.SIGCONT)
    answer = await other.take_frame(lambda f: f.event == "phx_reply" and f.ref == ref)
    assert answer.payload["status"] == "ok"
    await broadcast(one, room, 1)
    await receive_until(other, room, [], 1)


async def test_who_joins_sees_who_is_present_elsewhere(pair: tuple[Live, Live]):
    one, other = pair
    room = fresh_room()
    await join(one, room, name="one")
    await one.take_frame(is_diff("joins", "one"))
    # The state of a room at another worker is whole a moment later.
    await join(other, room)
    state = await other.take_frame(lambda f: f.event in {"presence_state", "presence_diff"})
    if "one" not in json.dumps(state.payload):
        await other.take_frame(is_diff("joins", "one"))
    answer = await one.reply(room, "phx_leave", {})
    assert answer["status"] == "ok"
    await other.take_frame(is_diff("leaves", "one"))


async def test_those_present_at_a_worker_that_dies_have_left_and_others_stay(stack: Stack):
    until(lambda: is_ready(stack), "ready")
    async with sockets_of_each(stack, stack.keys["SUPABASE_ANON_KEY"], WORKERS) as found:
        (dying, one), (_, other) = found.items()
        room = fresh_room()
        await join(one, room, name="one")
        await join(other, room, name="other")
        await one.take_frame(is_diff("joins", "other"))
        os.kill(dying, signal.SIGKILL)
        await other.take_frame(is_diff("leaves", "one"))
        until(lambda: len(workers(stack)) == WORKERS and is_ready(stack), "ready")
        async with sockets_of_each(stack, stack.keys["SUPABASE_ANON_KEY"], WORKERS) as again:
            newest = next(live for pid, live in again.items() if pid not in found)
            await join(newest, room, name="new")
            state = await newest.take_frame(lambda f: f.event == "presence_state")
            if "other" not in json.dumps(state.payload):
                await newest.take_frame(is_diff("joins", "other"))
            await other.take_frame(is_diff("joins", "new"))


async def test_brokers_die_and_each_broadcast_is_heard_once_and_in_order(
    stack: Stack, pair: tuple[Live, Live]
):
    one, other = pair
    room = fresh_room()
    await join(one, room, name="one")
    await join(other, room)
    count = 400
    received: list[int] = []
    listening = asyncio.create_task(receive_until(other, room, received, count - 1))
    try:
        for number in range(count):
            await broadcast(one, room, number)
            if number % 100 == 50:
                broker = broker_of(stack)
                os.kill(broker, signal.SIGKILL)
                await soon(
                    lambda gone=broker: gone not in children(stack.process.pid), "it is dead"
                )
        await asyncio.wait_for(listening, TIMEOUT)
    finally:
        listening.cancel()
    assert received == list(range(count))
    left = [f for f in other.kept if f.event == "presence_diff" and f.payload["leaves"]]
    assert left == []


async def test_a_change_is_heard_once_at_each_worker(stack: Stack, pair: tuple[Live, Live]):
    connection = await asyncpg.connect(stack.keys["DATABASE_URL"])
    try:
        await connection.execute(
            "create table if not exists public.pasos (id int primary key);"
            "grant select on public.pasos to anon;"
            "do $$ begin alter publication supabase_realtime add table public.pasos;"
            " exception when duplicate_object then null; end $$"
        )
        wanted = {"event": "INSERT", "schema": "public", "table": "pasos"}
        for live in pair:
            answer = await live.reply(
                "realtime:pasos", "phx_join", {"config": {"postgres_changes": [wanted]}}
            )
            assert answer["status"] == "ok", answer
            frame = await live.take_frame(lambda f: f.event == "system")
            assert frame.payload["status"] == "ok", frame
        await connection.execute("insert into public.pasos select generate_series(1, 200)")
        for live in pair:
            ids: list[int] = []
            while 200 not in ids:
                frame = await live.take_frame(lambda f: f.event == "postgres_changes")
                ids.append(frame.payload["data"]["record"]["id"])
            assert ids == list(range(1, 201))
    finally:
        await connection.close()


async def test_a_new_table_is_known_at_every_worker(stack: Stack):
    until(lambda: is_ready(stack), "ready")
    name = f"nueva_{next(_numbers)}"
    connection = await asyncpg.connect(stack.keys["DATABASE_URL"])
    try:
        await connection.execute(
            f"create table public.{name} (id int); grant select on public.{name} to anon;"
            " notify pgrst, 'reload schema'"
        )
    finally:
        await connection.close()
    key = stack.keys["SUPABASE_ANON_KEY"]

    async def found() -> bool:
        async with httpx2.AsyncClient() as client:
            answer = await client.get(f"{stack.url}/rest/v1/{name}", headers={"apikey": key})
            return answer.status_code == 200

    async def known_everywhere() -> bool:
        return all([await found() for _ in range(12)])

    end = time.monotonic() + TIMEOUT
    while not await known_everywhere():
        assert time.monotonic() < end
