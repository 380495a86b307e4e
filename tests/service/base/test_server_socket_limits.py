"""What the server takes of one WebSocket, so that others have their turn."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from starlette.types import Receive, Scope, Send

from compat_base.server import Server, serve
from compat_base.server_limits import ServerLimits
from compat_base.sockets import listen
from tests.harness_states import until

HANDSHAKE = (
    b"GET %b HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
PING, EMPTY_PART, TEXT = 0x89, 0x00, 0x81


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Echo every message; /never answers no handshake."""
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{stage}.complete"})
        return
    await receive()
    if scope["path"] == "/never":
        await asyncio.Event().wait()
    await send({"type": "websocket.accept"})
    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            return
        text = message.get("text") or ""
        await send({"type": "websocket.send", "text": text if len(text) < 10 else str(len(text))})


def frame(data: bytes, first: int = TEXT) -> bytes:
    """A client's frame, masked by zeros."""
    size = len(data)
    if size < 126:
        return bytes((first, 0x80 | size)) + bytes(4) + data
    if size < 65_536:
        return bytes((first, 0xFE)) + size.to_bytes(2, "big") + bytes(4) + data
    return bytes((first, 0xFF)) + size.to_bytes(8, "big") + bytes(4) + data


class Client:
    """One WebSocket, written and read as bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def say(self, data: bytes) -> None:
        self.writer.write(data)

    async def frame(self) -> tuple[int, bytes]:
        """The next frame: its first byte and its payload."""
        first, size = await self.reader.readexactly(2)
        if size == 126:
            size = int.from_bytes(await self.reader.readexactly(2), "big")
        return first, await self.reader.readexactly(size)

    async def text(self) -> str:
        first, data = await self.frame()
        assert first == TEXT
        return data.decode()

    async def close_code(self) -> int:
        """The code of the close frame, after whatever comes before it."""
        while True:
            first, data = await self.frame()
            if first == 0x88:
                return int.from_bytes(data[:2], "big")


@asynccontextmanager
async def serving(limits: ServerLimits | None = None) -> AsyncGenerator[tuple[int, Server]]:
    started = asyncio.Event()
    server = Server(app, limits=limits, started=started.set, handles_signals=False)
    bound = listen("127.0.0.1", 0)
    running = asyncio.ensure_future(serve(server, [bound]))
    await started.wait()
    yield bound.getsockname()[1], server
    server.stop()
    await running


@asynccontextmanager
async def connected(port: int, *, extra: bytes = b"") -> AsyncGenerator[Client]:
    """An open socket; `extra` follows the handshake in the same packet."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HANDSHAKE % b"/" + b"\r\n" + extra)
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
    try:
        yield Client(reader, writer)
    finally:
        writer.transport.abort()


@pytest.mark.parametrize("size", [1, 3, 1000, 10**9])
async def test_frames_are_taken_in_order_however_they_are_cut(size: int):
    lengths = [0, 1, 125, 126, 5000, 70_000, 2]
    data = b"".join(frame(b"x" * length) for length in lengths)
    data += frame(b"ab", 0x01) + frame(b"", 0x89) + frame(b"", 0x00) + frame(b"c", 0x80)
    async with serving() as (port, _), connected(port) as client:
        for at in range(0, len(data), size):
            client.say(data[at : at + size])
            await client.writer.drain()
        expected = ["", "x", "125", "126", "5000", "70000", "xx"]
        frames = [await client.frame() for _ in range(len(expected) + 2)]
        texts = [text.decode() for first, text in frames if first == TEXT]
        assert texts == [*expected, "abc"]
        assert (0x8A, b"") in frames


async def test_what_comes_with_the_handshake_is_not_lost():
    many = b"".join(frame(b"%d" % number) for number in range(50))
    async with serving() as (port, _), connected(port, extra=many) as client:
        assert [await client.text() for _ in range(50)] == [str(number) for number in range(50)]


