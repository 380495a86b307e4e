"""The WebSocket shell: performs the effects of a connection over ASGI.

One task reads, a timer wakes, and frames are written at once. Only where the socket takes no more
does a task write, out of a bounded outbox: a client which stops reading neither slows others nor
grows memory, it is cut off.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Collection, Coroutine, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast
from urllib.parse import parse_qs, unquote

from starlette.types import Message, Receive, Scope, Send

from compat_base.postgres.database import Database
from compat_base.server import WRITE_EXTENSION, websocket_frame
from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Row
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.http import Headers
from compat_base.values.world import World
from realtime_compat import auth, errors
from realtime_compat.access import topics
from realtime_compat.auth import Caller
from realtime_compat.cluster.bus import Bus
from realtime_compat.hub import Hub
from realtime_compat.protocol import effects, questions
from realtime_compat.protocol.codec import Codec, codec_for
from realtime_compat.protocol.connection import Connection
from realtime_compat.protocol.deliveries import Delivery
from realtime_compat.protocol.effects import Effect
from realtime_compat.protocol.rules import Rules
from realtime_compat.replication.follower import Replication
from realtime_compat.revocation import Revocation
from realtime_compat.subscriptions import Subscriptions
from realtime_compat.transports.addresses import AddressLimits, address_of
from realtime_compat.transports.outbox import Outbox

WriteFrame: TypeAlias = Callable[[bytes], bool]
Frames: TypeAlias = str | bytes | tuple[str | bytes, ...]
Work: TypeAlias = Coroutine[Any, Any, None]

MAX_TOGETHER = 65_536  # characters; more would pass by what bounds a slow reader
LARGE_FRAME = 262_144  # bytes; a larger one is followed by a pause
LARGE_PER_SECOND = 4_000_000  # bytes that one socket is read at in large frames
MAX_BACKLOG = 100  # frames held back by questions; beyond it the socket is not read


@dataclass(slots=True)
class Service:
    """What every socket of this process works with."""

    rules: Rules
    hub: Hub
    subscriptions: Subscriptions
    replication: Replication
    database: Database
    supervisor: Supervisor
    world: World
    observer: Observer
    revocation: Revocation
    bus: Bus | None = None
    addresses: AddressLimits = field(init=False)
    sockets: set[Socket] = field(default_factory=lambda: set[Socket]())  # noqa: PLW0108 — Socket is defined below
    number: Callable[[], int] = field(default_factory=lambda: itertools.count(1).__next__)
    _framed: tuple[Frames, bytes] = ("", b"")

    def __post_init__(self) -> None:
        limits = self.rules.limits
        self.addresses = AddressLimits(limits.sockets_per_address, limits.new_sockets_per_address)

    def framed(self, frames: Frames) -> bytes:
        """The bytes on the wire; a room's members are given the same object in a row."""
        if self._framed[0] is not frames:
            if isinstance(frames, tuple):
                self._framed = (frames, b"".join(map(websocket_frame, frames)))
            else:
                self._framed = (frames, websocket_frame(frames))
        return self._framed[1]


@dataclass(frozen=True, slots=True)
class Handshake:
    """What the upgrade request asks for."""

    caller: Caller
    codec: Codec
    headers: Headers
    address: str | None


