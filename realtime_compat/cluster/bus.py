"""The connection to Redis: says what this node does, hears what the others do.

While Redis is away this node serves its own sockets alone; what it would have said is dropped,
and on return the nodes tell each other their members as a whole. Whatever comes is taken in by one
door: what is wrong with a letter is counted there, and never ends the bus.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from compat_base.tasks import Supervisor, raise_if_cancelled, run_together
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from realtime_compat.cluster.door import Door, Project, Refusal
from realtime_compat.cluster.peers import Peers
from realtime_compat.cluster.waiting import Waiting
from realtime_compat.cluster.wire import Alive, Gone, Letter, Members, Word
from realtime_compat.hub import Hub, Tracked, Untracked

ALIVE_SECONDS = 5.0
ASK_SECONDS = 1.0  # not more often than this
MEET_SECONDS = 0.05  # that a word to strangers waits for more of them
REPORT_SECONDS = 10.0  # between two lines of the log about letters that were dropped
MEMBERS_AT_ONCE = 1000  # in one letter
FIRST_BACKOFF = 0.1
LAST_BACKOFF = 5.0
MAX_AT_ONCE = 500  # letters given to Redis at once
MAX_BYTES_AT_ONCE = 4_000_000

_REDIS = "redis.asyncio"  # named, not imported: only who has several nodes spends the time for it


@dataclass(slots=True)
class Bus:
    """This node's place among the others."""

    url: str
    project: Project
    hub: Hub
    supervisor: Supervisor
    clock: Clock
    observer: Observer
    is_up: bool = False
    _was_up: bool = False
    _number: int = 0
    _asked_at: float = 0.0
    _waiting: Waiting = field(default_factory=Waiting)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _meeting: asyncio.Event = field(default_factory=asyncio.Event)
    _reported_at: float | None = None
    door: Door = field(init=False)
    _peers: Peers = field(init=False)
    _redis: Any = field(init=False)

    def __post_init__(self) -> None:
        self.door = Door(self.project, self.hub.node)
        self._peers = Peers(self.hub)
        self._redis = import_module(_REDIS)

    def start(self) -> None:
        """Connect, and stay connected."""
        self.hub.connect(self._say)
        self.supervisor.keep_running(self._stay, "bus")

    async def stop(self) -> None:
        """Say goodbye, so that this node's members leave at once."""
        if self.is_up:
            client = self._client()
            try:
                async with asyncio.timeout(1):
                    await client.publish(self.project.channel, self._letter(Gone()))
            except (self._redis.RedisError, OSError, TimeoutError):
                pass
            finally:
                await client.aclose()

    @property
    def size(self) -> int:
        """How many nodes there are, this one included."""
        return len(self._peers) + 1

    def _say(self, word: Word) -> None:
        """Have a word sent; while Redis is away it is dropped."""
        if not self.is_up:
            return
        room = self._waiting.put(word)
        if room is not None:
            self._observe("bus_overflow", Severity.WARNING, topic=room.topic[:200])
        self._news.set()

    def _letter(self, word: Word) -> bytes:
        if isinstance(word, Tracked | Untracked):
            self._number += 1
        return self.door.seal(Letter(self.hub.node, self._number, word))

    def _client(self) -> Any:
        connect = self._redis.Redis.from_url
        return connect(self.url, socket_connect_timeout=5, socket_keepalive=True)

    async def _stay(self) -> None:
        backoff = FIRST_BACKOFF
        while True:
            try:
                await self._live()
            except (self._redis.RedisError, OSError) as error:
                raise_if_cancelled()
                self._observe("bus_down", Severity.WARNING, error=str(error))
                backoff = FIRST_BACKOFF if self._was_up else min(2 * backoff, LAST_BACKOFF)
                self._was_up = False
            await asyncio.sleep(backoff)

    async def _live(self) -> None:
        """One life of the connection; it ends by an exception."""
        client = self._client()
        subscription = client.pubsub(ignore_subscribe_messages=True)
        try:
            await subscription.subscribe(self.project.channel)
            await client.ping()
            self._greet()
            await run_together(self._hear(subscription), self._speak(client), self._keep_alive())
        finally:
            self.is_up = False
            await subscription.aclose()
            await client.aclose()

    def _greet(self) -> None:
        self.is_up = self._was_up = True
        self._waiting = Waiting()
        self._peers.wait_again(self.clock.monotonic())
        self._say_alive(asks=True)
        self._say_members()
        self._observe("bus_up", Severity.INFO)

    async def _hear(self, subscription: Any) -> None:
        while True:
            message = await subscription.get_message(timeout=None)
            if message is not None and message["type"] == "message":
                self._take(cast("bytes", message["data"]))

    def _take(self, data: bytes) -> None:
        """Take in what came, whatever it is."""
        try:
            found = self.door.open(data)
            if isinstance(found, Letter):
                self._heed(found)
        except Exception as error:  # noqa: BLE001 — one letter must never end the bus
            self.door.refused[Refusal.UNREADABLE] += 1
            self._report(f"{type(error).__name__}: {error}")
            return
        if found is Refusal.STRANGER:
            self._meeting.set()
        elif isinstance(found, Refusal):
            self._report(found.value)

    def _heed(self, letter: Letter) -> None:
        now = self.clock.monotonic()
        is_new = letter.node not in self._peers.nodes()
        must_ask = self._peers.receive(letter, now)
        if is_new and letter.node in self._peers.nodes():
            self._observe("node_met", Severity.INFO, node=letter.node)
            self._meeting.set()
        if isinstance(letter.word, Alive) and letter.word.asks:
            self._say_members()
        if must_ask and now - self._asked_at >= ASK_SECONDS:
            self._asked_at = now
            self._say_alive(asks=True)

    def _report(self, reason: str) -> None:
        """A line about dropped letters now and then, or a flood of them would fill the log."""
        now = self.clock.monotonic()
        if self._reported_at is None or now - self._reported_at >= REPORT_SECONDS:
            self._reported_at = now
            refused = sum(self.door.refused.values())
            self._observe("bus_refused", Severity.WARNING, reason=reason, so_far=refused)

    def _say_alive(self, *, asks: bool = False) -> None:
        """Say that this node is there, and whom it has heard, so that they hear it too."""
        knows = (*self._peers.nodes(), *self.door.strangers)
        self.door.strangers.clear()
        self._say(Alive(asks, knows))

    def _say_members(self) -> None:
        tracked = self.hub.local_presence()
        starts = range(0, max(len(tracked), 1), MEMBERS_AT_ONCE)
        for start in starts:
            part = tuple(tracked[start : start + MEMBERS_AT_ONCE])
            self._say(Members(part, first=start == 0, last=start == starts[-1]))

    async def _speak(self, client: Any) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            while self._waiting:
                pipeline = client.pipeline(transaction=False)
                for word in self._waiting.take(MAX_AT_ONCE, MAX_BYTES_AT_ONCE):
                    pipeline.publish(self.project.channel, self._letter(word))
                await pipeline.execute()

    async def _keep_alive(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(ALIVE_SECONDS):
                    await self._meeting.wait()
                    await asyncio.sleep(MEET_SECONDS)
            self._meeting.clear()
            self._say_alive()
            for node in self._peers.forget_silent(self.clock.monotonic()):
                self._observe("node_lost", Severity.WARNING, node=node)

    def _observe(self, name: str, severity: Severity, **facts: object) -> None:
        self.observer(Observation(name, severity, facts))
