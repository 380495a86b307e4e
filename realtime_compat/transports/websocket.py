"""The WebSocket shell: performs the effects of a connection over ASGI.

One task reads, a timer wakes, and frames are written at once where the socket takes them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Generator, Sequence
from urllib.parse import parse_qs

from starlette.types import Receive, Scope, Send

from compat_base.server import WRITE_EXTENSION
from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from compat_base.values.events import Observation, Severity
from realtime_compat import errors
from realtime_compat.access import topics
from realtime_compat.protocol import effects, questions
from realtime_compat.protocol.codec import codec_for
from realtime_compat.protocol.connection import Connection
from realtime_compat.protocol.deliveries import Delivery
from realtime_compat.protocol.effects import Effect
from realtime_compat.transports.frame_writer import FrameWriter, WriteNow
from realtime_compat.transports.handshake import Handshake, admit
from realtime_compat.transports.service import Service

SMALL_FRAME = 1_024  # bytes; a larger one may hold a join of many entries, and waits its turn
LARGE_FRAME = 262_144  # bytes; a larger one is followed by a pause
LARGE_PER_SECOND = 4_000_000  # bytes that one socket is read at in large frames
CLOCK_STEP = 1.0  # seconds that the clock may be set by without a word
MAX_BACKLOG = 100  # frames held back by questions; beyond it the socket is not read


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
        handshake = admit(headers, query, codec, service)
    except Exception as failure:  # noqa: BLE001 — any failure is answered in JSON
        error = failure if isinstance(failure, ApiError) else ApiError.of(errors.CONNECT_FAILED)
        observation = Observation(
            "handshake_refused", Severity.WARNING, {"reason": error.problem.message}
        )
        service.observer(observation)
        await refuse(send, error.problem.status, {"error": error.problem.message})
        return
    await send({"type": "websocket.accept"})
    write = scope.get("extensions", {}).get(WRITE_EXTENSION, {}).get("write", _write_nothing)
    await Socket(handshake, send, service.frames.writer(write), service).run(receive)


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


class Socket:
    """One open socket."""

    __slots__ = (
        "_ahead", "_connection", "_handshake", "_loop", "_room", "_service", "_timer", "_writer"
    )  # fmt: skip

    def __init__(
        self, handshake: Handshake, send: Send, write_now: WriteNow, service: Service
    ) -> None:
        self._handshake = handshake
        self._service = service
        self._loop = asyncio.get_running_loop()
        self._room: asyncio.Event | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._writer = FrameWriter(
            send,
            write_now,
            service.rules.limits,
            supervisor=service.supervisor,
            observer=service.observer,
            on_cut_off=self._end,
        )
        clock = service.world.clock
        now = clock.now().timestamp()
        self._ahead = now - clock.monotonic()
        self._connection = Connection(
            handshake.caller,
            handshake.codec,
            service.rules,
            number=service.number,
            fresh_key=lambda: str(service.world.entropy.uuid()),
            now=now,
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
                if len(frame) <= SMALL_FRAME:
                    self._receive(frame)
                else:
                    await self._service.long_work.run(self._receive_in_turn(frame))
                self._set_timer()
                while self._connection.backlog > MAX_BACKLOG:
                    self._room = asyncio.Event()
                    await self._room.wait()
                size = len(frame)
                del message, text, frame  # else they lie in memory for as long as the pause
                if size > LARGE_FRAME:
                    await asyncio.sleep(size / LARGE_PER_SECOND)
        finally:
            self._service.sockets.discard(self)
            self._service.addresses.closed(self._handshake.address)
            if self._timer is not None:
                self._timer.cancel()
            self._end()
            self._writer.stop()

    def touch(self) -> None:
        """Note that the client is alive, though it sent no frame."""
        self._connection.touch(self._now())
        self._set_timer()

    def sessions(self) -> list[str]:
        """The sessions that its tokens belong to."""
        return self._connection.sessions()

    def revoke(self, gone: Collection[str]) -> int:
        """Close channels of these sessions; how many there were."""
        effects_ = self._connection.revoke(gone, self._now())
        self._perform(effects_)
        return sum(isinstance(effect, effects.Leave | effects.Close) for effect in effects_)

    def deliver(self, channel: int, delivery: Delivery, now: float) -> None:
        """Deliver something to a channel of this socket."""
        self._perform(self._connection.deliver(channel, delivery, now))

    def _receive(self, frame: str | bytes) -> None:
        self._perform(self._connection.receive(frame, self._now()))

    def _receive_in_turn(self, frame: str | bytes) -> Generator[None]:
        self._receive(frame)
        yield from ()

    def _end(self) -> None:
        self._perform(self._connection.end(self._now()))

    def _now(self) -> float:
        clock = self._service.world.clock
        now = clock.now().timestamp()
        set_by = now - clock.monotonic() - self._ahead
        if abs(set_by) > CLOCK_STEP:
            self._ahead += set_by
            self._connection.clock_was_set(set_by)
        return now

    def _perform(self, wanted: Sequence[Effect]) -> None:
        for effect in wanted:
            if isinstance(effect, effects.Send):
                self._writer.put(effect.frame)
            elif isinstance(effect, effects.SendAll):
                self._writer.put_all(effect.frames)
            else:
                self._perform_one(effect)

    def _perform_one(self, effect: effects.Command) -> None:
        service, hub = self._service, self._service.hub
        match effect:
            case effects.Close():
                self._writer.close(effect)
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
                service.replication.notify_when_up(channel)
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
        if isinstance(question, questions.AskRouted):
            await service.hub.await_routed(question.room)
            return questions.Routed()
        return await topics.answer(
            service.database, question, self._handshake.headers, service.observer
        )

    # Time

    def _set_timer(self) -> None:
        if self._connection.is_closed:
            return
        delay = max(0.0, self._connection.next_wakeup() - self._now())
        when = self._loop.time() + delay
        if self._timer is not None:
            if not self._timer.cancelled() and self._timer.when() <= when:
                return  # it fires in time, and is then set again
            self._timer.cancel()
        self._timer = self._loop.call_at(when, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        self._perform(self._connection.wake(self._now()))
        self._set_timer()


def _write_nothing(_frame: bytes) -> bool:
    """A server without the extension: every frame goes by its `send`."""
    return False
