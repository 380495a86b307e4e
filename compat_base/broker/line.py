"""A process's connection to its machine's broker, renewed when it is cut.

Messages wait while there is no broker. Unacknowledged ones are sent to the next broker; duplicates
are dropped by the recipient, by the sender's numbers.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, cast

from compat_base.broker.frames import (
    NODE,
    NUMBER,
    TOPIC,
    BrokenFrameError,
    Kind,
    Splitter,
    frame,
    number_bytes,
    split,
)

MAX_WAITING = 33_554_432  # bytes that are not acknowledged; beyond it messages are lost
MAX_KNOWN = 1_000  # senders whose numbers are remembered
BRIEF_SECONDS = 0.05  # of a connection, after which the next one waits
RETRY_SECONDS = 0.05
WELCOME_SECONDS = 15.0  # a broker that hangs is replaced in ten


class Listener(Protocol):
    """Receives what comes over a line."""

    def received(self, node: bytes, body: bytes) -> None:
        """A message of another process."""
        ...

    def peers_changed(self, nodes: Sequence[bytes]) -> None:
        """The other processes of the group, whenever they change."""
        ...

    def messages_lost(self) -> None:
        """The broker dropped messages, because this process read too slowly."""
        ...


@dataclass(slots=True)
class Line:
    """A process's line in a group."""

    path: str
    group: int
    node: bytes
    listener: Listener
    acknowledged: Callable[[int], None] = lambda _number: None  # up to this message all have it
    is_up: bool = False
    _topics: dict[bytes, asyncio.Event] = field(default_factory=dict[bytes, asyncio.Event])
    _waiting: deque[tuple[int, bytes]] = field(default_factory=deque[tuple[int, bytes]])
    _bytes: int = 0
    _number: int = 0
    _known: OrderedDict[bytes, int] = field(default_factory=OrderedDict[bytes, int])
    _broker: bytes = b""
    _connection: _Connection | None = None
    _empty: asyncio.Event = field(default_factory=asyncio.Event)
    _fewer: asyncio.Event = field(default_factory=asyncio.Event)
    _is_paused: bool = False

    def __post_init__(self) -> None:
        self._empty.set()

    @property
    def waiting_bytes(self) -> int:
        """Bytes that the broker has not acknowledged."""
        return self._bytes

    @property
    def number(self) -> int:
        """The number of the last message."""
        return self._number

    def subscribe(self, topic: bytes) -> None:
        """Subscribe to a topic; await `subscribed` to know when it is in force."""
        self._topics[topic] = asyncio.Event()
        self._write(frame(Kind.SUBSCRIBE, topic))

    async def subscribed(self, topic: bytes, seconds: float) -> bool:
        """Wait until a broker has confirmed the subscription; False after so many seconds.

        Every message sent to the topic from then on is received, also where that broker dies.
        Without waiting, a message may be routed before the subscription.
        """
        known = self._topics.get(topic)
        if known is None:
            return False
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await known.wait()
        return known.is_set()

    def unsubscribe(self, topic: bytes) -> None:
        """Unsubscribe from a topic."""
        left = self._topics.pop(topic, None)
        if left is not None:
            left.set()
        self._write(frame(Kind.UNSUBSCRIBE, topic))

    def publish(self, topic: bytes, body: bytes) -> bool:
        """Send to the subscribers of a topic; False where it is dropped, as too many wait."""
        return self._post(Kind.PUBLISH, topic, body)

    def send(self, node: bytes, body: bytes) -> bool:
        """Send to one process; False where it is dropped, as too many wait."""
        return self._post(Kind.SEND, node, body)

    async def keep(self) -> None:
        """Stay connected, for ever.

        Where a broker ends, the next connection waits for its successor in the socket's backlog.
        """
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            with suppress(OSError, TimeoutError):
                await self._connect()
            if loop.time() - began < BRIEF_SECONDS:
                await asyncio.sleep(RETRY_SECONDS)

    async def _connect(self) -> None:
        """Be connected until that ends. Raises OSError, TimeoutError."""
        _, connection = await asyncio.get_running_loop().create_unix_connection(
            lambda: _Connection(self), self.path
        )
        try:
            async with asyncio.timeout(WELCOME_SECONDS):
                await connection.welcomed.wait()
            await connection.closed.wait()
        finally:
            self.is_up, self._connection = False, None
            connection.close()

    async def drain(self, seconds: float) -> None:
        """Wait until everything is acknowledged, at most so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._empty.wait()

    async def room(self, most: int) -> None:
        """Wait until fewer bytes than these are unacknowledged (back-pressure)."""
        while self._bytes >= most:
            self._fewer.clear()
            await self._fewer.wait()

    def pause(self) -> None:
        """Stop reading: the broker queues, and closes this line when its queue is full."""
        self._set_paused(is_paused=True)

    def resume(self) -> None:
        """Read again."""
        self._set_paused(is_paused=False)

    def _set_paused(self, *, is_paused: bool) -> None:
        if self._is_paused != is_paused:
            self._is_paused = is_paused
            if self._connection is not None:
                self._connection.set_paused(is_paused=is_paused)

    def _post(self, kind: Kind, to: bytes, body: bytes) -> bool:
        if self._bytes + len(body) > MAX_WAITING:
            return False
        self._empty.clear()
        self._number += 1
        message = frame(kind, number_bytes(self._number), to, body)
        self._waiting.append((self._number, message))
        self._bytes += len(message)
        self._write(message)
        return True

    def _write(self, data: bytes) -> None:
        if self._connection is not None:
            self._connection.write(data)

    def connected(self, connection: _Connection) -> None:
        """Introduce this process to a new broker, and send what waits."""
        self._connection = connection
        connection.set_paused(is_paused=self._is_paused)
        hello = (self.group.to_bytes(), self.node, *sorted(self._topics))
        connection.write(frame(Kind.HELLO, *hello))
        for _, message in self._waiting:
            connection.write(message)

    def take(self, connection: _Connection, kind: Kind, payload: bytes) -> None:
        """Handle a frame of the broker. Raises BrokenFrameError."""
        match kind:
            case Kind.MESSAGE:
                node, number = payload[:NODE], int.from_bytes(payload[NODE : NODE + NUMBER])
                if self._is_new(node, number):
                    self.listener.received(node, payload[NODE + NUMBER :])
            case Kind.ACKNOWLEDGED:
                self._acknowledged(int.from_bytes(payload))
            case Kind.PEERS:
                self.listener.peers_changed(split(payload, NODE))
            case Kind.SUBSCRIBED:
                for topic in split(payload, TOPIC):
                    if topic in self._topics:
                        self._topics[topic].set()
            case Kind.WELCOME:
                was_cut = payload == self._broker
                self._broker, self.is_up = payload, True
                connection.welcomed.set()
                if was_cut:
                    self.listener.messages_lost()
            case _:
                raise BrokenFrameError(f"a broker does not send {kind.name}")

    def _acknowledged(self, number: int) -> None:
        while self._waiting and self._waiting[0][0] <= number:
            self._bytes -= len(self._waiting.popleft()[1])
        self._fewer.set()
        if not self._waiting:
            self._empty.set()
        self.acknowledged(number)

    def _is_new(self, node: bytes, number: int) -> bool:
        if number <= self._known.get(node, 0):
            return False
        self._known[node] = number
        self._known.move_to_end(node)
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
        return True


class _Connection(asyncio.Protocol):
    """One connection of a line; writes of one turn of the event loop are sent together."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._splitter = Splitter()
        self._gathered: list[bytes] = []
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()
        self.welcomed = asyncio.Event()
        self.closed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._line.connected(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 — the protocol's
        self.welcomed.set()
        self.closed.set()

    def data_received(self, data: bytes) -> None:
        try:
            for kind, payload in self._splitter.feed(data):
                self._line.take(self, kind, payload)
        except BrokenFrameError:
            self.close()

    def write(self, data: bytes) -> None:
        if not self._gathered:
            self._loop.call_soon(self.flush)
        self._gathered.append(data)

    def flush(self) -> None:
        """Write the buffered frames."""
        gathered, self._gathered = self._gathered, []
        if gathered and self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(gathered))

    def set_paused(self, *, is_paused: bool) -> None:
        if self._transport is not None and self._transport.is_reading() == is_paused:
            (self._transport.pause_reading if is_paused else self._transport.resume_reading)()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()
