"""Lines to a real broker on a Unix socket: order, deaths of the broker, slow readers."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import uvloop

import compat_base.broker.line as line_module
import compat_base.broker.switch as switch_module
from compat_base.broker.frames import Kind, frame, number_bytes
from compat_base.broker.line import BRIEF_SECONDS, Line
from compat_base.broker.server import MAX_BEHIND, Broker
from compat_base.broker.switch import Switch
from compat_base.sockets import listen_unix
from compat_base.values.world import SystemClock, SystemEntropy
from tests.harness_states import until

TOPIC = b"t" * 16
TIMEOUT = 60.0


@dataclass
class Recipient:
    """Keeps what is heard."""

    bodies: list[bytes] = field(default_factory=list[bytes])
    others: Sequence[bytes] = ()
    losses: int = 0

    def received(self, node: bytes, body: bytes) -> None:
        self.bodies.append(body)

    def peers_changed(self, nodes: Sequence[bytes]) -> None:
        self.others = nodes

    def messages_lost(self) -> None:
        self.losses += 1


class Socket:
    """A socket that outlives its brokers, and lines to it."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "broker.sock")
        self.bound = listen_unix(Path(self.path), 0o600)
        self.tasks: list[asyncio.Task[None]] = []
        self.broker: asyncio.Task[None] | None = None
        self.served: Broker | None = None
        self.names = itertools.count(1)

    def open(self, expected: int = 1) -> None:
        """Start a broker; the one before is dead, its connections cut in the middle of anything."""
        clock = SystemClock()
        self.served = Broker(Switch(SystemEntropy().bytes(8), expected, clock.monotonic()), clock)
        self.broker = asyncio.create_task(self.served.serve(self.bound.dup()))

    async def kill(self) -> None:
        """Cut every connection at once, as the death of its process does."""
        assert self.broker is not None
        assert self.served is not None
        self.broker.cancel()
        with suppress(asyncio.CancelledError):
            await self.broker
        for peer in tuple(self.served._peers.values()):
            peer.close()

    def line(self, *topics: bytes) -> tuple[Line, Recipient]:
        recipient = Recipient()
        line = Line(self.path, 1, next(self.names).to_bytes(8), recipient)
        for topic in topics:
            line.subscribe(topic)
        self.tasks.append(asyncio.create_task(line.keep()))
        return line, recipient

    async def close(self) -> None:
        for task in [*self.tasks, *([self.broker] if self.broker else [])]:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self.bound.close()


@asynccontextmanager
async def broker_socket(folder: Path) -> AsyncIterator[Socket]:
    made = Socket(folder)
    try:
        yield made
    finally:
        await made.close()


def run(folder: Path, scenario: Callable[[Socket], Awaitable[None]]) -> None:
    async def running() -> None:
        async with broker_socket(folder) as made:
            await scenario(made)

    uvloop.run(running())


def test_messages_come_once_and_in_order(tmp_path: Path):
    async def scenario(broker_socket: Socket) -> None:
        broker_socket.open()
        sender, _ = broker_socket.line(TOPIC)
        _, recipient = broker_socket.line(TOPIC)
        _, stranger = broker_socket.line()
        await until(lambda: len(recipient.others) == len(stranger.others) == 2, "all are there")
        wanted = [str(number).encode() for number in range(2_000)]
        for body in wanted:
            sender.publish(TOPIC, body)
        await until(lambda: len(recipient.bodies) >= len(wanted), "all came")
        await until(lambda: not sender.waiting_bytes, "all are acknowledged")
        assert recipient.bodies == wanted
        assert stranger.bodies == []

    run(tmp_path, scenario)


def test_nothing_is_lost_or_doubled_where_brokers_die(tmp_path: Path):
    async def scenario(broker_socket: Socket) -> None:
        broker_socket.open(expected=3)
        senders = [broker_socket.line(TOPIC)[0], broker_socket.line(TOPIC)[0]]
        _, recipient = broker_socket.line(TOPIC)
        await until(lambda: len(recipient.others) == 2, "all are there")
        wanted: list[list[bytes]] = [[], []]
        for round_ in range(10):
            for burst in range(40):
                for number, sender in enumerate(senders):
                    body = f"{number} {round_} {burst}".encode() + b"x" * 5_000
                    wanted[number].append(body)
                    assert sender.publish(TOPIC, body)
                if burst % 7 == round_ % 7:
                    await asyncio.sleep(0)
            await broker_socket.kill()
            broker_socket.open(expected=3)
        await until(lambda: len(recipient.bodies) >= 800, "all came")
        await until(lambda: not any(each.waiting_bytes for each in senders), "acknowledged")
        for number, sent in enumerate(wanted):
            mine = [body for body in recipient.bodies if body.startswith(b"%d " % number)]
            assert mine == sent
        assert recipient.losses == 0

    run(tmp_path, scenario)


def test_the_next_broker_finds_the_lines_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def scenario(broker_socket: Socket) -> None:
        broker_socket.open(expected=2)
        sender, _ = broker_socket.line(TOPIC)
        _, recipient = broker_socket.line(TOPIC)
        await until(lambda: recipient.others, "both are there")
        since = time.monotonic()
        await until(lambda: time.monotonic() - since > BRIEF_SECONDS, "for a while")
        monkeypatch.setattr(line_module, "RETRY_SECONDS", 2 * TIMEOUT)
        await broker_socket.kill()
        sender.publish(TOPIC, b"meanwhile")
        broker_socket.open(expected=2)
        await until(lambda: recipient.bodies == [b"meanwhile"], "it came")

    run(tmp_path, scenario)


