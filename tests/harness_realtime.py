"""Realtime in tests: scripts for the protocol, and a served service with plain WebSocket clients."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import asyncpg
import websockets

from compat_base.asgi import Lifespan
from compat_base.server import Server, serve
from compat_base.sockets import listen
from compat_base.values import jwt
from compat_base.values.events import Observation
from compat_base.values.world import Clock, real_world
from realtime_compat import open_service
from realtime_compat.auth import Caller, Keys, verify
from realtime_compat.protocol.codec import V1, V2, Codec
from realtime_compat.protocol.connection import Connection
from realtime_compat.protocol.deliveries import Delivery
from realtime_compat.protocol.effects import Ask, Close, Effect, Leave, Observe, Send, SendAll
from realtime_compat.protocol.limits import Rate
from realtime_compat.protocol.questions import Answer
from realtime_compat.protocol.rules import Rates, Rules
from realtime_compat.settings import Limits, Settings, read_settings
from tests.harness_fork import Program, start_program

SECRET = "a-secret-of-the-tests-that-is-long-enough"
KEYS = Keys(jwt.secret_key(SECRET))
START = 1_800_000_000.0  # the scripts' clock
FAR = 4_000_000_000  # an expiry that no test lives to see
TIMEOUT = 60.0  # seconds for a frame that must come
PATIENT = {"REALTIME_IDLE_TIMEOUT": "600"}  # a socket that waits for one sends no heartbeats


def token(role: str = "anon", *, exp: float | None = FAR, **claims: Any) -> str:
    """A signed token; `exp=None` leaves that claim out."""
    times = {} if exp is None else {"exp": exp}
    return jwt.sign({"role": role} | times | claims, KEYS.secret)


def caller(role: str = "anon", **claims: Any) -> Caller:
    return verify(token(role, **claims), KEYS, 0)


# Scripts for the protocol


@dataclass
class Script:
    """A scripted connection: what it receives, and the effects that must follow.

    After each `receives`, `answered`, `given` or `later` the script names the effects in order;
    `silent` ends it.
    """

    connection: Connection
    codec: Codec
    now: float = START
    pending: list[Effect] = field(default_factory=list)
    script: list[str] = field(default_factory=list)

    def receives(self, frame: Any) -> Script:
        """The client sends a frame (text, bytes, or a value that becomes JSON)."""
        sent = frame if isinstance(frame, str | bytes) else json.dumps(frame, separators=(",", ":"))
        return self._did(f">> {frame!r}", self.connection.receive(sent, self.now))

    def joins(self, topic: str = "realtime:room", ref: str = "1", **config: Any) -> Script:
        return self.receives([ref, ref, topic, "phx_join", {"config": config}])

    def answered(self, answer: Answer, ask_id: int | None = None) -> Script:
        """The last question (or a given one) is answered."""
        number = self.last_ask if ask_id is None else ask_id
        return self._did(
            f">> answer {answer!r}", self.connection.complete(number, answer, self.now)
        )

    def given(self, delivery: Delivery, channel: int = 1) -> Script:
        return self._did(f">> {delivery!r}", self.connection.deliver(channel, delivery, self.now))

    def later(self, seconds: float) -> Script:
        """Time passes, and the connection is woken as often as it wants to be."""
        end = self.now + seconds
        while not self.connection.is_closed and self.connection.next_wakeup() <= end:
            self.now = max(self.now, self.connection.next_wakeup())
            self.pending += self.connection.wake(self.now)
        self.now = end
        return self

    def clock_set(self, seconds: float) -> Script:
        """The clock is set ahead, or back where negative."""
        self.now += seconds
        self.connection.clock_was_set(seconds)
        return self

    def sends(self, *frames: Any) -> Script:
        """The next frames to the client, in order; JSON text is compared as values."""
        for frame in frames:
            effect = self._next()
            assert isinstance(effect, Send), self._failure(f"a frame {frame!r}", effect)
            shown = effect.frame
            actual = (
                json.loads(shown)
                if isinstance(shown, str) and not isinstance(frame, str)
                else shown
            )
            assert actual == frame, self._failure(frame, actual)
        return self

    def replies(
        self,
        status: str,
        response: Any,
        ref: str = "1",
        topic: str = "realtime:room",
        join_ref: str | None = "1",
    ) -> Script:
        return self.sends(
            [join_ref, ref, topic, "phx_reply", {"status": status, "response": response}]
        )

    def system(
        self, status: str, message: str, *, extension: str = "system", topic: str = "room"
    ) -> Script:
        body = {"extension": extension, "status": status, "message": message, "channel": topic}
        return self.sends(["1", None, f"realtime:{topic}", "system", body])

    def closes_channel(self, topic: str = "realtime:room", ref: str = "1") -> Script:
        self.wants(Leave)
        return self.sends([ref, ref, topic, "phx_close", {}])

    def wants(self, expected: Any) -> Script:
        """The next effect, or the question that it asks, is this one or of this kind."""
        effect: Any = self._next()
        if isinstance(effect, Ask):
            self.last_ask, effect = effect.id, effect.question
        if isinstance(expected, type):
            assert isinstance(effect, expected), self._failure(expected, effect)
        else:
            assert effect == expected, self._failure(expected, effect)
        return self

    def observes(self, name: str) -> Script:
        effect = self._next()
        assert isinstance(effect, Observe), self._failure(name, effect)
        assert effect.observation.name == name, self._failure(name, effect)
        return self

    def closes(self, code: int) -> Script:
        effect = self._next()
        assert isinstance(effect, Close), self._failure(code, effect)
        assert effect.code == code, self._failure(code, effect)
        return self

    def silent(self) -> Script:
        assert self.pending == [], self._failure("nothing", self.pending)
        return self

    def _did(self, line: str, effects: list[Effect]) -> Script:
        assert self.pending == [], self._failure("nothing before this", self.pending)
        self.script.append(line)
        self.pending = [
            part
            for effect in effects
            for part in (map(Send, effect.frames) if isinstance(effect, SendAll) else (effect,))
        ]
        return self

    def _next(self) -> Effect | None:
        effect = self.pending.pop(0) if self.pending else None
        self.script.append(f"<< {effect!r}")
        return effect

    def _failure(self, wanted: object, got: object) -> str:
        return "\n".join([*self.script, f"wanted: {wanted!r}", f"got:    {got!r}"])


def make_rules(**changes: Any) -> Rules:
    private_only = changes.pop("private_only", False)
    limits = Limits(**changes)
    rates = Rates(
        Rate(limits.events_per_second),
        Rate(limits.presence_per_second),
        Rate(limits.joins_per_second),
    )
    return Rules(KEYS, limits, rates, private_only=private_only)


def new_script(
    codec: Codec = V2, who: Caller | None = None, rules: Rules | None = None, **limits: Any
) -> Script:
    numbers = itertools.count(1)
    connection = Connection(
        who or caller(),
        codec,
        rules or make_rules(**limits),
        number=lambda: next(numbers),
        fresh_key=lambda: "a-fresh-key",
        now=START,
    )
    return Script(connection, codec)


def joined(
    codec: Codec = V2, *, who: Caller | None = None, rules: Rules | None = None, **config: Any
) -> Script:
    """A script whose client has joined the public topic `realtime:room` and whose effects are taken."""
    script = new_script(codec, who, rules).joins(**config)
    script.pending.clear()
    return script


# A served service


@dataclass
class Served:
    """A running service; `url` is its base without scheme."""

    address: str
    settings: Settings
    database_url: str
    observed: list[Observation]

    def connect(
        self,
        key: str | None = None,
        *,
        vsn: str | None = "2.0.0",
        path: str = "/socket/websocket",
        headers: Sequence[tuple[str, str]] = (),
    ) -> Any:
        """A context with a Client on a new socket."""
        return _client(self, token() if key is None else key, vsn, path, headers)

    async def sql(self, *statements: str) -> Any:
        """Run statements as the owner; the last one's rows."""
        connection = await asyncpg.connect(self.database_url)
        try:
            for statement in statements[:-1]:
                await connection.execute(statement)
            return await connection.fetch(statements[-1])
        finally:
            await connection.close()

    def has_observed(self, name: str) -> bool:
        return any(observation.name == name for observation in self.observed)


