"""Realtime figures: this process makes the load, the service runs in another.

Pages each figure stands the original's on a machine of this kind, where it was measured
(issue 6), or the target. `python -m bench.realtime_bench [idle bare …]` runs some of them.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import asyncpg
import uvloop

from bench import realtime_filters
from bench.figures import Figure, keep
from bench.realtime_client import LightClient
from bench.realtime_place import (
    INSERT_OPEN,
    Place,
    Times,
    at_rate,
    changes,
    close,
    join,
    many,
    mark,
    running,
    served,
    shown,
    until,
    user,
    user_token,
)


async def bench_one(place: Place) -> None:
    """One subscriber."""
    times = Times()
    client = await join(place, times.received, postgres_changes=changes("open"))
    connection = await asyncpg.connect(place.url)
    await at_rate(50, 6, lambda _: connection.execute(INSERT_OPEN, mark()))
    await asyncio.sleep(0.5)
    print(f"one subscriber, 50 changes/s: {times.shown()}")
    print("   original p50 261, p95 489; target p50 <= 5")
    keep(Figure("commit to frame, one subscriber", times.percentile(50), "ms", 5))
    await connection.close()
    times.delays.clear()
    total = 6000

    async def write() -> None:
        own = await asyncpg.connect(place.url)
        for _ in range(total // 4):
            await own.execute(INSERT_OPEN, mark())
        await own.close()

    start, cpu = time.monotonic(), place.cpu()
    await asyncio.gather(*(write() for _ in range(4)))
    written = time.monotonic() - start
    received = written + await until(lambda: len(times.delays) >= total)
    used = place.used(cpu)
    print(f"one subscriber, 4 writers as fast as they can: written {total / written:.0f}/s,")
    print(f"   delivered {len(times.delays) / received:.0f}/s, {times.shown()}, {used}")
    print("   target 1000/s")
    delivered = len(times.delays) / received
    keep(Figure("changes to one subscriber", delivered, "a second", 1000, at_least=True))
    client.close()


async def bench_join(place: Place) -> None:
    """How long a join with changes takes: one after the other, and 200 at once."""
    seconds: list[float] = []

    async def timed(number: int) -> LightClient:
        start = time.monotonic()
        wanted = changes("own")
        client = await join(place, lambda _: None, key=user_token(number), postgres_changes=wanted)
        seconds.append(time.monotonic() - start)
        return client

    clients = [await timed(number) for number in range(100)]
    print(f"socket and join with changes, one after the other: {shown(seconds)}")
    seconds.clear()
    clients += await asyncio.gather(*(timed(number) for number in range(200)))
    print(f"socket and join with changes, 200 at once: {shown(seconds)}")
    close(clients)


async def bench_rls(place: Place) -> None:
    """500 subscribers of distinct users under row-level security."""
    for table, rate in (("own", 80), ("shared", 10), ("shared", 40), ("shared", 80)):
        await rls_at(place, table, rate)
    print("   original at 40/s 295 / 737; target p95 <= 100 at 80/s")


async def rls_at(place: Place, table: str, rate: float) -> None:
    """Changes at a rate, seen by their owner or by all."""
    times = Times()
    wanted = changes(table)
    clients = await many(
        500, lambda n: join(place, times.received, key=user_token(n), postgres_changes=wanted)
    )
    connection = await asyncpg.connect(place.url)
    cpu = place.cpu()

    async def write(number: int) -> None:
        await connection.execute(
            f"insert into {table} (owner, mark) values ($1, $2)", user(number % 500), mark()
        )

    await at_rate(rate, 8, write)
    used = place.used(cpu)
    await asyncio.sleep(2)
    seen = "their owner" if table == "own" else "all"
    name = f"500 users, RLS, {rate} changes/s seen by {seen}"
    print(f"{name}: {times.shown()}, {used}")
    keep(Figure(f"{name}, 95 %", times.percentile(95), "ms", 100))
    close(clients)
    await connection.close()


async def bench_broadcast(place: Place) -> None:
    """1,000 members, 10 messages a second; and as fast as it goes, against a bare loop."""
    times = Times()
    clients = await many(1000, lambda _: join(place, times.received))
    sender = await join(place, lambda _: None)
    cpu = place.cpu()

    async def send(_: int) -> None:
        sender.send([None, "9", "realtime:room", "broadcast", {"mark": mark()}])

    await at_rate(10, 8, send)
    used = place.used(cpu)
    await asyncio.sleep(1)
    print(f"broadcast, 1,000 members x 10/s: {times.shown()}, {used}   (original 12, 31, 49)")
    times.delays.clear()
    for number in range(50):
        await send(number)
    spent = await until(lambda: len(times.delays) >= 50_000)
    place.fan_out = len(times.delays) / spent
    print(f"broadcast, 50 at once to 1,000 members: {place.fan_out:.0f} deliveries/s")
    close([*clients, sender])


BARE = """
import asyncio, sys
sys.path.insert(0, {root!r})
from compat_base.server import Server, serve
from compat_base.sockets import listen
members = []
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive(); await send({{"type": "lifespan.startup.complete"}})
        await receive(); await send({{"type": "lifespan.shutdown.complete"}}); return
    await receive(); await send({{"type": "websocket.accept"}})
    members.append(send)
    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            members.remove(send); return
        if "phx_join" in message["text"]:
            await send({{"type": "websocket.send", "text": "phx_reply"}}); continue
        for member in list(members):
            await member({{"type": "websocket.send", "text": message["text"]}})