def test_what_was_held_for_a_line_that_never_came_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(switch_module, "HOLD_SECONDS", 0.3)

    async def scenario(broker_socket: Socket) -> None:
        broker_socket.open(expected=3)
        sender, _ = broker_socket.line(TOPIC)
        _, recipient = broker_socket.line(TOPIC)
        sender.publish(TOPIC, b"held")
        await until(lambda: recipient.bodies == [b"held"], "it came")
        await until(lambda: not sender.waiting_bytes, "it is acknowledged")

    run(tmp_path, scenario)


def test_a_broker_without_messages_looks_at_nothing(tmp_path: Path):
    async def scenario(broker_socket: Socket) -> None:
        broker_socket.open(expected=2)
        sender, _ = broker_socket.line(TOPIC)
        _, recipient = broker_socket.line(TOPIC)
        sender.publish(TOPIC, b"heard")
        await until(lambda: recipient.bodies and not sender.waiting_bytes, "it is acknowledged")
        assert broker_socket.served is not None
        await until(lambda: broker_socket.served._tick_timer is None, "no tick is due")

    run(tmp_path, scenario)


def test_what_is_sent_before_the_first_broker_comes(tmp_path: Path):
    async def scenario(broker_socket: Socket) -> None:
        sender, _ = broker_socket.line(TOPIC)
        _, recipient = broker_socket.line(TOPIC)
        sender.publish(TOPIC, b"early")
        broker_socket.open(expected=2)
        await until(lambda: recipient.bodies == [b"early"], "it came")

    run(tmp_path, scenario)


def test_who_reads_too_slowly_is_cut_and_told_and_others_hear_all(tmp_path: Path):
    async def scenario(broker_socket: Socket) -> None:
        broker_socket.open()
        sender, _ = broker_socket.line()
        slow, deaf = broker_socket.line(TOPIC)
        _, recipient = broker_socket.line(TOPIC)
        await until(lambda: len(recipient.others) == 2 and deaf.others, "all are there")
        assert slow._connection is not None
        assert slow._connection._transport is not None
        slow._connection._transport.pause_reading()
        body = b"x" * 200_000
        count = 3 * MAX_BEHIND // len(body)
        for number in range(count):
            assert sender.publish(TOPIC, body)
            await until(
                lambda: sender.waiting_bytes < MAX_BEHIND or broker_socket.served.cut, "room"
            )
            await until(lambda seen=number: len(recipient.bodies) > seen, "the other hears it")
        assert broker_socket.served is not None
        assert broker_socket.served.cut == 1
        await until(lambda: len(recipient.bodies) == count, "the other has all")
        slow._connection._transport.resume_reading()
        await until(lambda: deaf.losses == 1, "it is told")

    run(tmp_path, scenario)


def test_a_broken_frame_ends_that_connection_alone(tmp_path: Path):
    async def scenario(broker_socket: Socket) -> None:
        broker_socket.open()
        sender, _ = broker_socket.line()
        _, recipient = broker_socket.line(TOPIC)
        await until(lambda: recipient.others, "both are there")
        reader, writer = await asyncio.open_unix_connection(broker_socket.path)
        writer.write(b"\xff" * 100)
        assert await reader.read() == b""
        writer.close()
        sender.publish(TOPIC, b"fine")
        await until(lambda: recipient.bodies == [b"fine"], "it came")

    run(tmp_path, scenario)


def test_a_subscription_is_known_once_a_broker_has_it(tmp_path: Path):
    async def scenario(broker_socket: Socket) -> None:
        broker_socket.open(expected=2)
        sender, _ = broker_socket.line()
        line, recipient = broker_socket.line()
        await until(lambda: recipient.others, "both are there")
        await broker_socket.kill()
        line.subscribe(TOPIC)
        known = asyncio.create_task(line.subscribed(TOPIC, TIMEOUT))
        broker_socket.open(expected=2)
        await known
        sender.publish(TOPIC, b"heard")
        await until(lambda: recipient.bodies == [b"heard"], "it came")

    run(tmp_path, scenario)


def test_a_subscription_that_no_broker_hears_of_is_waited_for_no_longer_than_told(tmp_path: Path):
    async def scenario(broker_socket: Socket) -> None:
        line, _ = broker_socket.line(TOPIC)
        await line.subscribed(TOPIC, 0.05)
        assert not line.is_up

    run(tmp_path, scenario)


def test_who_subscribed_first_hears_it_whichever_line_is_read_first(tmp_path: Path):
    async def scenario(broker_socket: Socket) -> None:
        broker_socket.open(expected=2)
        sender_read, sender = await asyncio.open_unix_connection(broker_socket.path)
        reader, subscriber = await asyncio.open_unix_connection(broker_socket.path)
        for writer, node in ((sender, b"sender.."), (subscriber, b"reader..")):
            writer.write(frame(Kind.HELLO, b"\1", node))
        assert broker_socket.served is not None
        await until(lambda: len(broker_socket.served._switch._lines) == 2, "both are there")
        # Nothing is awaited between these: the broker finds all three at once, the sender's first.
        sender.write(frame(Kind.SUBSCRIBE, b"x" * 16))
        subscriber.write(frame(Kind.SUBSCRIBE, TOPIC))
        sender.write(frame(Kind.PUBLISH, number_bytes(1), TOPIC, b"heard"))
        async with asyncio.timeout(TIMEOUT):
            received = await reader.readuntil(b"heard")
        assert received.endswith(b"heard")
        for writer in (sender, subscriber):
            writer.close()
        assert sender_read is not None

    run(tmp_path, scenario)
