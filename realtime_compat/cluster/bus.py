"""The connection to Redis: says what this node does, hears what the others do.

While Redis is away this node serves its own sockets alone, and messages wait (`outgoing`). On
return the nodes tell each other their members as a whole. What is lost all the same is counted and
logged. Whatever comes is taken in by one door: what is wrong with a letter is counted there, and
never ends the bus.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from compat_base.tasks import Supervisor, raise_if_cancelled, run_together
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from realtime_compat.cluster.door import MAX_LETTER, Door, Project, Refusal
from realtime_compat.cluster.outgoing import BACK_SECONDS, Loss, Outgoing
from realtime_compat.cluster.peers import Peers
from realtime_compat.cluster.wire import Alive, Gone, Letter, Word, member_parts
from realtime_compat.hub import HubPort, Tracked, Untracked

ALIVE_SECONDS = 5.0
ASK_SECONDS = 1.0  # not more often than this
MEET_SECONDS = 0.05  # that a word to strangers waits for more of them
REPORT_SECONDS = 10.0  # between two lines of the log about letters that were dropped
FIRST_BACKOFF = 0.1
LAST_BACKOFF = 5.0

# Named, not imported: it takes 80 ms and 9 MB to load, which only who has several nodes spends. Of
# processor time it takes 29 µs for each letter of a pipeline and 26 to hear one; a bare socket,
# which takes 44 for a letter by itself, would have no TLS, no users and no addresses of Redis.
_REDIS = "redis.asyncio"


@dataclass(slots=True)
class Bus:
    """This node's place among the others."""

    url: str
    project: Project
    hub: HubPort
    supervisor: Supervisor
    clock: Clock
    observer: Observer
    _was_up: bool = False
    _number: int = 0
    _asked_at: float = 0.0
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _meeting: asyncio.Event = field(default_factory=asyncio.Event)
    _reported_at: float | None = None
    door: Door = field(init=False)
    _outgoing: Outgoing = field(init=False)
    _peers: Peers = field(init=False)
    _redis: Any = field(init=False)

    def __post_init__(self) -> None:
        self.door = Door(self.project, self.hub.node)
        self._outgoing = Outgoing(self.clock.monotonic())
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
                    goodbye = self.door.seal(Letter(self.hub.node, self._number, Gone()))
                    await client.publish(self.project.channel, goodbye)
            except (self._redis.RedisError, OSError, TimeoutError):
                pass
            finally:
                await client.aclose()

    @property
    def size(self) -> int:
        """How many nodes there are, this one included."""
        return len(self._peers) + 1

    @property
    def refused(self) -> Mapping[Refusal, int]:
        """How many letters were dropped, and why."""
        return self.door.refused

    @property
    def is_up(self) -> bool:
        """Whether Redis is reached."""
        return self._outgoing.is_up

    @property
    def waiting_bytes(self) -> int:
        """Of messages that Redis has not taken yet."""
        return self._outgoing.bytes

    @property
    def losses(self) -> Mapping[Loss, int]:
        """How many messages were lost, and why."""
        return self._outgoing.losses

    def _say(self, word: Word) -> None:
        """Have a word sent."""
        room = self._outgoing.put(word, self.clock.monotonic())
        if room is not None:
            self._observe("bus_overflow", Severity.WARNING, topic=room.topic[:200])
        self._news.set()

    def _seal(self, said: int, word: Word) -> bytes | None:
        """A word as a letter; None for one that no node would read."""
        number = self._number + isinstance(word, Tracked | Untracked)
        letter = self.door.seal(Letter(self.hub.node, number, word, said))
        if len(letter) > MAX_LETTER:
            self._outgoing.losses[Loss.TOO_LARGE] += 1
            self._observe("bus_letter_too_large", Severity.WARNING, size=len(letter))
            return None
        self._number = number
        return letter

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
            self._outgoing.went_down(self.clock.monotonic())
            await subscription.aclose()
            await client.aclose()

    def _greet(self) -> None:
        now = self.clock.monotonic()
        self._was_up = True
        self._outgoing.came_up(now)
        self._peers.wait_again(now)
        self._say_alive(asks=True)
        self._say_members()
        asyncio.get_running_loop().call_later(BACK_SECONDS, self._news.set)
        self._observe("bus_up", Severity.INFO, held_bytes=self.waiting_bytes)
        if expired := self._outgoing.losses[Loss.EXPIRED]:
            self._observe("bus_expired", Severity.WARNING, messages_so_far=expired)

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
        now, missed = self.clock.monotonic(), self._peers.missed
        is_new = letter.node not in self._peers.nodes()
        must_ask = self._peers.receive(letter, now)
        if count := self._peers.missed - missed:
            self._outgoing.losses[Loss.MISSED] += count
            self._observe("bus_missed", Severity.WARNING, node=letter.node, messages=count)
        if self._outgoing.is_waiting:
            self._news.set()  # perhaps for this node to be back
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
        for part in member_parts(self.hub.local_presence()):
            self._say(part)

    async def _speak(self, client: Any) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            while await self._speak_once(client):
                pass

    async def _speak_once(self, client: Any) -> bool:
        """Give Redis what waits, some at once; whether there was any."""
        outgoing, now = self._outgoing, self.clock.monotonic()
        is_held = outgoing.is_held(now, are_back=self._peers.are_back)
        words = outgoing.take_signs() if is_held else outgoing.take()
        pipeline = client.pipeline(transaction=False)
        for letter in (self._seal(*word) for word in words):
            if letter is not None:
                pipeline.publish(self.project.channel, letter)
        await pipeline.execute()
        if not is_held:
            outgoing.confirm()
        return bool(words)

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
