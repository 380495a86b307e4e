"""Ends of what nodes share, in rounds: a node, Redis, PostgreSQL; and eight starts at once.

A part of `make bench ARGS=scale`; alone by `python -m bench.scale_outages ROUNDS NAME…`; 50 rounds
of each unless given, 20 of the starts. Two nodes of two workers on one PostgreSQL and one Valkey; a
message or a change that a connected client did not hear counts as lost unless its channel was told.
A client whose own socket was closed is not connected; which one, when and by whom is printed, as no
death of these may close the socket of a living node.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from bench.figures import Figure, keep
from compat_stack.embedded import postgres
from tests.harness_live import Live, open_socket
from tests.harness_nodes import SECRET
from tests.harness_programs import await_port, free_port, require_valkey
from tests.harness_stack import ROOT, Stack, environment, start_stack
from tests.harness_workers import children, is_alive, is_ready, until

ROUNDS, STARTS = 50, 20
NODES = 8  # that start at once
EACH = 30  # messages of a round, and changes
TOPIC = "realtime:pasos"
HEARTBEAT_SECONDS = 20.0  # a socket that is silent for a minute is closed
_SETUP = (
    "create table if not exists public.pasos (id int primary key); truncate public.pasos;"
    "grant select on public.pasos to anon;"
    "do $$ begin alter publication supabase_realtime add table public.pasos;"
    " exception when duplicate_object then null; end $$"
)


class Place:
    """PostgreSQL, Redis and two nodes, each of which may be ended and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._redis_port, self.ports = free_port(), [free_port(), free_port()]
        self._cluster = postgres.embedded_cluster(folder / "postgres")
        self._redis: subprocess.Popen[bytes] | None = None
        self.url = self._cluster.url()
        self.nodes: list[Stack] = []

    def start(self) -> None:
        """Start all."""
        postgres.start(self._cluster)
        self.start_redis()
        self.nodes = [self._start(number) for number in range(2)]

    def _start(self, number: int) -> Stack:
        return start_stack(
            self._folder / str(number), DATABASE_URL=self.url, JWT_SECRET=SECRET, WORKERS="2",
            PORT=str(self.ports[number]), REDIS_URL=f"redis://127.0.0.1:{self._redis_port}/0",
            TENANT_MAX_EVENTS_PER_SECOND="100000", TENANT_MAX_JOINS_PER_SECOND="100000",
        )  # fmt: skip

    def start_redis(self) -> None:
        """Start Redis."""
        log = self._folder / "redis.log"
        command = [require_valkey(), "--port", str(self._redis_port), "--save", ""]
        with log.open("wb") as output:
            self._redis = subprocess.Popen(command, stdout=output, cwd=self._folder)
        await_port(self._redis, self._redis_port, log)

    def kill_redis(self) -> None:
        """KILL Redis, and start it again."""
        assert self._redis is not None
        self._redis.kill()
        self._redis.wait()
        self.start_redis()

    def kill_postgres(self) -> None:
        """KILL PostgreSQL's first process, and start it again once the others are gone."""
        pid = postgres.running_pid(self._cluster)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        until(lambda: not Path(f"/proc/{pid}").exists(), "it is dead")
        postgres.start(self._cluster)

    def kill_node(self) -> None:
        """KILL the second node, and start it again."""
        process = self.nodes[1].process
        left = children(process.pid)
        process.kill()
        process.wait()
        until(lambda: not any(map(is_alive, left)), "its workers have ended too")
        self.nodes[1] = self._start(1)

    def stop(self) -> None:
        """Stop all."""
        for node in self.nodes:
            node.stop()
        if self._redis is not None:
            self._redis.kill()
            self._redis.wait()
        postgres.stop(self._cluster)


