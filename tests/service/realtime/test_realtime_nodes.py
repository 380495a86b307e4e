"""Two nodes and a real redis-server: broadcasts and presence cross, Redis may come and go."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
import websockets
from redis import Redis as RedisClient

from compat_base.values import jwt
from realtime_compat.cluster.messages import BusMessage, Gone, topic_of
from realtime_compat.cluster.signing import Signer, project_of
from realtime_compat.hub import Published
from realtime_compat.protocol.messages import Message, RoomName
from tests.harness_programs import free_port
from tests.harness_realtime import (
    FAR,
    SECRET,
    TIMEOUT,
    Client,
    Served,
    realtime_process,
    serve_realtime,
    token,
)

TODOS = {"event": "*", "schema": "public", "table": "todos"}
ENTRIES = "select count(*)::int as n from realtime.subscription"
ROOT = Path(__file__).resolve().parents[3]
CHANNEL = project_of(SECRET).room(topic_of(RoomName("room", is_private=False)))


@dataclass
class Redis:
    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = field(default=None)

    def start(self) -> None:
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--save", "", "--dir", str(self.folder)],
            stdout=subprocess.DEVNULL,
        )

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    if shutil.which("redis-server") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "redis-server"],
            stdout=subprocess.DEVNULL,
            check=False,
        )
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed on this machine and cannot be")
    server = Redis(tmp_path_factory.mktemp("redis"), free_port())
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def nodes(
    server, realtime_database: str, redis: Redis
) -> AsyncIterator[tuple[Served, Served]]:
    url = f"redis://127.0.0.1:{redis.port}/0"
    async with AsyncExitStack() as stack:
        pair = [
            await stack.enter_async_context(
                serve_realtime(server.url(realtime_database), REDIS_URL=url)
            )
            for _ in range(2)
        ]
        for node in pair:
            await observed(node, "node_met")
        yield pair[0], pair[1]


async def observed(node: Served, name: str, times: int = 1) -> None:
    async with asyncio.timeout(TIMEOUT):
        while sum(seen.name == name for seen in node.observed) < times:  # noqa: ASYNC110 — a list has no event
            await asyncio.sleep(0.02)


async def track(client: Client, value: dict[str, object]) -> None:
    await client.send("realtime:room", "presence", {"event": "track", "payload": value})


async def presences(client: Client, wanted: set[str]) -> None:
    """Follow differences until exactly these keys are present."""
    present = set(await client.until("presence_state"))
    while present != wanted:
        diff = await client.until("presence_diff")
        present = (present - set(diff["leaves"])) | set(diff["joins"])


async def test_a_broadcast_crosses_nodes(nodes: tuple[Served, Served]):
    one, two = nodes
    async with one.connect() as sender, two.connect() as receiver:
        await sender.join()
        await receiver.join()
        await sender.send("realtime:room", "broadcast", {"n": 1})
        assert await receiver.until("broadcast") == {"n": 1}


async def test_a_node_is_woken_by_the_rooms_that_have_a_member_here_alone(
    nodes: tuple[Served, Served], redis: Redis
):
    one, two = nodes
    async with one.connect() as far, two.connect() as member:
        await far.join("elsewhere")
        await member.join()
        assert await asyncio.to_thread(subscribers_of_room, redis) == 1
        await far.join()
        assert await asyncio.to_thread(subscribers_of_room, redis) == 2
        for client in (far, member):
            await client.send("realtime:room", "phx_leave", {})
            await client.until("phx_close")
        async with asyncio.timeout(TIMEOUT):
            while await asyncio.to_thread(subscribers_of_room, redis):  # noqa: ASYNC110 — Redis's
                await asyncio.sleep(0.02)


def subscribers_of_room(redis: Redis) -> int:
    """How many nodes hear what is said in the room."""
    with RedisClient(port=redis.port) as client:
        [(_, count)] = client.pubsub_numsub(CHANNEL)
        return count


async def test_a_broadcast_that_is_sent_on_seeing_a_join_answered_comes(
    nodes: tuple[Served, Served],
):
    one, two = nodes
    async with one.connect() as sender, two.connect() as receiver:
        await sender.join("first")
        for number in range(20):
            room = f"room-{number}"
            await sender.join(room)
            await receiver.join(room)
            await sender.send(f"realtime:{room}", "broadcast", {"n": number})
            assert await receiver.until("broadcast") == {"n": number}


async def test_sockets_of_all_nodes_count_towards_the_projects_limit(
    server, realtime_database: str, redis: Redis
):
    variables = {
        "REDIS_URL": f"redis://127.0.0.1:{redis.port}/0",
        "TENANT_MAX_CONCURRENT_USERS": "2",
    }
    database = server.url(realtime_database)
    async with (
        serve_realtime(database, **variables) as one,
        serve_realtime(database, **variables) as two,
    ):
        for node in (one, two):
            await observed(node, "node_met")
        async with one.connect(), one.connect():
            assert await is_refused(two)
        async with asyncio.timeout(TIMEOUT):
            while await is_refused(two, at_once=True):  # noqa: ASYNC110 — the other node tells
                await asyncio.sleep(0.1)


async def is_refused(node: Served, *, at_once: bool = False) -> bool:
    """Whether a node takes no more sockets, at last or already."""
    async with asyncio.timeout(TIMEOUT):
        while True:
            try:
                async with node.connect():
                    if at_once:
                        return False
            except websockets.InvalidStatus as refused:
                return b"Too many connected users" in refused.response.body
            await asyncio.sleep(0.1)


async def test_a_long_poll_goes_on_at_either_node(nodes: tuple[Served, Served]):
    opened = await poll(nodes[0], "")
    assert opened["status"] == 410
    session = opened["token"]
    join = ["1", "1", "realtime:room", "phx_join", {"config": {}}]
    assert (await poll(nodes[1], session, join))["status"] == 200
    frames: list[str] = []
    while not any("phx_reply" in each for each in frames):
        answer = await poll(nodes[1], session)
        assert answer["status"] in {200, 204}
        frames += answer.get("messages", [])
    of_nobody = session[:-2] + ("00" if session[-2:] != "00" else "11")
    assert (await poll(nodes[1], of_nobody))["status"] == 410


async def poll(node: Served, session: str, frame: object = None) -> Any:
    """One request of a long poll; its answer's body."""
    url = f"http://{node.address}/longpoll?vsn=2.0.0&apikey={token()}&token={session}"
    async with httpx2.AsyncClient(timeout=60) as client:
        answer = await (client.get(url) if frame is None else client.post(url, json=frame))
    return answer.json()