async def test_sockets_that_flood_leave_others_their_turn():
    async with serving() as (port, server), AsyncExitStack() as stack:
        flood = frame(b"x") * 40_000
        floods = [await stack.enter_async_context(connected(port)) for _ in range(10)]
        honest = await stack.enter_async_context(connected(port))
        for client in floods:
            client.say(flood)
        await until(lambda: server._connections.pending_bytes > 500_000)
        for _ in range(20):
            honest.say(frame(b"here"))
            assert await honest.text() == "here"
        # Twenty answers in turn, and the first reads of those who flood are not through yet.
        assert server._connections.pending_bytes > 500_000


async def test_unfinished_messages_are_bounded_over_all_sockets():
    limits = ServerLimits(socket_pending_bytes=1_000_000)
    async with serving(limits) as (port, server), AsyncExitStack() as stack:
        large = [await stack.enter_async_context(connected(port)) for _ in range(4)]
        small = await stack.enter_async_context(connected(port))
        for client in large[:3]:
            client.say(frame(b"x" * 400_000)[:300_000])
        await until(lambda: server._connections.pending_bytes >= 900_000)
        large[3].say(frame(b"x" * 300_000, 0x01))
        assert await large[3].close_code() == 1013
        small.say(frame(b"here"))
        assert await small.text() == "here"
        await until(lambda: server._connections.pending_bytes < 1_000_000)
        large[0].say(b"x" * 100_008 + bytes(6))
        assert await large[0].text() == "400000"


async def test_what_a_lost_socket_left_unfinished_is_forgotten():
    async with serving() as (port, server):
        async with connected(port) as client:
            client.say(frame(b"x" * 400_000)[:300_000])
            await until(lambda: server._connections.pending_bytes == 300_000)
        await until(lambda: server._connections.pending_bytes == 0)


async def test_what_a_lost_socket_sent_does_not_wait_for_the_garbage_collector():
    gc.collect()
    gc.disable()
    try:
        async with serving() as (port, server):
            tracemalloc.start()
            for _ in range(8):
                async with connected(port) as client:
                    client.say(frame(bytes(2_000_000)) + frame(bytes(2_000_000))[:-1])
                    assert await client.text() == "2000000"
                    await until(lambda: server.server_state.pending_bytes > 1_900_000)
                await until(lambda: not server.server_state.connections)
            assert tracemalloc.get_traced_memory()[0] < 2_000_000
    finally:
        tracemalloc.stop()
        gc.enable()


async def test_a_message_over_the_limit_is_refused_and_the_client_may_read_why():
    async with serving() as (port, _), connected(port) as client:
        client.say(frame(b"x" * 5_100_000))
        assert await client.close_code() == 1009


async def test_a_message_of_many_fragments_is_refused():
    async with serving() as (port, _), connected(port) as client:
        client.say(frame(b"x", 0x01) + frame(b"x", 0x00) * 1_000)
        assert await client.close_code() == 1009


@pytest.mark.parametrize("first", [PING, EMPTY_PART])
async def test_a_flood_of_frames_that_say_nothing_is_refused(first: int):
    async with serving() as (port, _), connected(port) as client:
        client.say(frame(b"x", 0x01) + frame(b"", first) * 1_000)
        assert await client.close_code() == 1008


async def test_a_handshake_that_the_application_does_not_answer_is_ended():
    async with serving(ServerLimits(handshake_seconds=0.2)) as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HANDSHAKE % b"/never" + b"\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 500 ")
        writer.close()


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (HANDSHAKE % (b"/?" + b"a" * 9_000) + b"\r\n", b"431"),
        (HANDSHAKE % b"/" + b"cookie: " + b"a" * 9_000 + b"\r\n\r\n", b"431"),
        ((HANDSHAKE % b"/").replace(b"host: x\r\n", b"") + b"\r\n", b"400"),
        ((HANDSHAKE % b"/").replace(b"-version: 13", b"-version: 8") + b"\r\n", b"400"),
    ],
)
async def test_a_handshake_that_cannot_be_taken_is_answered(head: bytes, status: bytes):
    async with serving() as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head)
        assert (await reader.read()).startswith(b"HTTP/1.1 " + status)
        writer.close()


async def test_text_that_is_no_utf8_ends_its_socket_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
):
    async with serving() as (port, _), connected(port) as client:
        client.say(frame(b"\xff"))
        assert await client.close_code() == 1007
    assert not caplog.records
