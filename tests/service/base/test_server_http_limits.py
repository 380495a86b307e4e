"""What the server takes of one client: heads, bodies, idle connections, descriptors."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from compat_base.asgi import Endpoint
from compat_base.server import Server, serve
from compat_base.server.connections import Phase
from compat_base.server_limits import ServerLimits
from compat_base.sockets import listen
from compat_base.values.events import silent
from compat_base.values.http import HttpRequest, HttpResponse
from tests.harness_states import until

LIMIT = 100_000  # bytes of a body, as the application has it
GET = b"GET /a HTTP/1.1\r\nhost: x\r\n\r\n"
POST = b"POST /a HTTP/1.1\r\nhost: x\r\n"
QUICK = ServerLimits(
    head_seconds=0.3, body_seconds=0.3, idle_seconds=0.3, linger_seconds=0.3, send_seconds=0.3
)


async def answer(request: HttpRequest) -> HttpResponse:
    """Say what was understood of the request."""
    line = f"{request.method} {request.raw_path} {request.path} {request.query} {len(request.body)}"
    names = " ".join(name for name, _ in request.headers)
    return HttpResponse(200, (("x-names", names),), line.encode())


service = Endpoint(
    answer,
    limit=LIMIT,
    too_large=lambda: HttpResponse(413, (), f"at most {LIMIT} bytes".encode()),
    failed=lambda: HttpResponse(500),
    observer=silent,
)


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{stage}.complete"})
    elif scope["path"] == "/early":
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": b"no"})
    elif scope["path"] == "/pieces":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(400):
            piece = {"type": "http.response.body", "body": b"x" * 65_536, "more_body": True}
            await send(piece)
        await send({"type": "http.response.body", "body": b""})
    elif scope["path"] == "/large":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 20_000_000})
    else:
        await service(scope, receive, send)


@asynccontextmanager
async def serving(
    limits: ServerLimits | None = None, *, is_shared: Callable[[str], bool] = lambda _host: True
) -> AsyncGenerator[tuple[int, Server]]:
    """A running server and its port."""
    started = asyncio.Event()
    server = Server(
        app, limits=limits, started=started.set, handles_signals=False, is_shared=is_shared
    )
    bound = listen("127.0.0.1", 0)
    running = asyncio.ensure_future(serve(server, [bound]))
    await started.wait()
    yield bound.getsockname()[1], server
    server.stop()
    await running


class Client:
    """One connection, written and read as bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def say(self, data: bytes) -> None:
        with contextlib.suppress(ConnectionError):
            self.writer.write(data)
            await self.writer.drain()

    async def answer(self) -> tuple[int, bytes, bytes]:
        """One answer: status, head, body."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r")[0])
        return int(head.split()[1]), head.lower(), await self.reader.readexactly(length)

    async def is_closed(self) -> bool:
        """Whether the server closes, without a further byte."""
        try:
            return await self.reader.read() == b""
        except ConnectionError:
            return True

    async def refusal(self) -> int:
        """The status of the answer that the connection ends with."""
        status, head, _ = await self.answer()
        assert b"connection: close" in head
        assert await self.is_closed()
        return status


@asynccontextmanager
async def connected(port: int, address: str = "127.0.0.1") -> AsyncGenerator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    try:
        yield Client(reader, writer)
    finally:
        writer.transport.abort()


# Bodies


async def test_a_chunked_body_is_refused_as_soon_as_it_passes_the_limit():
    async with serving() as (port, _), connected(port) as client:
        await client.say(POST + b"transfer-encoding: chunked\r\n\r\n")
        await client.say(b"%x\r\n%b\r\n" % (LIMIT + 1, b"x" * (LIMIT + 1)))
        status, head, body = await client.answer()
        assert (status, body) == (413, b"at most 100000 bytes")
        assert b"connection: close" in head
        assert await client.is_closed()


async def test_a_body_announced_as_too_large_is_refused_before_it_comes():
    async with serving() as (port, _), connected(port) as client:
        await client.say(POST + b"content-length: 99999999\r\n\r\n")
        assert await client.refusal() == 413


async def test_a_refused_body_is_neither_read_whole_nor_kept():
    async with (
        serving(ServerLimits(linger_bytes=1_000_000)) as (port, _),
        connected(port) as client,
    ):
        await client.say(POST + b"content-length: 999999999\r\n\r\n")
        sent = 0
        while not client.writer.transport.is_closing():
            await client.say(b"x" * 100_000)
            sent += 100_000
        assert sent < 50_000_000  # the system's own buffers, at both ends, and the bound


async def test_a_small_body_that_nobody_wants_leaves_the_connection_open():
    async with serving() as (port, _), connected(port) as client:
        await client.say(b"POST /early HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n")
        assert b"401" in await client.reader.readuntil(b"0\r\n\r\n")
        await client.say(b"abcde" + GET)
        assert (await client.answer())[0] == 200


@pytest.mark.parametrize(
    "start", [b"content-length: 5\r\n\r\nab", b"transfer-encoding: chunked\r\n\r\n5\r\nab"]
)
async def test_a_body_that_does_not_move_is_refused(start: bytes):
    async with serving(QUICK) as (port, _), connected(port) as client:
        await client.say(POST + start)
        assert await client.refusal() == 408


async def test_a_body_that_moves_slowly_is_taken():
    async with serving(ServerLimits(body_step=1)) as (port, server), connected(port) as client:
        moment = 0.0
        server._connections._now = lambda: moment
        await client.say(POST + b"content-length: 4\r\n\r\n")
        await until(lambda: len(server.server_state.connections) == 1)
        (protocol,) = server.server_state.connections
        for _ in range(3):
            await client.say(b"x")
            await until(lambda: protocol._step_bytes == 1)
            moment += ServerLimits().body_seconds + 1
            server._connections.sweep()
        await client.say(b"x")
        assert (await client.answer())[2].endswith(b" 4")


async def test_a_body_of_tiny_chunks_is_refused():
    async with serving() as (port, _), connected(port) as client:
        await client.say(POST + b"transfer-encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 40_000)
        assert await client.refusal() == 400


async def test_endless_trailers_are_refused():
    async with serving() as (port, _), connected(port) as client:
        await client.say(POST + b"transfer-encoding: chunked\r\n\r\n0\r\n" + b"a: b\r\n" * 40_000)
        assert await client.refusal() == 400


async def test_trailers_are_no_headers():
    async with serving() as (port, _), connected(port) as client:
        await client.say(
            POST + b"transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx-evil: 1\r\n\r\n"
        )
        status, head, body = await client.answer()
        assert status == 200
        assert body.endswith(b" 3")
        assert b"evil" not in head


async def test_requests_that_come_together_are_answered_in_order():
    chunked = b"transfer-encoding: chunked\r\n\r\n2\r\nab\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n"
    requests = (
        GET + POST + b"content-length: 3\r\n\r\nabc" + POST + chunked + b"FOO" + GET[3:] + GET
    )
    async with serving() as (port, _):
        for size in (1, 7, len(requests)):
            async with connected(port) as client:
                for at in range(0, len(requests), size):
                    await client.say(requests[at : at + size])
                found = [(await client.answer())[2].split()[0::3] for _ in range(5)]
                assert found == [
                    [b"GET", b"0"],
                    [b"POST", b"3"],
                    [b"POST", b"6"],
                    [b"FOO", b"0"],
                    [b"GET", b"0"],
                ]


# Heads


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\na: " + b"b" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\n" + b"a: b\r\n" * 101 + b"\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\na: " + b"b" * 70_000,
        b"GET / HTTP/1.1\r\nhost: x\r\n" + b"a: b\r\n" * 30_000,
    ],
    ids=["target", "value", "lines", "endless value", "endless lines"],
)
async def test_a_long_head_is_refused(head: bytes):
    async with serving() as (port, _), connected(port) as client:
        await client.say(head)
        assert await client.refusal() == 431


async def test_a_head_of_64_kilobytes_is_taken():
    async with serving() as (port, _), connected(port) as client:
        start = b"GET /a HTTP/1.1\r\nhost: x\r\na: "
        await client.say(start + b"b" * (65_536 - len(start) - 4) + b"\r\n\r\n")
        assert (await client.answer())[0] == 200


async def test_a_head_that_comes_byte_by_byte_costs_no_more_than_its_length():
    async def cost(size: int) -> float:
        async with serving() as (port, server), connected(port) as client:
            await client.say(b"GET /a HTTP/1.1\r\nhost: x\r\na: b")
            await until(lambda: len(server.server_state.connections) == 1)
            (protocol,) = server.server_state.connections
            began = time.process_time()
            for _ in range(size):
                protocol.data_received(b"b")
            spent = time.process_time() - began
            await client.say(b"\r\n\r\n")
            assert (await client.answer())[0] == 200
            return spent

    short, long = await cost(8_000), await cost(64_000)
    assert long < 16 * short + 0.1  # eight times the bytes; a quadratic cost would be 64 times


async def test_a_head_must_be_whole_in_time():
    async with serving(QUICK) as (port, _), connected(port) as client:
        await client.say(GET[:-2])
        assert await client.refusal() == 408


async def test_a_silent_connection_is_closed():
    async with serving(QUICK) as (port, _), connected(port) as client:
        assert await client.is_closed()


async def test_an_idle_connection_is_closed():
    async with serving(QUICK) as (port, _), connected(port) as client:
        await client.say(GET)
        await client.answer()
        assert await client.is_closed()


async def test_a_client_that_takes_nothing_of_its_answer_is_let_go():
    async with serving(QUICK) as (port, server), connected(port) as client:
        await client.say(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
        await until(lambda: server.server_state.total_requests == 1)
        await until(lambda: not server.server_state.connections)


async def test_answers_that_wait_for_slow_readers_are_bounded_and_the_oldest_is_cut():
    limits = ServerLimits(unsent_bytes=30_000_000)
    async with serving(limits) as (port, server), contextlib.AsyncExitStack() as clients:
        state = server.server_state
        slow: list[Client] = []
        for number in range(5):
            slow.append(await clients.enter_async_context(connected(port)))
            await slow[-1].say(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
            await until(lambda made=number + 1: state.total_requests == made)
            await until(lambda: len(state.connections) == 1)
            assert 0 < state.unsent_bytes <= limits.unsent_bytes
        honest = await clients.enter_async_context(connected(port))
        await honest.say(b"GET /large HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert len(await honest.reader.read()) > 20_000_000
    await until(lambda: state.unsent_bytes == 0)


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\nhost: x\r\n\r\n",
        b"GET / HTTP/1.0\r\nhost: x\r\nHost: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x, y\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x/y\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/2.0\r\nhost: x\r\n\r\n",
        b"GET / HTTP/1.1\nhost: x\n\n",
        b"GET / HTTP/1.1\r\nhost: x\r\na: b\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\na: b\rc\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost : x\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /a\x01 HTTP/1.1\r\nhost: x\r\n\r\n",
        POST + b"content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n",
        POST + b"content-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
        POST + b"content-length: +3\r\n\r\nabc",
        POST + b"content-length: 3, 3\r\n\r\nabc",
        POST + b"content-length: " + b"0" * 5_000 + b"3\r\n\r\nabc",
        POST + b"transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.0\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked\r\n\r\nzz\r\n",
        POST + b"transfer-encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\na",
        POST + b"transfer-encoding: chunked\r\n\r\n1\na\n0\n\n",
        b"CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n",
    ],
)  # fmt: skip
async def test_what_can_be_read_in_two_ways_is_refused_and_nothing_after_it_is_read(head: bytes):
    async with serving() as (port, _), connected(port) as client:
        await client.say(head + GET)
        assert await client.refusal() == 400


@pytest.mark.parametrize(
    "lines",
    [
        b"transfer-encoding: gzip, chunked",
        b"transfer-encoding: xchunked\r\ntransfer-encoding: chunked",  # another reads the first
        b"transfer-encoding: identity\r\ntransfer-encoding: chunked",
    ],
)
async def test_another_transfer_encoding_than_chunked_is_refused(lines: bytes):
    async with serving() as (port, _), connected(port) as client:
        await client.say(POST + lines + b"\r\n\r\n0\r\n\r\n")
        assert await client.refusal() == 501


async def test_a_bad_request_behind_a_good_one_is_refused_after_its_answer():
    async with serving() as (port, _), connected(port) as client:
        await client.say(GET + b"GET\r\n\r\n")
        assert (await client.answer())[0] == 200
        assert await client.refusal() == 400


async def test_blanks_behind_a_value_are_none_of_it():
    lines = b"host: x \t\r\ntransfer-encoding: chunked \r\n\r\n"
    async with serving() as (port, _), connected(port) as client:
        await client.say(b"POST / HTTP/1.1\r\n" + lines + b"3\r\nabc\r\n0\r\n\r\n" + GET)
        assert (await client.answer())[2].endswith(b" 3")
        assert (await client.answer())[2].startswith(b"GET ")


async def test_raw_utf8_in_a_target_is_taken_as_if_it_were_encoded():
    async with serving() as (port, _), connected(port) as client:
        await client.say("GET /añil?q=él HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        assert (await client.answer())[2].decode() == "GET /a%C3%B1il /añil q=%C3%A9l 0"


async def test_an_upgrade_to_something_else_is_ignored_and_its_body_is_a_body():
    async with serving() as (port, _), connected(port) as client:
        upgrade = b"connection: upgrade\r\nupgrade: h2c\r\ncontent-length: 28\r\n\r\n"
        await client.say(POST + upgrade + GET + GET)
        assert len(GET) == 28
        assert (await client.answer())[2].endswith(b" 28")
        assert (await client.answer())[2].startswith(b"GET ")


@pytest.mark.parametrize(("path", "status"), [("/a", 400), ("/early", 401)])
async def test_a_socket_at_a_path_of_http_is_refused(
    path: str, status: int, caplog: pytest.LogCaptureFixture
):
    async with serving() as (port, _), connected(port) as client:
        await client.say(
            b"GET %b HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
            b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            % path.encode()
        )
        assert await client.refusal() == status
    assert caplog.messages == []


# Connections


async def test_a_client_that_is_not_asked_for_its_body_is_answered_and_closed():
    """It would send none, and its next request would be read as that body."""
    head = b"POST /early HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n"
    async with serving(QUICK) as (port, _), connected(port) as client:
        await client.say(head)
        answered = await client.reader.read()
        assert answered.startswith(b"HTTP/1.1 401 ")
        assert b"\r\nconnection: close\r\n" in answered


async def test_a_client_that_was_asked_for_its_body_keeps_its_connection():
    async with serving() as (port, _), connected(port) as client:
        await client.say(POST + b"expect: 100-continue\r\ncontent-length: 1\r\n\r\n")
        assert b" 100 " in await client.reader.readuntil(b"\r\n\r\n")
        await client.say(b"x")
        assert (await client.answer())[0] == 200
        await client.say(GET)
        assert (await client.answer())[0] == 200


async def test_where_connections_are_short_the_oldest_idle_one_is_closed():
    async with (
        serving(ServerLimits(connections=3)) as (port, _),
        contextlib.AsyncExitStack() as stack,
    ):
        clients = []
        for _ in range(4):
            client = await stack.enter_async_context(connected(port))
            await client.say(GET)
            assert (await client.answer())[0] == 200
            clients.append(client)
        assert await clients[0].is_closed()
        for client in clients[1:]:
            await client.say(GET)
            assert (await client.answer())[0] == 200


async def test_where_none_is_idle_a_new_connection_is_refused():
    async with serving(ServerLimits(connections=1)) as (port, _), connected(port) as busy:
        await busy.say(POST + b"expect: 100-continue\r\ncontent-length: 1\r\n\r\n")
        assert b" 100 " in await busy.reader.readuntil(b"\r\n\r\n")
        async with connected(port) as late:
            assert await late.refusal() == 503
        await busy.say(b"x")
        assert (await busy.answer())[0] == 200


@pytest.mark.parametrize(
    "stuck",
    [POST + b"content-length: 9000\r\n\r\nxxx", b"GET /pieces HTTP/1.1\r\nhost: x\r\n\r\n"],
    ids=["a body", "an answer"],
)
async def test_where_none_is_idle_whoever_does_not_move_makes_room(stuck: bytes):
    async with serving(ServerLimits(connections=1)) as (port, server), connected(port) as slow:
        state = server.server_state
        await slow.say(stuck)
        await until(lambda: state._waiting[Phase.BODY] or state._waiting[Phase.SENDING])
        clock = state._now
        state._now = lambda: clock() + 16  # less than it has in all
        async with connected(port) as honest:
            await honest.say(GET)
            assert (await honest.answer())[0] == 200


def is_proxy(host: str) -> bool:
    return host == "127.0.0.9"


async def test_one_address_has_its_share_of_the_connections_and_others_get_in():
    limits = ServerLimits(address_connections=2)
    async with (
        serving(limits, is_shared=is_proxy) as (port, _),
        connected(port) as first,
        connected(port) as second,
        connected(port, "127.0.0.9") as proxy,
        connected(port, "127.0.0.9"), connected(port, "127.0.0.9"),
    ):  # fmt: skip
        async with connected(port) as third:
            status, head, text = await third.answer()
            assert (status, text) == (429, b"Too many connections from one address.")
            assert b"retry-after: 1\r\n" in head
        for client in (first, second, proxy):
            await client.say(GET)
            assert (await client.answer())[0] == 200
        first.writer.close()
        assert await first.is_closed()
        async with connected(port) as fourth:
            await fourth.say(GET)
            assert (await fourth.answer())[0] == 200


async def test_a_socket_is_one_of_its_address_for_as_long_as_it_is_open():
    upgrade = b"GET /a HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    key = b"sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    limits = ServerLimits(address_connections=1)
    async with serving(limits, is_shared=is_proxy) as (port, server):
        for _ in range(2):
            async with connected(port) as client:
                await client.say(upgrade + key)
                assert (await client.answer())[0] == 400  # this path has none
            await until(lambda: not server.server_state.connections)
            async with connected(port) as client:
                await client.say(GET)
                assert (await client.answer())[0] == 200
            await until(lambda: not server.server_state.connections)


async def test_an_address_that_opens_connections_too_fast_is_told_so():
    limits = ServerLimits(address_connections_per_second=1)
    async with serving(limits, is_shared=is_proxy) as (port, server):
        server._connections._now = lambda: 0.0
        for _ in range(10):
            async with connected(port) as client:
                await client.say(GET)
                assert (await client.answer())[0] == 200
        async with connected(port) as client:
            assert await client.refusal() == 429
        async with connected(port, "127.0.0.9") as client:
            await client.say(GET)
            assert (await client.answer())[0] == 200


def highest_descriptor() -> int:
    return max(int(path.name) for path in Path("/proc/self/fd").iterdir())


async def test_where_descriptors_are_short_honest_connections_still_get_in():
    used = highest_descriptor()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 90, hard))
    try:
        async with (
            serving(ServerLimits(connections=10_000)) as (port, _),
            contextlib.AsyncExitStack() as stack,
        ):
            for _ in range(30):  # at both ends: 60 descriptors of this process, then none is left
                await stack.enter_async_context(connected(port))
            for _ in range(30):
                async with connected(port) as client:
                    await client.say(GET)
                    assert (await client.answer())[0] == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
