"""The HTTP server that every service runs on, over real sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
from starlette.types import Message, Receive, Scope, Send

from compat_base.server import Server, serve
from compat_base.sockets import listen

LONG = 1_300_000  # bytes: more than a socket takes at once
ODD: dict[str, Message] = {
    "/failed": {"type": "http.response.start", "status": 200, "headers": []},
    "/none": {"type": "http.response.start", "status": 204, "headers": [(b"X-Kind", b"none")]},
    "/split": {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-length", b"0"), (b"x-kind", b"a\r\nx-evil: b")],
    },
    "/too-short": {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-length", b"7")],
    },
    "/chunked": {"type": "http.response.start", "status": 200, "headers": [(b"x-kind", b"c")]},
}
"""Heads that no body follows."""


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer /short in two messages, /long in many that never wait for anything."""
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{stage}.complete"})
        return
    await receive()
    if scope["path"] == "/method":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": scope["method"].encode()})
        return
    if scope["path"] in ODD:
        await send(ODD[scope["path"]])
        if scope["path"] == "/failed":
            raise RuntimeError(scope["path"])
        await send({"type": "http.response.body", "body": b""})
        return
    size = 5 if scope["path"] == "/short" else LONG
    headers = [(b"content-length", str(size).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for part in range(0, size, 5000):
        body = b"x" * min(5000, size - part)
        await send({"type": "http.response.body", "body": body, "more_body": part + 5000 < size})


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """The port of a running server."""
    started = asyncio.Event()
    server = Server(app, started=started.set, handles_signals=False)
    bound = listen("127.0.0.1", 0)
    running = asyncio.ensure_future(serve(server, [bound]))
    await started.wait()
    yield bound.getsockname()[1]
    server.stop()
    await running


async def test_a_short_answer_arrives_in_one_piece(port: int):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(20):
        writer.write(b"GET /short HTTP/1.1\r\nhost: x\r\n\r\n")
        piece = await reader.read(10_000)
        assert piece.endswith(b"\r\n\r\nxxxxx")
    writer.close()


async def test_a_long_answer_arrives_whole_and_the_connection_goes_on(port: int):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(2):
        writer.write(b"GET /long HTTP/1.1\r\nhost: x\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(LONG) == b"x" * LONG
    writer.close()


@pytest.mark.parametrize("method", ["FOO", "get", "M-SEARCH", "REPORT", "X" * 50])
async def test_a_method_of_any_name_reaches_the_application(port: int, method: str):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{method} /method HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
    assert (await reader.read()).split(b"\r\n")[-4] == method.encode()
    writer.close()


async def test_a_method_of_any_name_may_follow_other_requests_and_be_followed(port: int):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for method in ("POST", "FOO", "GET", "BAR", "BAR"):
        head = f"{method} /method HTTP/1.1\r\nhost: x\r\ncontent-length: 24\r\n\r\n"
        writer.write(head.encode())
        await writer.drain()
        writer.write(b"BAZ /method HTTP/1.1\r\n\r\n")  # a body, which begins no request
        answer = await reader.readuntil(b"0\r\n\r\n")
        assert answer.split(b"\r\n")[-4] == method.encode()
    writer.close()


@pytest.mark.parametrize("line", [b"FOO\r\n\r\n", b"F(O /method HTTP/1.1\r\n\r\n"])
async def test_what_is_no_request_line_is_refused(port: int, line: bytes):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(line)
    assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
    writer.close()


async def test_the_last_answer_is_sent_before_the_connection_is_closed(port: int):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /long HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    answer = await reader.read(-1)
    assert answer.endswith(b"x" * LONG)
    writer.close()


async def answer_to(port: int, request_line: str) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{request_line} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return head


async def test_an_application_that_fails_after_its_head_is_answered_for(port: int):
    assert (await answer_to(port, "GET /failed")).startswith(b"HTTP/1.1 500 ")


async def test_an_answer_without_a_body_has_no_length(port: int):
    head = await answer_to(port, "GET /none")
    assert head.startswith(b"HTTP/1.1 204 No Content\r\n")
    assert b"\r\nx-kind: none\r\n" in head
    assert b"content-length" not in head


async def test_a_head_request_is_told_the_length_alone(port: int):
    head = await answer_to(port, "HEAD /short")
    assert b"content-length: 5\r\n" in head


async def test_an_answer_without_a_length_comes_in_chunks(port: int):
    assert b"transfer-encoding: chunked\r\n" in await answer_to(port, "GET /chunked")


@pytest.mark.parametrize("path", ["/split", "/too-short"])
async def test_a_head_that_would_break_the_connection_is_never_sent_as_it_is(port: int, path: str):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    assert b"x-evil" not in await reader.read()
    writer.close()


@pytest.fixture
async def stopping() -> AsyncIterator[Stopping]:
    """A server with one open request, on its way to being stopped by signals."""
    one = Stopping()
    server = Server(one, started=one.started.set)
    bound = listen("127.0.0.1", 0)
    one.running = asyncio.ensure_future(serve(server, [bound]))
    await one.started.wait()
    one.reader, writer = await asyncio.open_connection(*bound.getsockname())
    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    await one.requested.wait()
    yield one
    one.answering.set()
    await one.running
    writer.close()


class Stopping:
    """What its request waits for, and what came of it."""

    running: asyncio.Future[None]
    reader: asyncio.StreamReader

    def __init__(self) -> None:
        self.started, self.requested, self.answering = (asyncio.Event() for _ in range(3))
        self.was_closed = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            self.was_closed = True
            return
        self.requested.set()
        await self.answering.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})


class Met(Server):
    """A server that somebody connects to in the moment in which it stops listening."""

    client: socket.socket
    port: int

    async def on_tick(self, counter: int) -> bool:
        is_over = await super().on_tick(counter)
        if is_over:
            self.client = socket.create_connection(("127.0.0.1", self.port))
            self.client.sendall(b"GET /short HTTP/1.1\r\nhost: x\r\n\r\n")
        return is_over


async def test_who_was_connected_as_the_server_stopped_listening_is_answered():
    bound, started = listen("127.0.0.1", 0), asyncio.Event()
    server = Met(app, started=started.set, handles_signals=False)
    server.port = bound.getsockname()[1]
    running = asyncio.ensure_future(serve(server, [bound]))
    await started.wait()
    server.stop()
    await running
    with server.client as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 200 ")
