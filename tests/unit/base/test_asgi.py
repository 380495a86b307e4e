"""Requests as they are read from a server, answers as they are timed."""

from __future__ import annotations

import pytest
from starlette.types import Message, Receive, Scope, Send

from compat_base.asgi import (
    BodyTooLargeError,
    ClientGoneError,
    Timed,
    read_request,
    send_response,
)
from compat_base.values.http import HttpResponse


def scope(length: int | None) -> Scope:
    headers = [] if length is None else [(b"content-length", b"%d" % length)]
    return {"method": "POST", "path": "/a", "query_string": b"", "headers": headers}


class Sent:
    """A body in pieces of a byte, and how many of them were asked for."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.reads = 0

    async def receive(self) -> Message:
        self.reads += 1
        return {"type": "http.request", "body": b"x", "more_body": self.reads < self.count}


@pytest.mark.parametrize(("length", "reads"), [(5, 0), (None, 3)])
async def test_of_a_body_longer_than_is_read_ahead_little_or_nothing_is_asked_for(
    length: int | None, reads: int
):
    sent = Sent(5)
    request = await read_request(scope(length), sent.receive, limit=9, reads_ahead=2)
    assert (sent.reads, request.body) == (reads, b"")
    counted: list[int] = []
    assert request.rest is not None
    assert await request.rest(counted.append) == b"xxxxx"
    assert sum(counted) == 5


async def test_a_body_that_is_read_ahead_is_there():
    sent = Sent(2)
    request = await read_request(scope(2), sent.receive, limit=9, reads_ahead=2)
    assert (request.body, request.rest) == (b"xx", None)


@pytest.mark.parametrize(("length", "reads"), [(10, 0), (None, 10)])
async def test_a_body_beyond_the_limit_is_refused(length: int | None, reads: int):
    sent = Sent(12)
    with pytest.raises(BodyTooLargeError):
        await read_request(scope(length), sent.receive, limit=9)
    assert sent.reads == reads


async def test_an_answers_status_and_seconds_are_told_and_none_where_there_was_no_answer():
    seen: list[tuple[str, int, bool]] = []

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["path"] == "/cut":
            raise ClientGoneError
        await send_response(send, HttpResponse(404))

    async def nobody(*_: object) -> None:
        return

    def record(scope: Scope, status: int, seconds: float) -> None:
        seen.append((scope["path"], status, seconds >= 0))

    timed = Timed(app, record)
    await timed({"type": "http", "path": "/a"}, nobody, nobody)
    with pytest.raises(ClientGoneError):
        await timed({"type": "http", "path": "/cut"}, nobody, nobody)
    await timed({"type": "websocket", "path": "/socket"}, nobody, nobody)
    assert seen == [("/a", 404, True)]
