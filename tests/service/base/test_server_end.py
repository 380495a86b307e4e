"""However an application behaves, its server's process ends, and in time."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import zip_longest
from pathlib import Path
from signal import SIGINT, SIGTERM

import pytest

BOUND = 25.0  # seconds from SIGTERM to the end, with what a busy machine adds to it
CUT_OFF = "the application was not closed in time: it was cut off\n"
GET = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
PROGRAM = """
import asyncio, sys, threading, time
from compat_base.asgi import Lifespan
from compat_base.values.events import Observation, Severity, log_sink
from compat_base.process import exit_process, survive_broken_pipes
from compat_base.server import Server, run, serve
from compat_base.server_limits import ServerLimits
from compat_base.sockets import listen
from compat_base.values.world import real_world
from contextlib import asynccontextmanager

kind, tasks = sys.argv[1], set()
log = log_sink(real_world().clock)

async def app(scope, receive, send):
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
    if kind == "thread":
        asyncio.get_running_loop().run_in_executor(None, time.sleep, 1000)
    if kind == "cut off":
        print("asked", flush=True)
        await asyncio.Event().wait()
    if kind == "held":
        print("asked", flush=True)
        while True:
            pass
    if kind in ("request", "task"):
        print("asked", flush=True)
        while True:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                pass
    log(Observation("answered", Severity.ERROR))
    print("answered", flush=True)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"done"})

@asynccontextmanager
async def pool():
    yield
    if kind == "swallows":
        for _ in range(3):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                pass
        await asyncio.sleep(0.01)
    if kind == "fails":
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise OSError("the connection is lost")

@asynccontextmanager
async def opened():
    if kind == "leaves":
        async def left():
            try:
                await asyncio.Event().wait()
            finally:
                raise OSError("the connection is lost")
        tasks.add(task := asyncio.get_running_loop().create_task(left()))
        task.add_done_callback(tasks.discard)
    async with pool(), service():
        yield app

@asynccontextmanager
async def service():
    if kind == "opening":
        print("opening", flush=True)
        await asyncio.Event().wait()
    yield
    if kind == "cut off":
        await asyncio.Event().wait()
    if kind == "closing":
        while True:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                pass

def main():
    survive_broken_pipes()
    bound = listen("127.0.0.1", 0)
    if kind == "opening":
        print("0", flush=True)
    is_short = kind in {"cut off", "swallows", "fails", "leaves"}
    limits = ServerLimits(graceful_seconds=0.1, lifespan_seconds=0.1) if is_short else None
    announce = lambda: print(bound.getsockname()[1], flush=True)
    lifespan = Lifespan(opened)
    server = Server(
        lifespan, limits=limits, started=announce,
        signalled=lambda number: kind == "held" and print(number.name, flush=True),
        drain_seconds=float(sys.argv[2]), draining=lambda: print("draining", flush=True),
    )
    with lifespan.failing():
        run(serve(server, [bound]))
    exit_process(0)

main()
"""


@asynccontextmanager
async def running(kind: str, *, drain: float = 0) -> AsyncGenerator[tuple[Process, int]]:
    """A process with such an application, and its port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, kind, str(drain), stdout=PIPE, stderr=PIPE,
        cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process, int(await process.stdout.readline())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def request_sent(port: int, request: bytes = GET) -> AsyncGenerator[asyncio.StreamReader]:
    """A connection with a request; what is answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    yield reader
    writer.transport.abort()


async def end_of(process: Process, seconds: float = BOUND + 5) -> int:
    """The exit status; TimeoutError where it does not end."""
    async with asyncio.timeout(seconds):
        return await process.wait()


async def line_of(process: Process) -> str:
    """The next line that the process prints."""
    assert process.stdout is not None
    async with asyncio.timeout(60):
        return (await process.stdout.readline()).decode().strip()


@pytest.mark.parametrize("kind", ["request", "thread"])
async def test_a_process_ends_whatever_its_requests_do(kind: str):
    async with running(kind) as (process, port), request_sent(port):
        assert await line_of(process) in {"asked", "answered"}
        process.terminate()
        assert await end_of(process) == 0


async def test_a_process_ends_though_its_application_never_closes():
    async with running("closing") as (process, _):
        process.terminate()
        assert await end_of(process) == 0


async def test_a_process_ends_though_its_application_never_opens():
    async with running("opening") as (process, _):
        assert await line_of(process) == "opening"
        process.terminate()
        assert await end_of(process) == 0
        assert process.stderr is not None
        assert await process.stderr.read() == b""


async def test_what_is_cut_off_at_the_end_is_one_sentence_in_the_log():
    async with running("cut off") as (process, port), request_sent(port):
        assert await line_of(process) == "asked"
        process.terminate()
        assert await end_of(process) == 0
        assert process.stderr is not None
        assert (await process.stderr.read()).decode() == CUT_OFF


@pytest.mark.parametrize(
    ("kind", "logged"), [("swallows", CUT_OFF), ("fails", CUT_OFF), ("leaves", "")]
)
async def test_what_closes_badly_when_it_is_cut_off_is_no_traceback(kind: str, logged: str):
    async with running(kind) as (process, _):
        process.terminate()
        assert await end_of(process) == 0
        assert process.stderr is not None
        assert (await process.stderr.read()).decode() == logged


async def test_a_second_signal_ends_open_requests_at_once():
    async with running("request") as (process, port), request_sent(port):
        assert await line_of(process) == "asked"
        await stop_twice(process)


async def test_a_second_signal_ends_a_closing_application_at_once():
    async with running("closing") as (process, _):
        await stop_twice(process)


async def test_each_signal_is_handled_while_a_request_holds_the_event_loop():
    async with running("held") as (process, port), request_sent(port):
        assert await line_of(process) == "asked"
        for number in (SIGTERM, SIGINT, SIGTERM):
            process.send_signal(number)
            assert await line_of(process) == number.name


@pytest.mark.parametrize(("drain", "signals"), [(600, [SIGTERM, SIGTERM]), (0.1, [SIGTERM])])
async def test_a_drain_ends_by_a_signal_or_its_time_while_the_event_loop_is_held(drain, signals):
    async with running("held", drain=drain) as (process, port), request_sent(port):
        assert await line_of(process) == "asked"
        for number, expected in zip_longest(signals, ["draining", "SIGTERM"]):
            if number is not None:
                process.send_signal(number)
            assert await line_of(process) == expected


async def stop_twice(process: Process) -> None:
    process.terminate()
    await asyncio.sleep(0.5)  # until the kernel has handed the first on: two of a kind become one
    process.terminate()
    assert await end_of(process, 4) == 0  # by the first alone it takes longer


async def test_half_a_request_does_not_hold_the_end():
    async with running("request") as (process, port), request_sent(port, GET[:-2]):
        process.terminate()
        assert await end_of(process) == 0


async def test_closed_output_stops_neither_answers_nor_the_end():
    async with running("plain") as (process, port):
        for number in (1, 2):
            process._transport.get_pipe_transport(number).close()
        for _ in range(3):
            async with request_sent(port) as reader:
                assert (await reader.read()).endswith(b"done\r\n0\r\n\r\n")
        process.terminate()
        assert await end_of(process) == 0
