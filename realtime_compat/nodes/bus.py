"""The connection to Redis: says what this node does, hears what the others do.

While Redis is away this node serves its own sockets alone; what it would have said is dropped,
and on return the nodes tell each other their members as a whole.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from compat_base.events import Observation, Observer, Severity
from compat_base.tasks import Supervisor, run_together
from compat_base.world import Clock
from realtime_compat.hub import Announcement, Hub, Published
from realtime_compat.nodes.peers import Peers
from realtime_compat.nodes.wire import Alive, Gone, Letter, Members, Word, read, write

CHANNEL = "realtime_compat"
ALIVE_SECONDS = 5.0
ASK_SECONDS = 1.0  # not more often than this
FIRST_BACKOFF = 0.1
LAST_BACKOFF = 5.0
MAX_WAITING = 10_000  # letters that Redis has not taken yet
MAX_AT_ONCE = 500

_REDIS = "redis.asyncio"  # named, not imported: only who has several nodes spends the time for it


@dataclass(slots=True)
class Bus:
    """This node's place among the others."""

    url: str
    hub: Hub
    supervisor: Supervisor
    clock: Clock
    observer: Observer
    is_up: bool = False
    _was_up: bool = False
    _number: int = 0
    _asked_at: float = 0.0
    _waiting: deque[bytes] = field(default_factory=deque[bytes])
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _peers: Peers = field(init=False)
    _redis: Any = field(init=False)

    def __post_init__(self) -> None:
        self._peers = Peers(self.hub)
        self._redis = import_module(_REDIS)

    def start(self) -> None:
        """Connect, and stay connected."""
        self.hub.connect(self._announce)
        self.supervisor.start(self._stay(), "bus")

    async def stop(self) -> None:
        """Say goodbye, so that this node's members leave at once."""
        if self.is_up:
            client = self._client()
            try:
                async with asyncio.timeout(1):
                    await client.publish(CHANNEL, self._letter(Gone()))
            except (self._redis.RedisError, OSError, TimeoutError):
                pass
            finally:
                await client.aclose()

    @property
    def size(self) -> int:
        """How many nodes there are, this one included."""
        return len(self._peers) + 1

    def _announce(self, announcement: Announcement) -> None:
        if not isinstance(announcement, Published):
            self._number += 1
        self._say(announcement)

    def _say(self, word: Word) -> None:
        """Have a word sent; while Redis is away it is dropped."""
        if not self.is_up:
            return
        if len(self._waiting) >= MAX_WAITING:
            self._observe("bus_overflow", Severity.WARNING)
            self._waiting.clear()
            self._number += 1  # a gap: the others will ask for this node's members
        self._waiting.append(self._letter(word))
        self._news.set()

    def _letter(self, word: Word) -> bytes:
        return write(Letter(self.hub.node, self._number, word))

    def _client(self) -> Any:
        connect = self._redis.Redis.from_url
        return connect(self.url, socket_connect_timeout=5, socket_keepalive=True)

    async def _stay(self) -> None:
        backoff = FIRST_BACKOFF
        while True:
            try:
                await self._live()
            except (self._redis.RedisError, OSError) as error:
                self._observe("bus_down", Severity.WARNING, error=str(error))
                backoff = FIRST_BACKOFF if self._was_up else min(2 * backoff, LAST_BACKOFF)
                self._was_up = False
            await asyncio.sleep(backoff)

    async def _live(self) -> None:
        """One life of the connection; it ends by an exception."""
        client = self._client()
        subscription = client.pubsub(ignore_subscribe_messages=True)
        try:
            await subscription.subscribe(CHANNEL)
            await client.ping()
            self._greet()
            await run_together(self._hear(subscription), self._speak(client), self._keep_alive())
        finally:
            self.is_up = False
            await subscription.aclose()
            await client.aclose()

    def _greet(self) -> None:
        self.is_up = self._was_up = True
        self._waiting.clear()
        self._peers.wait_again(self.clock.monotonic())
        self._say(Alive(asks=True))
        self._say_members()
        self._observe("bus_up", Severity.INFO)

    async def _hear(self, subscription: Any) -> None:
        while True:
            message = await subscription.get_message(timeout=None)
            if message is not None and message["type"] == "message":
                letter = read(cast("bytes", message["data"]))
                if letter is not None and letter.node != self.hub.node:
                    self._take(letter)

    def _take(self, letter: Letter) -> None:
        now = self.clock.monotonic()
        must_ask = self._peers.receive(letter, now)
        if isinstance(letter.word, Alive) and letter.word.asks:
            self._say_members()
        if must_ask and now - self._asked_at >= ASK_SECONDS:
            self._asked_at = now
            self._say(Alive(asks=True))

    def _say_members(self) -> None:
        self._say(Members(tuple(self.hub.local_presence())))

    async def _speak(self, client: Any) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            while self._waiting:
                pipeline = client.pipeline(transaction=False)
                for _ in range(min(len(self._waiting), MAX_AT_ONCE)):
                    pipeline.publish(CHANNEL, self._waiting.popleft())
                await pipeline.execute()

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            self._say(Alive())
            for node in self._peers.forget_silent(self.clock.monotonic()):
                self._observe("node_lost", Severity.WARNING, node=node)

    def _observe(self, name: str, severity: Severity, **facts: object) -> None:
        self.observer(Observation(name, severity, facts))
