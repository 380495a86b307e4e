"""Broadcasts over HTTP, in batches and by topic (realtime reference 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote

from compat_base.postgres.database import Database
from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.slices import Slices
from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Row
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.http import Headers, HttpRequest, HttpResponse, bearer
from compat_base.values.world import Clock
from realtime_compat import auth, errors
from realtime_compat.access import topics
from realtime_compat.access.revocation import Revocation
from realtime_compat.access.rows import QUERY_CANCELED
from realtime_compat.auth import Caller
from realtime_compat.hub import Hub
from realtime_compat.protocol.codec import is_json
from realtime_compat.protocol.messages import (
    BROADCAST,
    TOPIC_PREFIX,
    Message,
    RoomName,
    UserBroadcast,
)
from realtime_compat.protocol.rules import Rules
from realtime_compat.transports.batch import BatchTooLargeError, elements, read_batch
from realtime_compat.transports.batch_message import (
    BLANK,
    INVALID,
    TOO_LARGE,
    BatchMessage,
    Faults,
    UnprocessableError,
    read_message,
)

PREFIX = "/api/broadcast"
JSON = "application/json"
BYTES = "application/octet-stream"

_ACCEPTED = 202


@dataclass(frozen=True, slots=True)
class Broadcasts:
    """The endpoints of broadcasts: batches, and one topic."""

    rules: Rules
    hub: Hub
    database: Database
    clock: Clock
    observer: Observer
    revocation: Revocation

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer a request below /api/broadcast."""
        try:
            caller = await self._caller(request)
            place = _place(request)
            if request.method != "POST" or place is None:
                raise ApiError.of(errors.HTTP_NOT_FOUND)
            if place == ():
                await self._batch(request, caller)
            else:
                await self._one(request, caller, *place)
        except ApiError as error:
            return self._with_rate(_error(error.problem.status, error.problem.message))
        except UnprocessableError as error:
            return self._with_rate(json_response(error.status, error.body))
        return self._with_rate(HttpResponse(_ACCEPTED))

    async def _caller(self, request: HttpRequest) -> Caller:
        token = bearer(request.headers) or request.header("apikey") or ""
        try:
            caller = auth.verify(auth.clean_token(token), self.rules.keys, self._now())
            await self.revocation.check(caller)
        except ApiError as error:
            raise ApiError.of(errors.HTTP_UNAUTHORIZED) from error
        return caller

    # A batch

    async def _batch(self, request: HttpRequest, caller: Caller) -> None:
        slices = Slices(self.clock)
        messages = await self._read_batch(request.body, slices)
        self._check_rate(len(messages))
        allowed: dict[str, bool] = {}
        for message in messages:
            await slices.rest()
            room = message.room
            if room.is_private and room.topic not in allowed:
                allowed[room.topic] = await self._is_writable(room.topic, caller, request.headers)
            if not room.is_private or allowed[room.topic]:
                self._publish(room, Message(TOPIC_PREFIX + room.topic, BROADCAST, message.body()))

    async def _read_batch(self, body: bytes, slices: Slices) -> Sequence[BatchMessage]:
        read: list[BatchMessage | Faults] = []
        try:
            messages = _array(await slices.run(read_batch(body)))
            texts = await slices.run(elements(messages))
        except ValueError as error:
            raise ApiError.of(errors.HTTP_MALFORMED) from error
        except BatchTooLargeError as error:
            raise ApiError.of(errors.HTTP_BATCH_TOO_LARGE) from error
        for text in texts:
            read.append(read_message(text, self.rules.limits.payload_bytes))
            await slices.rest()
        if not read:
            raise UnprocessableError(422, {"errors": {"messages": BLANK}})
        valid = [message for message in read if isinstance(message, BatchMessage)]
        if len(valid) < len(read):
            faults = [{} if isinstance(one, BatchMessage) else one for one in read]
            raise UnprocessableError(422, {"errors": {"messages": faults}})
        return valid

    # One message

    async def _one(self, request: HttpRequest, caller: Caller, topic: str, event: str) -> None:
        query = parse_qs(request.query)
        room = RoomName(topic, query.get("private", ["false"])[0].lower() == "true")
        frame = self._read_frame(request, topic, event)
        self._check_rate(1)
        if room.is_private and not await self._may_write_one(topic, caller, request.headers):
            raise ApiError.of(errors.HTTP_FORBIDDEN)
        self._publish(room, frame)

    def _read_frame(self, request: HttpRequest, topic: str, event: str) -> UserBroadcast:
        media = (request.header("content-type") or JSON).partition(";")[0].strip().lower()
        if media not in {JSON, BYTES}:
            text = "Unsupported Media Type. Use application/json or application/octet-stream"
            raise UnprocessableError(415, {"error": text})
        body = request.body
        if media == JSON and len(body) <= self.rules.limits.payload_bytes:
            body = _json_body(body)
        if len(body) > self.rules.limits.payload_bytes:
            raise UnprocessableError(422, {"errors": {"payload": TOO_LARGE}})
        return UserBroadcast(TOPIC_PREFIX + topic, event, body, is_binary=media == BYTES)

    async def _may_write_one(self, topic: str, caller: Caller, headers: Headers) -> bool:
        try:
            return await topics.may_write(self.database, topic, caller, BROADCAST, headers)
        except (PgFault, PoolTimeout, Unavailable) as error:
            self._observe(topic, error)
            raise ApiError.of(_http_row(error)) from error

    # Both

    async def _is_writable(self, topic: str, caller: Caller, headers: Headers) -> bool:
        try:
            return await topics.may_write(self.database, topic, caller, BROADCAST, headers)
        except (PgFault, PoolTimeout, Unavailable) as error:
            self._observe(topic, error)
            return False

    def _publish(self, room: RoomName, frame: Message | UserBroadcast) -> None:
        self.rules.rates.events.add(1, self._now())
        self.hub.publish(room, frame)

    def _check_rate(self, count: int) -> None:
        events, now = self.rules.rates.events, self._now()
        if events.is_reached(now):
            raise ApiError.of(errors.HTTP_RATE)
        if 1 < count > events.headroom(now):
            raise ApiError.of(errors.HTTP_BATCH_TOO_LARGE)

    def _with_rate(self, response: HttpResponse) -> HttpResponse:
        events, now = self.rules.rates.events, self._now()
        headers = (
            ("x-rate-rolling", f"{events.average(now):g}"),
            ("x-rate-limit", str(self.rules.limits.events_per_second)),
            ("x-rate-limit-remaining", str(events.headroom(now))),
        )
        return HttpResponse(response.status, (*response.headers, *headers), response.body)

    def _now(self) -> float:
        return self.clock.now().timestamp()

    def _observe(self, topic: str, error: Exception) -> None:
        facts = {"topic": topic[:200], "error": str(error)}
        self.observer(Observation("broadcast_not_authorized", Severity.WARNING, facts))