@contextlib.asynccontextmanager
async def serve_realtime(
    database_url: str,
    *,
    is_streaming: bool = True,
    clock: Clock | None = None,
    **variables: str,
) -> AsyncIterator[Served]:
    """Serve the service on a free port until the block ends; at once unless `is_streaming`."""
    values = {"API_JWT_SECRET": SECRET, "DATABASE_URL": database_url, **PATIENT} | variables
    settings = read_settings(values)
    observed: list[Observation] = []
    streaming = asyncio.Event()

    def observe(seen: Observation) -> None:
        observed.append(seen)
        if seen.name == "replication_up":
            streaming.set()

    world = real_world() if clock is None else replace(real_world(), clock=clock)
    app = Lifespan(lambda: open_service(settings, world=world, observer=observe))
    listening = listen("127.0.0.1", 0)
    started = asyncio.Event()
    server = Server(app, started=started.set)
    address = f"127.0.0.1:{listening.getsockname()[1]}"
    serving = asyncio.create_task(serve(server, [listening]))
    await started.wait()
    served = Served(address, settings, database_url, observed)
    try:
        if is_streaming:
            await streaming.wait()
        yield served
    finally:
        server.stop()
        await serving


def realtime_process(database_url: str, **variables: str) -> tuple[Program, str]:
    """`python -m realtime_compat` on a free port, for tests that kill it; and its address."""
    given = {"API_JWT_SECRET": SECRET, "DATABASE_URL": database_url, "PORT": "0", **PATIENT}
    values = given | variables
    process = start_program(["realtime_compat"], env=os.environ | values)
    assert process.stdout is not None
    with process.stdout as output:
        address = output.readline().strip().rpartition("//")[2]
    return process, address


