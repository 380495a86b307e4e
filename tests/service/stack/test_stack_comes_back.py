"""What ends, ends in time, and what was killed is started again."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from compat_stack.embedded import postgres
from compat_stack.embedded.processes import servers_of
from compat_stack.embedded.server_log import LOG_BYTES
from tests.harness_couple import make_couple, sign_up
from tests.harness_fork import start_program
from tests.harness_live import ALL_ACTIVITIES, Live, open_socket
from tests.harness_stack import Stack, environment, start_stack

END_SECONDS = 30  # 15 are promised; a busy machine may take longer
AGAIN_SECONDS = 60  # 10 are promised


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    started = start_stack(tmp_path / "data")
    yield started
    if started.process.poll() is None:
        started.process.kill()
        started.process.wait()
    for pid in servers_of(started.data_dir / "postgres/data"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    started.listener.join()


HELD = """
import contextlib, sys
from compat_base import process
from compat_stack import __main__, app

process.CLOSING_SECONDS = float(sys.argv.pop(1))
open_stack = app.open_stack

@contextlib.asynccontextmanager
async def opened(*given, **named):
    async with open_stack(*given, **named) as stack:
        async def holding(scope, receive, send):
            if scope.get("path") == "/hold":
                print("held", flush=True)
                while True:
                    pass
            await stack(scope, receive, send)
        yield holding

app.open_stack = opened
sys.argv.append("serve")
__main__.main()
"""


@contextmanager
def held_stack(data_dir: Path, closing_seconds: float) -> Iterator[Stack]:
    """A stack whose event loop never comes back from a request."""
    program = (sys.executable, "-c", HELD, str(closing_seconds))
    started = start_stack(data_dir, program=program)
    try:
        with socket.create_connection(address(started)) as connection:
            connection.sendall(b"GET /hold HTTP/1.1\r\nhost: localhost\r\n\r\n")
            until(END_SECONDS, lambda: "held\n" in started.output)
            yield started
    finally:
        started.process.kill()
        started.process.wait()
        started.listener.join()


def servers(stack: Stack) -> tuple[int, ...]:
    return servers_of(stack.data_dir / "postgres/data")


def answers(stack: Stack, timeout: float = 2) -> bool:
    key = stack.keys["SUPABASE_SECRET_KEY"]
    url = f"{stack.url}/rest/v1/actividades?limit=1"
    request = urllib.request.Request(url, headers={"apikey": key})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def address(stack: Stack) -> tuple[str, int]:
    parts = urlsplit(stack.url)
    return parts.hostname or "", parts.port or 0


def is_listening(stack: Stack) -> bool:
    try:
        socket.create_connection(address(stack), timeout=2).close()
    except OSError:
        return False
    return True


def pending(pid: int) -> int:
    """The signals that the kernel has not handed on to a process yet, as a set of bits."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("ShdPnd:")[2].split()[0], 16)


@contextmanager
def request_under_way(stack: Stack, path: str = "/rest/v1/actividades") -> Iterator[None]:
    """A request that the server has read, and that waits for the database."""
    with socket.create_connection(address(stack), timeout=END_SECONDS) as connection:
        head = "GET {} HTTP/1.1\r\nhost: localhost\r\napikey: {}\r\n\r\n"
        connection.sendall(head.format(path, stack.keys["SUPABASE_SECRET_KEY"]).encode())
        with urllib.request.urlopen(f"{stack.url}/", timeout=END_SECONDS):
            yield  # a later request was answered: the earlier one was read


def until(seconds: float, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_frozen_database_does_not_hold_up_the_end(stack: Stack):
    assert answers(stack)
    frozen = servers(stack)
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    with request_under_way(stack), request_under_way(stack, "/storage/v1/bucket"):
        stack.process.send_signal(signal.SIGTERM)
        stack.process.wait(timeout=END_SECONDS)
    assert servers(stack) == ()
    stack.listener.join()
    log = "".join(stack.output)
    assert "not everything could be closed" in log
    assert "Traceback" not in log
    again = start_stack(stack.data_dir)
    assert again.stop() == 0


def test_a_second_signal_ends_at_once(stack: Stack):
    for pid in servers(stack):
        os.kill(pid, signal.SIGSTOP)
    with request_under_way(stack):
        stack.process.send_signal(signal.SIGTERM)
        until(END_SECONDS, lambda: not is_listening(stack))
        stack.process.send_signal(signal.SIGTERM)
        # A first signal alone ends with 0 or 1
        assert stack.process.wait(timeout=END_SECONDS) == 130
    assert servers(stack) == ()


def test_a_signal_ends_a_stack_whose_event_loop_is_held(tmp_path: Path):
    with held_stack(tmp_path / "data", closing_seconds=0.2) as stack:
        assert stack.stop() == 1
        assert "not everything could be closed" in "".join(stack.output)
        assert servers(stack) == ()


def test_a_second_signal_ends_it_at_once(tmp_path: Path):
    with held_stack(tmp_path / "data", closing_seconds=600) as stack:
        stack.process.send_signal(signal.SIGTERM)
        until(END_SECONDS, lambda: pending(stack.process.pid) == 0)  # two of a kind become one
        assert stack.stop() == 130
        assert servers(stack) == ()


def test_a_reader_that_went_away_is_no_hindrance(tmp_path: Path):
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as output:
        process = start_program(
            ["compat_stack", "serve"], stdout=output,
            env=environment(PORT="0", DATA_DIR=str(tmp_path / "data"), LOG_LEVEL="debug"),
        )  # fmt: skip
    os.close(reader)
    started = Stack(process, "", tmp_path / "data", threading.Thread())
    try:
        kept = tmp_path / "data/keys.env"
        until(60, lambda: kept.exists() and "SUPABASE_URL" in kept.read_text())
        started.url = started.keys["SUPABASE_URL"]
        until(30, lambda: answers(started))
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=END_SECONDS) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