def _array(messages: str) -> str:
    """The JSON text of the messages, where it is an array."""
    if messages == "null":
        raise UnprocessableError(422, {"errors": {"messages": BLANK}})
    if not messages.startswith("["):
        raise UnprocessableError(422, {"errors": {"messages": INVALID}})
    return messages


def json_response(status: int, body: Any) -> HttpResponse:
    """An answer in JSON."""
    headers = (("content-type", "application/json; charset=utf-8"),)
    return HttpResponse(status, headers, jsontext.encode_bytes(body))


def _error(status: int, message: str) -> HttpResponse:
    return json_response(status, {"message": message})


def _place(request: HttpRequest) -> tuple[()] | tuple[str, str] | None:
    """Topic and event of the path, nothing for a batch, None for an unknown path.

    The raw path is cut, so that a percent-encoded slash stays part of its name.
    """
    rest = request.raw_path.partition("?")[0].removeprefix(PREFIX).strip("/")
    if not rest:
        return ()
    parts = rest.split("/")
    if len(parts) != 3 or parts[1] != "events":  # noqa: PLR2004 — topic, "events", event
        return None
    topic, event = unquote(parts[0]), unquote(parts[2])
    return (topic, event) if topic and event else None


def _json_body(body: bytes) -> bytes:
    """Objects as they are, nothing as an empty one; any other JSON value comes wrapped."""
    if not body:
        return b"{}"
    if not is_json(body):
        raise ApiError.of(errors.HTTP_MALFORMED)
    return body if body.lstrip()[:1] == b"{" else b'{"_json":' + body + b"}"


def _http_row(error: PgFault | PoolTimeout | Unavailable) -> Row:
    if isinstance(error, PoolTimeout):
        return errors.HTTP_POOL
    if isinstance(error, Unavailable):
        return errors.HTTP_DATABASE
    if topics.is_missing_partition(error.fault):
        return errors.HTTP_PARTITION
    return errors.HTTP_CANCELLED if error.fault.sqlstate == QUERY_CANCELED else errors.HTTP_POLICY