async def test_a_database_message_is_heard_once_on_every_node(nodes: tuple[Served, Served]):
    one, two = nodes
    async with one.connect(vsn="1.0.0") as first, two.connect(vsn="1.0.0") as second:
        for client in (first, second):
            await client.join(broadcast={"replication_ready": True})
            await client.until("system")
        await one.sql("select realtime.send('{}', 'e', 'room', false)")
        for client in (first, second):
            await client.until("broadcast")
            assert await client.frames_until_heartbeat() == []


async def test_presence_crosses_nodes_and_ends_with_them(nodes: tuple[Served, Served]):
    one, two = nodes
    async with one.connect() as watcher:
        await watcher.join(presence={"enabled": True, "key": "watcher"})
        async with two.connect() as member:
            await member.join(presence={"key": "member"})
            await track(member, {"n": 1})
            await presences(watcher, {"member"})
            async with one.connect() as late:
                await late.join(presence={"enabled": True})
                assert set(await late.until("presence_state")) == {"member"}
        assert "member" in (await watcher.until("presence_diff"))["leaves"]


async def test_redis_may_go_and_come_back(nodes: tuple[Served, Served], redis: Redis):
    one, two = nodes
    async with one.connect() as watcher, two.connect() as member:
        await watcher.join(presence={"enabled": True})
        await member.join(presence={"key": "before"})
        await track(member, {})
        await presences(watcher, {"before"})
        redis.stop()
        for node in nodes:
            await observed(node, "bus_down")
        async with one.connect() as neighbour:
            await neighbour.join()
            await watcher.send("realtime:room", "broadcast", {"alone": True})
            assert await neighbour.until("broadcast") == {"alone": True}
        await track(member, {"changed": True})
        for number in range(3):
            await member.send("realtime:room", "broadcast", {"held": number})
        redis.start()
        for node in nodes:
            await observed(node, "bus_up", 2)
        diff = await watcher.until("presence_diff")
        assert diff["joins"]["before"]["metas"][0]["changed"] is True
        assert [await watcher.until("broadcast") for _ in range(3)] == [
            {"held": number} for number in range(3)
        ]
        await member.send("realtime:room", "broadcast", {"back": True})
        assert await watcher.until("broadcast") == {"back": True}


