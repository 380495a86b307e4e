"""The reader's transactions over a real broker: each worker is given those of its tables alone."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from compat_base.broker.frames import Kind, frame, number_bytes
from compat_base.broker.server import Broker
from compat_base.broker.switch import Switch
from compat_base.sockets import listen_unix
from compat_base.tasks import Supervisor
from compat_base.values.world import SystemClock
from compat_base.workers.leadership import Leadership
from realtime_compat.replication.log_protocol import GROUP, REQUEST_STATE
from realtime_compat.replication.log_reader import LogReader
from realtime_compat.replication.raw import Framer, RawPart
from realtime_compat.replication.remote_stream import RemoteStream
from realtime_compat.replication.stream import Received, StreamEvent, Up
from tests.harness_states import until

TIMEOUT = 60.0
ONE, OTHER, STORED = ("public", "one"), ("public", "other"), ("realtime", "messages_today")
OIDS = {ONE: 7, OTHER: 8, STORED: 9}


def relation(table: tuple[str, str]) -> bytes:
    head = b"R" + struct.pack("!I", OIDS[table]) + "\0".join((*table, "d")).encode()
    return head + struct.pack("!h", 1) + b"\1id\0" + struct.pack("!Ii", 23, -1)


def insert(table: tuple[str, str], value: int) -> bytes:
    text = str(value).encode()
    head = b"I" + struct.pack("!I", OIDS[table]) + b"N\0\1t"
    return head + struct.pack("!I", len(text)) + text


class Log:
    """A stream of pgoutput's messages, framed as the reader's process does."""

    def __init__(self, report: Callable[..., None]) -> None:
        self._report, self._framer, self._lsn = report, Framer(), 0

    def start(self) -> None:
        self._report(Up(("supabase_realtime",)))

    def stop(self) -> None:
        """Nothing runs."""

    def done(self, changes: int) -> None:
        """Nothing is bounded."""

    def commit(self, *messages: bytes) -> None:
        self._lsn += 1
        whole = (b"B" + struct.pack("!QqI", self._lsn, 0, 5), *messages, b"C")
        parts = [part for part in map(self._framer.feed, whole) if isinstance(part, RawPart)]
        self._report(Received(tuple(parts)))  # type: ignore[arg-type]


class Worker:
    """What a worker's stream brings."""

    def __init__(self, path: str, name: bytes, tasks: Supervisor) -> None:
        self.events: list[StreamEvent] = []
        self.stream = RemoteStream(path, name, tasks, self.events.append)
        self.stream.start()

    @property
    def ids(self) -> list[int]:
        return [
            int(str(change.new[0]))
            for event in self.events
            if isinstance(event, Received)
            for transaction in event.transactions
            for change in transaction.changes
            if change.new
        ]


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[tuple[Log, Worker, Worker]]:
    clock, path, logs = SystemClock(), folder / "broker.sock", list[Log]()
    async with Supervisor(lambda _observed: None) as tasks:
        leadership = Leadership()
        broker = Broker(Switch(b"broker..", 3, clock.monotonic()), clock)
        tasks.start(broker.serve(listen_unix(path, 0o600)), "broker")
        workers = [Worker(str(path), name, tasks) for name in (b"worker.1", b"worker.2")]
        reader = LogReader(str(path), b"reader..", leadership, tasks, lambda _observed: None)

        def make(report: Callable[..., None]) -> Log:
            logs.append(Log(report))
            return logs[0]

        reader.start(make)  # type: ignore[arg-type]
        for worker in workers:
            await until(lambda each=worker: each.events, "the stream is up")
        yield logs[0], *workers
        leadership.close()


async def test_a_worker_is_given_the_tables_that_it_follows_and_no_others(tmp_path: Path):
    async with running(tmp_path) as (log, one, other):
        assert await one.stream.follow(frozenset({ONE}))
        assert await other.stream.follow(frozenset({OTHER}))
        log.commit(relation(ONE), insert(ONE, 1))  # a description is everybody's
        log.commit(relation(OTHER), insert(OTHER, 2))
        log.commit(insert(ONE, 3))
        log.commit(insert(OTHER, 4))
        log.commit(insert(ONE, 5), insert(OTHER, 6))  # of both: everybody's
        await until(lambda: 6 in one.ids and 6 in other.ids, "the last came")
        assert one.ids == [1, 2, 3, 5, 6]
        assert other.ids == [1, 2, 4, 5, 6]


async def test_a_table_that_is_followed_later_comes_from_then_on(tmp_path: Path):
    async with running(tmp_path) as (log, one, other):
        assert await other.stream.follow(frozenset({ONE}))
        log.commit(relation(ONE), insert(ONE, 1))
        log.commit(insert(ONE, 2))
        await until(lambda: 2 in other.ids, "it was given to who follows the table")
        assert await one.stream.follow(frozenset({ONE}))
        log.commit(insert(ONE, 3))
        await until(lambda: 3 in one.ids, "it came")
        assert await one.stream.follow(frozenset())
        log.commit(insert(ONE, 4))
        await until(lambda: 4 in other.ids, "it was given to who follows the table")
        assert await one.stream.follow(None)
        log.commit(insert(ONE, 5))
        await until(lambda: 5 in one.ids, "it came")
        assert one.ids == [1, 3, 5]


async def test_stored_messages_are_given_to_every_worker(tmp_path: Path):
    async with running(tmp_path) as (log, one, other):
        log.commit(relation(STORED), insert(STORED, 1))
        log.commit(insert(STORED, 2))
        await until(lambda: one.ids == other.ids == [1, 2], "both came")


async def test_who_cannot_be_heard_of_in_time_is_told_so(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("realtime_compat.replication.remote_stream.FOLLOW_SECONDS", 0.05)
    async with Supervisor(lambda _observed: None) as tasks:
        worker = Worker(str(tmp_path / "broker.sock"), b"worker.1", tasks)
        assert not await worker.stream.follow(frozenset({ONE}))


async def test_a_worker_without_a_stream_asks_again_whoever_comes_later(tmp_path: Path):
    clock, path = SystemClock(), tmp_path / "broker.sock"
    async with Supervisor(lambda _observed: None) as tasks:
        broker = Broker(Switch(b"broker..", 1, clock.monotonic()), clock)
        tasks.start(broker.serve(listen_unix(path, 0o600)), "broker")
        worker = Worker(str(path), b"worker.1", tasks)
        await until(lambda: worker.stream._line.is_up, "it is connected")
        reader, writer = await asyncio.open_unix_connection(str(path))
        writer.write(frame(Kind.HELLO, GROUP.to_bytes(), b"reader.."))
        request = frame(Kind.MESSAGE, b"worker.1", number_bytes(1), REQUEST_STATE)
        async with asyncio.timeout(TIMEOUT):
            await reader.readuntil(request)
        writer.close()