async def serve_socket(scope: Scope, receive: Receive, send: Send, service: Service) -> None:
    """Serve one WebSocket scope from its handshake to its end."""
    await receive()
    query = parse_qs(scope["query_string"].decode("latin-1"))
    codec = codec_for(query.get("vsn", [None])[0])
    if codec is None:
        await send({"type": "websocket.close", "code": 1000})  # before the upgrade: a bare 403
        return
    headers = tuple(
        (name.decode("latin-1").lower(), value.decode("latin-1"))
        for name, value in scope["headers"]
        if name.lower().startswith(b"x-")
    )
    try:
        caller = admit(dict(headers), query, service)
    except Exception as failure:  # noqa: BLE001 — whatever it is, a client is told in JSON
        error = failure if isinstance(failure, ApiError) else ApiError.of(errors.CONNECT_FAILED)
        observation = Observation(
            "handshake_refused", Severity.WARNING, {"reason": error.problem.message}
        )
        service.observer(observation)
        await refuse(send, error.problem.status, {"error": error.problem.message})
        return
    await send({"type": "websocket.accept"})
    write = scope.get("extensions", {}).get(WRITE_EXTENSION, {}).get("write", _write_nothing)
    address = address_of(dict(headers).get("x-forwarded-for"))
    socket = Socket(Handshake(caller, codec, headers, address), send, write, service)
    await socket.run(receive)


def admit(headers: dict[str, str], query: dict[str, list[str]], service: Service) -> Caller:
    """The caller of an upgrade; a gateway's `x-api-key` wins over the parameter."""
    given = headers.get("x-api-key") or query.get("apikey", [""])[0]
    token = auth.clean_token(unquote(given))
    if not token:
        raise ApiError.of(errors.API_KEY_MISSING)
    now = service.world.clock.now().timestamp()
    try:
        caller = auth.verify(token, service.rules.keys, now)
    except ApiError as error:
        raise _without_seconds(error) from error
    service.rules.revoked.check(caller)
    if len(service.sockets) >= service.rules.limits.connections:
        raise ApiError.of(errors.TOO_MANY_USERS)
    if service.rules.rates.joins.is_reached(now):
        raise ApiError.of(errors.TOO_MANY_JOINS)
    service.addresses.admit(address_of(headers.get("x-forwarded-for")), now)
    return caller


def _without_seconds(error: ApiError) -> ApiError:
    is_expired = error.problem.message.startswith(_words(errors.TOKEN_EXPIRED))
    return ApiError.of(errors.HANDSHAKE_TOKEN_EXPIRED) if is_expired else error


def _words(row: Row) -> str:
    return row.message.partition(" {")[0]