class Client:
    """A client at one node, and what it received: messages and changes by number, and notices."""

    def __init__(self, name: str, live: Live) -> None:
        self.name, self._live = name, live
        self.messages: list[int] = []
        self.changes: list[int] = []
        self.notices = 0
        self.unsent = list[int]()
        self._began = time.monotonic()
        self._ended: float | None = None
        self._failure: Exception | None = None

    async def listen(self) -> None:
        """Receive until the socket is closed."""
        try:
            while True:
                self._receive(*json.loads(await self._live.socket.recv())[3:])
        except Exception as error:  # noqa: BLE001 — printed with the round
            self._ended, self._failure = time.monotonic(), error

    def _receive(self, event: str, payload: Any) -> None:
        if event == "broadcast":
            self.messages.append(payload["payload"]["n"])
        elif event == "postgres_changes":
            self.changes.append(payload["data"]["record"]["id"])
        elif event == "phx_error" or (event == "system" and payload["status"] == "error"):
            self.notices += 1

    async def beat(self) -> None:
        """Say periodically that this client is alive, as clients do."""
        while self._ended is None:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            with suppress(Exception):
                await self._live.push("phoenix", "heartbeat", {})

    async def broadcast(self, number: int) -> None:
        """Send a message; where its node has died, it is one that was never sent."""
        sent = {"type": "broadcast", "event": "e", "payload": {"n": number}}
        try:
            await self._live.push(TOPIC, "broadcast", sent)
        except Exception:  # noqa: BLE001 — whatever closed the socket is printed with the round
            self.unsent.append(number)

    def is_over(self, last: int) -> bool:
        """Whether nothing more is to come: the last was received, or a loss is known."""
        has_all = last in self.messages and last in self.changes
        return has_all or bool(self.notices) or self.closed is not None

    @property
    def closed(self) -> str | None:
        """How this client's socket was closed; None where it is open."""
        if self._ended is None:
            return None
        return f"{self.name} after {self._ended - self._began:.1f} s: {self._failure!r}"


async def _join(live: Live) -> None:
    wanted = {"event": "INSERT", "schema": "public", "table": "pasos"}
    await live.subscribe("pasos", None, wanted)


@dataclass
class Counts:
    """What has gone wrong in the rounds so far."""

    lost: int = 0
    twice: int = 0
    disorder: int = 0
    notices: int = 0
    cut: int = 0