async def main():
    bound = listen("127.0.0.1", 0)
    print(bound.getsockname()[1], flush=True)
    await serve(Server(app), [bound])
import uvloop
uvloop.run(main())
"""


async def bench_bare(place: Place) -> None:
    """The same fan-out by a bare loop over the sockets of the same server."""
    root = str(Path(__file__).resolve().parents[1])  # noqa: ASYNC240 — once, before anything runs
    print("bare loop, for comparison:")
    async with served(["-c", BARE.format(root=root)], dict(os.environ)) as (port, pid):
        bare = Place(port, pid, "")
        await bench_broadcast(bare)
    if place.fan_out:
        ratio = place.fan_out / bare.fan_out
        keep(Figure("fan-out beside a bare loop", ratio, "x", 0.8, at_least=True))


async def bench_idle(place: Place) -> None:
    """5,000 idle sockets, each in a channel."""
    before = place.memory()
    clients = await many(5000, lambda n: join(place, lambda _: None, topic=f"t{n % 100}"))
    after = place.memory()
    each = (after - before) * 1024 / 5000
    print(f"memory: {before:.0f} MB fresh, {after:.0f} MB with 5,000 sockets, {each:.1f} KB each")
    print("   original 238 MB and 100 KB each; target 250 MB")
    keep(Figure("memory with 5,000 sockets", after, "MB", 250))
    close(clients)
    await asyncio.sleep(1)


async def bench_presence(place: Place) -> None:
    """500 members join within 5 s and converge."""
    seen: list[set[str]] = [set() for _ in range(500)]

    def receive(number: int) -> Callable[[bytes], None]:
        def received(frame: bytes) -> None:
            if b"presence_" in frame:
                event = json.loads(frame)
                keys = event[4] if event[3] == "presence_state" else event[4]["joins"]
                seen[number].update(keys)

        return received

    async def member(number: int) -> LightClient:
        await asyncio.sleep(number * 0.01)
        presence = {"enabled": True, "key": f"u{number}"}
        client = await join(place, receive(number), presence=presence)
        track = {"event": "track", "payload": {"n": number}}
        client.send(["1", "2", "realtime:room", "presence", track])
        return client

    start = time.monotonic()
    clients = await asyncio.gather(*(member(number) for number in range(500)))
    joined = time.monotonic() - start
    await until(lambda: all(len(keys) == 500 for keys in seen))
    spent = time.monotonic() - start
    print(f"presence: 500 members joined after {joined:.1f} s, know each other after {spent:.1f} s")
    close(clients)


async def bench_slow(place: Place) -> None:
    """One member that does not read must cost the others nothing."""
    times = Times()
    stuck = await join(place, lambda _: None)
    stuck.stop_reading()
    reader = await join(place, times.received)
    sender = await join(place, lambda _: None)
    before = place.memory()
    body = "x" * 50_000

    async def send(_: int) -> None:
        sender.send([None, "9", "realtime:room", "broadcast", {"mark": mark(), "body": body}])

    await at_rate(50, 8, send)
    await asyncio.sleep(0.5)
    print(f"a member that stopped reading: others {times.shown()},")
    print(f"   memory {before:.0f} -> {place.memory():.0f} MB")
    close([stuck, reader, sender])


async def bench_filters(_place: Place) -> None:
    """What 8,000 distinct filters on a table cost."""
    realtime_filters.figures()


BENCHES = {
    "filters": bench_filters,
    "one": bench_one,
    "join": bench_join,
    "rls": bench_rls,
    "broadcast": bench_broadcast,
    "bare": bench_bare,
    "presence": bench_presence,
    "slow": bench_slow,
    "idle": bench_idle,
}


async def main(wanted: list[str]) -> None:
    """Run the benches that were asked for, all by default."""
    async with running() as place:
        for name, bench in BENCHES.items():
            if not wanted or name in wanted:
                await bench(place)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1:]))