async def refuse(send: Send, status: int, answer: dict[str, str]) -> None:
    """Answer an upgrade by HTTP, in JSON."""
    body = jsontext.encode_bytes(answer)
    await send(
        {
            "type": "websocket.http.response.start",
            "status": status,
            "headers": [
                (b"content-type", b"application/json; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
            ],
        }
    )
    await send({"type": "websocket.http.response.body", "body": body})


class Started:
    """The rest of a coroutine that has been run up to its first wait, to be awaited."""

    __slots__ = ("_waited", "_work")

    def __init__(self, work: Work, waited: Any) -> None:
        self._work = work
        self._waited = waited

    def __await__(self) -> Generator[Any, None, None]:
        """Go on from where it waits."""
        while True:
            yield self._waited
            try:
                self._waited = self._work.send(None)
            except StopIteration:
                return


class Socket:
    """One open socket."""

    __slots__ = (
        "_closing", "_connection", "_handshake", "_loop", "_outbox",
        "_room", "_send", "_service", "_timer", "_write_frame", "_writer",
    )  # fmt: skip

    def __init__(
        self, handshake: Handshake, send: Send, write: WriteFrame, service: Service
    ) -> None:
        limits = service.rules.limits
        self._handshake = handshake
        self._send = send
        self._write_frame = write
        self._service = service
        self._loop = asyncio.get_running_loop()
        self._outbox = Outbox(limits.queue_bytes, limits.queue_seconds)
        self._closing: effects.Close | None = None
        self._room: asyncio.Event | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._writer: asyncio.Task[None] | None = None
        self._connection = Connection(
            handshake.caller,
            handshake.codec,
            service.rules,
            number=service.number,
            fresh_key=lambda: str(service.world.entropy.uuid()),
            now=self._now(),
        )

    async def run(self, receive: Receive) -> None:
        """Read until the socket is gone; then every channel ends as if left."""
        self._service.sockets.add(self)
        self._service.addresses.opened(self._handshake.address)
        self._service.revocation.watch(self._handshake.caller.session)
        self._set_timer()
        try:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return
                text = message.get("text")
                frame = message.get("bytes") or b"" if text is None else text
                self._perform(self._connection.receive(frame, self._now()))
                self._set_timer()
                while self._connection.backlog > MAX_BACKLOG:
                    self._room = asyncio.Event()
                    await self._room.wait()
                if len(frame) > LARGE_FRAME:
                    await asyncio.sleep(len(frame) / LARGE_PER_SECOND)
        finally:
            self._service.sockets.discard(self)
            self._service.addresses.closed(self._handshake.address)
            if self._timer is not None:
                self._timer.cancel()
            self._perform(self._connection.end(self._now()))
            if self._closing is None and self._writer is not None:
                self._writer.cancel()

    def touch(self) -> None:
        """The client is there, though it sent no frame."""
        self._connection.touch(self._now())
        self._set_timer()

    def sessions(self) -> list[str]:
        """The sessions that its tokens belong to."""
        return self._connection.sessions()

    def revoke(self, gone: Collection[str]) -> int:
        """End what belongs to these sessions; how many channels that were."""
        effects_ = self._connection.revoke(gone, self._now())
        self._perform(effects_)
        return sum(isinstance(effect, effects.Leave | effects.Close) for effect in effects_)

    def deliver(self, channel: int, delivery: Delivery, now: float) -> None:
        """Give a channel of this socket something."""
        self._perform(self._connection.deliver(channel, delivery, now))

    def _now(self) -> float:
        return self._service.world.clock.now().timestamp()

    def _perform(self, wanted: Sequence[Effect]) -> None:
        for effect in wanted:
            if isinstance(effect, effects.Send):
                self._put(effect.frame)
            elif isinstance(effect, effects.SendAll):
                self._put_all(effect.frames)
            else:
                self._perform_one(effect)

    def _perform_one(self, effect: effects.Command) -> None:
        service, hub = self._service, self._service.hub
        match effect:
            case effects.Close():
                self._close(effect)
            case effects.Enter(channel, room):
                hub.enter(channel, room, self)
            case effects.Leave(channel, room):
                hub.leave(channel, room)
                service.subscriptions.remove(channel)
            case effects.Subscribe(channel, entries, caller):
                service.subscriptions.subscribe(channel, entries, caller)
            case effects.Watch(caller):
                service.revocation.watch(caller.session)
            case effects.AwaitReplication(channel):
                service.replication.tell_when_up(channel)
            case effects.Publish(room, frame, sender, to_sender):
                hub.publish(room, frame, sender=None if to_sender else sender)
            case effects.Track(channel, room, key, value):
                hub.track(channel, room, key, value)
            case effects.Untrack(channel, room):
                hub.untrack(channel, room)
            case effects.ShowPresence(channel, room):
                hub.show_presence(channel, room)
            case effects.Observe(observation):
                service.observer(observation)
            case effects.Ask():
                service.supervisor.start(self._answer(effect), "topic-question")

    async def _answer(self, ask: effects.Ask) -> None:
        answer = await self._find_answer(ask.question)
        self._perform(self._connection.complete(ask.id, answer, self._now()))
        self._set_timer()
        if self._room is not None and self._connection.backlog <= MAX_BACKLOG:
            self._room.set()

    async def _find_answer(self, question: questions.Question) -> questions.Answer:
        service = self._service
        if isinstance(question, questions.AskSubscribe):
            notice = await service.subscriptions.join(
                question.channel, question.entries, question.caller
            )
            return questions.Subscribed(notice)
        return await topics.answer(
            service.database, question, self._handshake.headers, service.observer
        )

    # Writing

    def _put_all(self, frames: tuple[str | bytes, ...]) -> None:
        """Write frames in one go where the socket takes them, else one by one."""
        is_free = self._closing is None and self._writer is None
        is_small = len(frames) == 1 or sum(map(len, frames)) <= MAX_TOGETHER
        if not (is_free and is_small and self._write_frame(self._service.framed(frames))):
            for frame in frames:
                self._put(frame)

    def _put(self, frame: str | bytes) -> None:
        """Write a frame at once where the socket takes it, else let it wait its turn.

        Almost every send ends without waiting, and a task for each of a room's members would cost
        as much as the sending itself.
        """
        if self._closing is not None:
            return
        if self._writer is None and self._write_frame(self._service.framed(frame)):
            return
        if self._writer is not None or self._outbox:
            if not self._outbox.put(frame, self._loop.time()):
                self._cut_off()
            return
        sending = cast("Work", self._send(_message(frame)))
        try:
            waited = sending.send(None)
        except StopIteration:
            return
        except Exception:  # noqa: BLE001 — a lost client, in the server's own words; `run` ends
            return
        self._outbox.put(frame, self._loop.time())
        self._start_writer(Started(sending, waited))

    def _start_writer(self, sending: Started | None) -> None:
        self._writer = self._service.supervisor.start(self._write(sending), "socket-writer")

    def _close(self, close: effects.Close) -> None:
        """Close once what waits is out; at once, or later, also where the client does not read."""
        if self._closing is not None:
            return
        self._closing = close
        if self._writer is None:
            self._start_writer(None)
        elif close.code == errors.FLOOD_CLOSE:
            self._give_up()
        else:
            self._loop.call_later(self._service.rules.limits.queue_seconds, self._give_up)

    def _give_up(self) -> None:
        """Drop what the client does not read, and close."""
        if self._writer is not None and not self._writer.done():
            self._outbox.clear()
            self._writer.cancel()
            self._service.supervisor.start(self._say_goodbye(), "socket-close")

    def _cut_off(self) -> None:
        """The client reads too slowly: nothing that waits for it is kept."""
        self._closing = effects.Close(*errors.SLOW_READER_CLOSE)
        self._outbox.clear()
        self._service.observer(Observation("slow_reader_cut_off", Severity.WARNING))
        if self._writer is not None:
            self._writer.cancel()
        self._service.supervisor.start(self._say_goodbye(), "socket-close")
        # The channels end in a turn of their own: this may be the midst of a fan-out.
        self._loop.call_soon(self._end)

    def _end(self) -> None:
        self._perform(self._connection.end(self._now()))

    async def _write(self, sending: Started | None) -> None:
        """Write what waits until nothing does, or until the client is gone."""
        try:
            while self._outbox:
                await (sending or self._send(_message(self._outbox.first())))
                sending = None
                if self._outbox:
                    self._outbox.pop()
        except Exception:  # noqa: BLE001 — each server has its own word for a lost client
            self._outbox.clear()
        self._writer = None
        if self._closing is not None:
            await self._say_goodbye()

    async def _say_goodbye(self) -> None:
        close = self._closing or effects.Close(1000)
        message = {"type": "websocket.close", "code": close.code, "reason": close.reason}
        try:
            await self._send(message)
        except Exception:  # noqa: BLE001 — as above: it is gone already
            return

    # Time

    def _set_timer(self) -> None:
        if self._connection.is_closed:
            return
        delay = max(0.0, self._connection.next_wakeup() - self._now())
        when = self._loop.time() + delay
        if self._timer is not None:
            if not self._timer.cancelled() and self._timer.when() <= when:
                return  # it fires in time, and then asks again
            self._timer.cancel()
        self._timer = self._loop.call_at(when, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        self._perform(self._connection.wake(self._now()))
        self._set_timer()


def _message(frame: str | bytes) -> Message:
    return {"type": "websocket.send", "text" if isinstance(frame, str) else "bytes": frame}


def _write_nothing(_frame: bytes) -> bool:
    """A server without the extension: every frame goes by its `send`."""
    return False