async def _rounds(place: Place, kill: Callable[[], None], rounds: int, name: str) -> None:
    """A client at the first node hears a sender there and one at the second, and changes."""
    database = await _connect(place.url)
    await database.execute(_SETUP)
    key = place.nodes[0].keys["SUPABASE_ANON_KEY"]
    counts = Counts()
    for number in range(rounds):
        for node in place.nodes:
            await asyncio.to_thread(until, lambda at=node: is_ready(at), "ready")
        async with (
            open_socket(place.nodes[0].url, key) as receives,
            open_socket(place.nodes[0].url, key) as near,
            open_socket(place.nodes[1].url, key) as far,
        ):
            for live in (receives, near, far):
                await _join(live)
            receiver = Client("the receiver", receives)
            senders = {
                "near": Client("its neighbour", near),
                "far": Client("the other node's", far),
            }
            sender = senders["far" if name == "redis" else "near"]
            clients = (receiver, *senders.values())
            tasks = [asyncio.create_task(each()) for c in clients for each in (c.listen, c.beat)]
            await _met(sender, receiver)
            first = number * EACH + 1
            killing = None
            for each in range(first, first + EACH):
                if each == first + EACH // 2:
                    killing = asyncio.create_task(asyncio.to_thread(kill))
                await sender.broadcast(each)
                database = await _insert(place.url, database, each)
                await asyncio.sleep(0.01)
            assert killing is not None
            await killing
            await _until_received(receiver, first + EACH - 1)
            closed = [each.closed for each in clients if each.closed is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        _count(counts, f"round {number + 1}", set(range(first, first + EACH)), receiver, sender)
        for how in closed:
            is_killed = name == "node" and senders["far"].closed == how
            counts.cut += not is_killed
            if not is_killed:
                print(f"  round {number + 1}: closed: {how}", flush=True)
    await database.close()
    print(
        f"{name}: {rounds} deaths, {2 * EACH * rounds} messages and changes: "
        f"{counts.lost} lost untold, {counts.twice} twice, {counts.disorder} out of order, "
        f"{counts.notices} notices of loss, {counts.cut} sockets closed"
    )
    keep(
        Figure(
            f"lost untold or twice, {name} dies {rounds} times", counts.lost + counts.twice, "", 0
        )
    )
    keep(Figure(f"sockets of living nodes closed, {name} dies {rounds} times", counts.cut, "", 0))


def _count(counts: Counts, round_: str, whole: set[int], receiver: Client, sender: Client) -> None:
    """Count a round's losses; what a closed socket neither sent nor received is none."""
    sent = whole - set(sender.unsent)
    for kind, numbers, expected in (
        ("messages", [n for n in receiver.messages if n > 0], sent),
        ("changes", receiver.changes, whole),
    ):
        missing = sorted(expected - set(numbers))
        if missing and not receiver.notices:
            print(f"  {round_}: {kind} {missing} missing, unsent {sender.unsent}", flush=True)
        is_told = receiver.notices or receiver.closed is not None
        counts.lost += 0 if is_told else len(missing)
        counts.twice += len(numbers) - len(set(numbers))
        counts.disorder += sorted(numbers) != numbers
    counts.notices += receiver.notices


async def _met(sender: Client, receiver: Client) -> None:
    """The nodes know each other once a word of one is heard at the other."""
    async with asyncio.timeout(60):
        while not receiver.messages:
            await sender.broadcast(0)
            await asyncio.sleep(0.1)


async def _insert(url: str, database: asyncpg.Connection, number: int) -> asyncpg.Connection:
    """Write a row, as often as it takes; the connection that did it."""
    while True:
        try:
            await database.execute(
                "insert into public.pasos values ($1) on conflict do nothing", number
            )
        except (
            asyncpg.PostgresError,
            asyncpg.InterfaceError,
            asyncpg.InternalClientError,
            OSError,
        ):
            database = await _connect(url)
        else:
            return database


async def _connect(url: str) -> asyncpg.Connection:
    while True:
        try:
            return await asyncpg.connect(url)
        except (asyncpg.PostgresError, OSError):
            await asyncio.sleep(0.05)


async def _until_received(receiver: Client, last: int) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(15):
            while not receiver.is_over(last):  # noqa: ASYNC110 — of others
                await asyncio.sleep(0.02)


def bench_starts(folder: Path, rounds: int) -> None:
    """Eight nodes that start at once on one empty database."""
    cluster = postgres.embedded_cluster(folder / "postgres")
    postgres.start(cluster)
    failed, began = 0, time.monotonic()
    try:
        for number in range(rounds):
            failed += _start_at_once(folder / str(number), cluster, f"starts_{number}")
            shutil.rmtree(folder / str(number))
    finally:
        postgres.stop(cluster)
    each = (time.monotonic() - began) / rounds
    print(
        f"{NODES} starts at once on one database, {rounds} times: {failed} failed, "
        f"{each:.1f} s each"
    )
    keep(Figure(f"{NODES} starts at once, {rounds} times: that failed", failed, "", 0))


def _start_at_once(folder: Path, cluster: postgres.Cluster, name: str) -> int:
    asyncio.run(_create(cluster.url(), name))
    folder.mkdir()
    values = environment(DATABASE_URL=cluster.url(name), JWT_SECRET=SECRET)
    starting = [
        subprocess.Popen(
            [sys.executable, "-m", "compat_stack", "migrate"], cwd=ROOT,
            env=values | {"DATA_DIR": str(folder / str(number))},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for number in range(NODES)
    ]  # fmt: skip
    return sum(process.wait() != 0 for process in starting)


async def _create(url: str, name: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(f'create database "{name}"')
    await connection.close()


KILLS: dict[str, Callable[[Place], Callable[[], None]]] = {
    "redis": lambda place: place.kill_redis,
    "node": lambda place: place.kill_node,
    "postgres": lambda place: place.kill_postgres,
}


@contextmanager
def _place(folder: Path) -> Generator[Place]:
    place = Place(folder)
    with ExitStack() as opened:
        opened.callback(place.stop)
        place.start()
        yield place


def main(rounds: int | None = None, names: list[str] | None = None) -> None:
    """Print the figures, of some ends or of all."""
    with tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as made:
        folder = Path(made)
        wanted = names or [*KILLS, "starts"]
        for name in [each for each in wanted if each in KILLS]:
            (folder / name).mkdir()
            with _place(folder / name) as place:
                asyncio.run(_rounds(place, KILLS[name](place), rounds or ROUNDS, name))
        if "starts" in wanted:
            (folder / "starts").mkdir()
            bench_starts(folder / "starts", rounds or STARTS)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None, sys.argv[2:])