async def test_what_is_said_while_a_nodes_connection_is_cut_is_told_on_its_return(
    nodes: tuple[Served, Served], redis: Redis, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("realtime_compat.cluster.bus.FIRST_BACKOFF", 2.0)
    one, two = nodes
    async with one.connect() as sender, two.connect() as listener:
        await sender.join()
        for room in ("room", "another"):  # by which its connection is found
            await listener.join(room)
        await sender.send("realtime:room", "broadcast", {"n": 1})
        assert await listener.until("broadcast") == {"n": 1}
        await asyncio.to_thread(cut_the_one_with_most_channels, redis)
        await observed(two, "bus_down")
        await sender.send("realtime:room", "broadcast", {"n": 2})
        await observed(two, "bus_up", 2)
        notice = await listener.until("system")
        assert notice["message"] == "Messages were lost on the way between servers, please reload"
        await sender.send("realtime:room", "broadcast", {"n": 3})
        assert await listener.until("broadcast") == {"n": 3}
        assert not one.has_observed("bus_down")


def cut_the_one_with_most_channels(redis: Redis) -> None:
    with RedisClient(port=redis.port) as client:
        listed = client.client_list(_type="pubsub")
        found = max(listed, key=lambda each: int(each["sub"]))
        assert client.client_kill_filter(_id=found["id"])


async def test_a_redis_that_hangs_is_left_and_found_again(
    nodes: tuple[Served, Served], redis: Redis, monkeypatch: pytest.MonkeyPatch
):
    one, two = nodes
    monkeypatch.setattr("realtime_compat.cluster.redis_connection.SILENT_SECONDS", 0.2)
    monkeypatch.setattr("realtime_compat.cluster.bus.SILENT_SECONDS", 0.2)
    assert redis.process is not None
    async with one.connect() as sender, two.connect() as listener:
        await sender.join()
        await listener.join()
        redis.process.send_signal(signal.SIGSTOP)
        try:
            for node in nodes:
                await observed(node, "bus_down")
            await sender.send("realtime:room", "broadcast", {"held": True})
        finally:
            monkeypatch.undo()
            redis.process.send_signal(signal.SIGCONT)
        assert await listener.until("broadcast") == {"held": True}


async def test_the_members_of_a_node_that_died_leave_and_the_next_start_forgets_its_rows(
    server, realtime_database: str, redis: Redis
):
    url = f"redis://127.0.0.1:{redis.port}/0"
    process, address = await asyncio.to_thread(
        realtime_process, server.url(realtime_database), REDIS_URL=url
    )
    async with serve_realtime(server.url(realtime_database), REDIS_URL=url) as node:
        await observed(node, "node_met")
        dying = Served(address, node.settings, node.database_url, [])
        async with node.connect() as watcher:
            await watcher.join(presence={"enabled": True})
            member_context = dying.connect()
            member = await member_context.__aenter__()
            await member.join(presence={"key": "doomed"})
            await track(member, {})
            await presences(watcher, {"doomed"})
            follower_context = dying.connect()
            await (await follower_context.__aenter__()).subscribe(TODOS)
            assert (await node.sql(ENTRIES))[0]["n"] == 1
            process.send_signal(signal.SIGKILL)
            await asyncio.to_thread(process.wait)
            assert "doomed" in (await watcher.until("presence_diff"))["leaves"]
            for context in (member_context, follower_context):
                await context.__aexit__(None, None, None)
        async with serve_realtime(server.url(realtime_database), REDIS_URL=url):
            async with asyncio.timeout(TIMEOUT):
                while (await node.sql(ENTRIES))[0]["n"]:  # noqa: ASYNC110 — in the database
                    await asyncio.sleep(0.05)
        rows = await node.sql(
            "select count(*) as n from pg_replication_slots where slot_name like 'realtime_%' and not temporary"
        )
        assert rows[0]["n"] == 0


def publish(redis: Redis, channel: str, *messages: bytes) -> int:
    """Publish messages; how many nodes heard the last one."""
    with RedisClient(port=redis.port) as client:
        return [client.publish(channel, message) for message in messages][-1]


def all_refused(node: Served) -> int:
    """How many messages a node has dropped, by its own metrics."""
    headers = {"authorization": f"Bearer {token('metrics')}"}
    answer = httpx2.get(f"http://{node.address}/metrics", headers=headers)
    found = re.findall(r"realtime_bus_refused_total\{reason=.\w+.\} (\d+)", answer.text)
    return sum(map(int, found))


async def refuses(node: Served, count: int) -> None:
    """Wait until a node has dropped so many messages."""
    async with asyncio.timeout(TIMEOUT):
        while await asyncio.to_thread(all_refused, node) < count:  # noqa: ASYNC110 — read over HTTP
            await asyncio.sleep(0.1)


async def test_projects_that_share_a_redis_hear_nothing_of_each_other(
    server, realtime_database: str, redis: Redis
):
    url = f"redis://127.0.0.1:{redis.port}/0"
    other = "another-secret-of-another-project-on-one-redis"
    database = server.url(realtime_database)
    async with (
        serve_realtime(database, REDIS_URL=url) as one,
        serve_realtime(database, REDIS_URL=url, API_JWT_SECRET=other) as two,
    ):
        for node in (one, two):
            await observed(node, "bus_up")
        key = jwt.sign({"role": "anon", "exp": FAR}, jwt.secret_key(other))
        async with one.connect() as sender, two.connect(key) as stranger:
            await sender.join()
            await stranger.join()
            await sender.send("realtime:room", "broadcast", {"n": 1})
            assert await stranger.frames_until_heartbeat() == []
        assert not one.has_observed("node_met")
        assert not two.has_observed("bus_refused")


async def test_ten_thousand_bad_messages_are_dropped_and_counted(
    server, realtime_database: str, redis: Redis
):
    url = f"redis://127.0.0.1:{redis.port}/0"
    variables = {"REDIS_URL": url, "METRICS_JWT_SECRET": SECRET}
    database = server.url(realtime_database)
    project = project_of(SECRET)
    async with AsyncExitStack() as stack:
        one, two = [
            await stack.enter_async_context(serve_realtime(database, **variables)) for _ in range(2)
        ]
        for node in (one, two):
            await observed(node, "node_met")
        receiver = await stack.enter_async_context(one.connect())
        sender = await stack.enter_async_context(two.connect())
        for client in (receiver, sender):
            await client.join(presence={"enabled": True})
            await client.until("presence_state")
        genuine = await recorded(redis, CHANNEL, sender)
        assert await receiver.until("broadcast") == {"n": "recorded"}
        body = Published(RoomName("room", False), Message("realtime:room", "broadcast", "{}"))
        foreign = Signer(project_of("a-secret-that-is-not-the-projects"), "00" * 8)
        gone = Signer(project, "11" * 8)  # signed well, and of a node that is not there
        ours = Signer(project, "22" * 8)
        unreadable = [
            b'["x",1,"message","t"]', b"", b"rt4", b"\xff\xfe" * 40, b"[" * 5000,
            b'[1,"track",["t"],false,1,"k","r",{},null,"n"]\n', genuine[:60], genuine[::-1],
        ]  # fmt: skip
        messages = [
            *(unreadable[n % len(unreadable)] for n in range(2500)),
            *(foreign.sign(BusMessage("", 1, body), CHANNEL) for _ in range(2500)),
            *(genuine for _ in range(2500)),
            *(gone.sign(BusMessage("", 1, body), CHANNEL) for _ in range(2499)),
            wrong_body(ours, b'[1,0,0,"message","t"]\n{}'),
        ]
        before = await asyncio.to_thread(all_refused, one)
        assert await asyncio.to_thread(publish, redis, CHANNEL, *messages) == 2
        await refuses(one, before + len(messages))
        assert await receiver.frames_until_heartbeat() == []
        await sender.send("realtime:room", "broadcast", {"n": "after"})
        assert await receiver.until("broadcast") == {"n": "after"}
        for node in (one, two):
            assert not node.has_observed("bus_down")
            assert not node.has_observed("task_failed")


async def test_a_letter_of_a_hundred_megabytes_does_not_end_the_bus(
    nodes: tuple[Served, Served], redis: Redis
):
    one, two = nodes
    async with one.connect() as sender, two.connect() as receiver:
        await sender.join()
        await receiver.join()
        channel = project_of(SECRET).channel
        await asyncio.to_thread(publish, redis, channel, b"[" * 100_000_000)
        frames: list[object] = []
        async with asyncio.timeout(TIMEOUT):
            while not frames:  # Redis itself may cut who lags so far behind; then they come back
                await sender.send("realtime:room", "broadcast", {"n": 1})
                frames = await receiver.frames_until_heartbeat()
        assert not one.has_observed("task_failed")


async def test_a_room_that_overflows_is_told_and_no_other_loses_a_word(
    server, realtime_database: str, redis: Redis, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("realtime_compat.cluster.waiting.MAX_ROOM_BYTES", 1_000_000)
    variables = {
        "REDIS_URL": f"redis://127.0.0.1:{redis.port}/0",
        "REALTIME_BYTES_PER_SECOND": "1000000000",
    }
    assert redis.process is not None
    async with AsyncExitStack() as stack:
        one, two = [
            await stack.enter_async_context(
                serve_realtime(server.url(realtime_database), **variables)
            )
            for _ in range(2)
        ]
        for node in (one, two):
            await observed(node, "node_met")
        loud, calm = [await stack.enter_async_context(one.connect()) for _ in range(2)]
        far_loud, far_calm = [await stack.enter_async_context(two.connect()) for _ in range(2)]
        for client, room in (
            (loud, "loud"),
            (calm, "calm"),
            (far_loud, "loud"),
            (far_calm, "calm"),
        ):
            await client.join(room)
        redis.process.send_signal(signal.SIGSTOP)
        try:
            for number in range(20):
                for _ in range(3):  # of a size after which the socket is read on at once
                    await loud.send("realtime:loud", "broadcast", {"body": "x" * 250_000})
                await calm.send("realtime:calm", "broadcast", {"n": number})
            for client in (loud, calm):
                await client.frames_until_heartbeat()  # everything is taken in
            assert one.has_observed("bus_overflow")
        finally:
            redis.process.send_signal(signal.SIGCONT)
        received = [(await far_calm.until("broadcast"))["n"] for _ in range(20)]
        assert received == list(range(20))
        notice = await far_loud.until("system")
        assert (notice["extension"], notice["status"]) == ("broadcast", "error")
        assert notice["message"] == "Messages were lost on the way between servers, please reload"
        await loud.send("realtime:loud", "broadcast", {"n": "after"})
        while "n" not in (await far_loud.until("broadcast")):
            pass
        assert "system" not in [frame[3] for frame in far_calm.seen]


async def recorded(redis: Redis, channel: str, sender: Client) -> bytes:
    """The message that carries a broadcast, as somebody on the same Redis sees it."""
    with RedisClient(port=redis.port) as client, client.pubsub() as listening:
        listening.subscribe(channel)
        confirmed = await asyncio.to_thread(listening.get_message, timeout=TIMEOUT)
        assert confirmed is not None
        await sender.send("realtime:room", "broadcast", {"n": "recorded"})
        async with asyncio.timeout(TIMEOUT):
            while True:
                found = await asyncio.to_thread(listening.get_message, timeout=1)
                if found is not None and b"recorded" in found["data"]:
                    return found["data"]


def wrong_body(signer: Signer, body: bytes) -> bytes:
    """A message with a good signature whose body is none."""
    tail = signer.sign(BusMessage("", 1, Gone()))[35:51] + body
    return b"rt4" + signer.mac(tail, CHANNEL) + tail