@dataclass
class Client:
    """A plain client: frames as values, in either version."""

    socket: Any
    codec: Codec
    served: Served
    seen: list[Any] = field(default_factory=list)
    refs: Callable[[], int] = field(default_factory=lambda: itertools.count(1).__next__)

    async def send(
        self,
        topic: str,
        event: str,
        payload: Any,
        *,
        ref: str | None = None,
        join_ref: str | None = None,
    ) -> str:
        number = str(self.refs()) if ref is None else ref
        if self.codec is V1:
            body: Any = {"topic": topic, "event": event, "payload": payload, "ref": number}
        else:
            body = [join_ref, number, topic, event, payload]
        await self.socket.send(json.dumps(body))
        return number

    async def next(self, seconds: float = TIMEOUT) -> Any:
        """The next frame: (join_ref, ref, topic, event, payload), or bytes."""
        async with asyncio.timeout(seconds):
            return self._read(await self.socket.recv())

    def _read(self, frame: str | bytes) -> Any:
        if isinstance(frame, bytes):
            return frame
        value = json.loads(frame)
        if self.codec is V1:
            assert value.keys() == {"topic", "event", "payload", "ref"}
            return None, value["ref"], value["topic"], value["event"], value["payload"]
        return tuple(value)

    async def until(self, event: str, seconds: float = TIMEOUT) -> Any:
        """The payload of the next frame of an event; what comes before is kept in `seen`."""
        return self._read(await self.text_until(event, seconds))[4]

    async def text_until(self, event: str, seconds: float = TIMEOUT) -> str:
        """The text of the next frame of an event, as it came; what comes before is in `seen`."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    text = await self.socket.recv()
                    frame = self._read(text)
                    if not isinstance(frame, bytes) and frame[3] == event:
                        return text
                    self.seen.append(frame)
        except TimeoutError:
            raise TimeoutError(
                f"no {event} came, but {self.seen}; observed: {self.served.observed}"
            ) from None

    async def join(
        self, topic: str = "room", *, access_token: str | None = None, **config: Any
    ) -> Any:
        """Join and give the reply's payload."""
        payload: dict[str, Any] = {"config": config}
        if access_token is not None:
            payload["access_token"] = access_token
        ref = str(self.refs())
        await self.send(f"realtime:{topic}", "phx_join", payload, ref=ref, join_ref=ref)
        return await self.until("phx_reply")

    async def subscribe(
        self, *changes: dict[str, Any], topic: str = "room", **rest: Any
    ) -> list[int]:
        """Join for changes, wait until they are live, and give the entries' ids."""
        reply = await self.join(topic, postgres_changes=list(changes), **rest)
        assert reply["status"] == "ok", reply
        system = await self.until("system")
        assert system["status"] == "ok", system
        return [entry["id"] for entry in reply["response"]["postgres_changes"]]

    async def change(self, seconds: float = TIMEOUT) -> Any:
        """The next change's payload."""
        return await self.until("postgres_changes", seconds)

    async def frames_until_heartbeat(self, *, ref: str = "fence") -> list[Any]:
        """What came before a heartbeat's reply: nothing else is on its way from the server."""
        await self.send("phoenix", "heartbeat", {}, ref=ref)
        frames = []
        while True:
            frame = await self.next()
            if not isinstance(frame, bytes) and frame[2] == "phoenix":
                return frames
            frames.append(frame)


@contextlib.asynccontextmanager
async def _client(
    served: Served, key: str, vsn: str | None, path: str, headers: Sequence[tuple[str, str]]
) -> AsyncIterator[Client]:
    query = "&".join(
        part for part in (f"apikey={key}" if key else "", f"vsn={vsn}" if vsn else "") if part
    )
    async with websockets.connect(
        f"ws://{served.address}{path}?{query}", additional_headers=list(headers), max_size=None
    ) as socket:
        yield Client(socket, V2 if vsn and vsn.startswith("2") else V1, served)