async def test_a_killed_database_is_started_again_and_everything_comes_back(stack: Stack):
    ana, luis = make_couple(stack)
    killed = stack.database_pid
    async with open_socket(stack.url, stack.keys["SUPABASE_PUBLISHABLE_KEY"]) as live:
        await live.subscribe("planes", ana.session["access_token"], ALL_ACTIVITIES)
        os.kill(killed, signal.SIGKILL)
        until(AGAIN_SECONDS, lambda: stack.database_pid not in {0, killed} and answers(stack))
        assert sign_up(stack, "Eva").profile["nombre"] == "Eva"
        async with open_socket(stack.url, stack.keys["SUPABASE_PUBLISHABLE_KEY"]) as later:
            await until_subscribed(later, ana.session["access_token"])
            luis.create_activity("Después", "2026-12-25")
            change = await later.await_change(lambda data: data["type"] == "INSERT")
            assert change["record"]["titulo"] == "Después"
    assert len([line for line in stack.output if "PostgreSQL ended" in line]) == 1
    assert stack.stop() == 0


async def until_subscribed(live: Live, token: str) -> None:
    """Join until the server, which tries again by itself, has its stream of changes back."""
    async with asyncio.timeout(AGAIN_SECONDS):
        while True:
            with suppress(AssertionError):
                await live.subscribe("planes", token, ALL_ACTIVITIES)
                return
            await live.reply("realtime:planes", "phx_leave", {})


def test_a_database_that_cannot_run_is_tried_again_and_said_once(stack: Stack):
    control = stack.data_dir / "postgres/data/global/pg_control"
    kept = control.read_bytes()
    control.unlink()
    log = stack.data_dir / "postgres/postgres.log"
    attempts = log.read_text().count("pg_control")
    os.kill(stack.database_pid, signal.SIGKILL)
    until(AGAIN_SECONDS, lambda: log.read_text().count("pg_control") >= attempts + 3)
    assert len([line for line in stack.output if "PostgreSQL ended" in line]) == 1
    control.write_bytes(kept)
    control.chmod(0o600)
    until(AGAIN_SECONDS, lambda: answers(stack))
    assert stack.stop() == 0


def test_the_database_log_begins_anew_beyond_its_bound(stack: Stack):
    log = stack.data_dir / "postgres/postgres.log"
    with log.open("ab") as beside:  # as a database that complains for months
        beside.truncate(LOG_BYTES + 1)
    until(AGAIN_SECONDS, lambda: log.stat().st_size < LOG_BYTES)
    # and what the server, which appends meanwhile, wrote before the copy ended
    assert LOG_BYTES <= log.with_name("postgres.log.1").stat().st_size <= LOG_BYTES + 65_536
    os.kill((set(servers(stack)) - {stack.database_pid}).pop(), signal.SIGKILL)
    until(AGAIN_SECONDS, lambda: b"terminat" in log.read_bytes())


def test_a_killed_backend_is_replaced(stack: Stack):
    for pid in set(servers(stack)) - {stack.database_pid}:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    until(AGAIN_SECONDS, lambda: answers(stack))


class Cable:
    """A TCP connection to a Unix socket's server that can be cut: nothing more goes through."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._uncut = threading.Event()
        self._uncut.set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._ends: list[socket.socket] = [self._listening]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._uncut.clear()

    def close(self) -> None:
        self._uncut.set()
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self._target)
            self._ends += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._uncut.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


def test_a_network_that_was_cut_does_not_hold_up_the_end(server, tmp_path: Path):
    name = f"cut_{id(tmp_path)}"
    server.run(f'create database "{name}"')
    cable = Cable(str(server.cluster.sockets / ".s.PGSQL.5432"))
    url = f"postgresql://{postgres.SUPERUSER}@127.0.0.1:{cable.port}/{name}"
    started = start_stack(tmp_path / "data", DATABASE_URL=url)
    try:
        assert answers(started)
        cable.cut()
        with request_under_way(started):
            started.process.send_signal(signal.SIGTERM)
            started.process.wait(timeout=END_SECONDS)
    finally:
        if started.process.poll() is None:
            started.process.kill()
            started.process.wait()
        started.listener.join()
        cable.close()
        server.drop(name)
