"""Each service alone: ended in time; by two workers replaced when they die, ended together."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.conftest import Server
from tests.harness_fork import Program, run_program, start_program
from tests.harness_programs import free_port
from tests.harness_stack import ROOT, environment
from tests.harness_states import PAUSE
from tests.harness_workers import children, client_of_each, is_alive, until, workers

SECRET = "a-secret-of-the-tests-that-is-long-enough"
SECONDS = 60  # of patience; a busy machine needs many
HELD = """
import runpy, sys
from compat_base import asgi, process

process.CLOSING_SECONDS = float(sys.argv[2])
answer = asgi.Lifespan.__call__

async def holding(self, scope, receive, send):
    if scope.get("path") == "/hold":
        print("held", flush=True)
        while True:
            pass
    await answer(self, scope, receive, send)

asgi.Lifespan.__call__ = holding
name = sys.argv[1]
del sys.argv[1:]
runpy.run_module(name, run_name="__main__", alter_sys=True)
"""
Make = Callable[[Callable[[str], str], int, Path], tuple[str, dict[str, str]]]


@dataclass
class Alone:
    """A service's supervisor."""

    process: Program
    url: str
    path: str

    def status(self) -> int:
        return httpx2.get(self.url + self.path, timeout=60).status_code

    def is_served(self) -> bool:
        try:
            return self.status() == 200
        except httpx2.TransportError:
            return False

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=60)


def rest(url: Callable[[str], str], port: int, _folder: Path) -> tuple[str, dict[str, str]]:
    return "/", {
        "PGRST_DB_URI": url("authenticator"), "PGRST_SERVER_HOST": "127.0.0.1",
        "PGRST_SERVER_PORT": str(port), "PGRST_ADMIN_SERVER_PORT": str(free_port()),
        "PGRST_DB_ANON_ROLE": "anon", "PGRST_JWT_SECRET": SECRET,
    }  # fmt: skip


def gotrue(url: Callable[[str], str], port: int, _folder: Path) -> tuple[str, dict[str, str]]:
    return "/health", {
        "DATABASE_URL": url("supabase_auth_admin"), "GOTRUE_API_HOST": "127.0.0.1",
        "PORT": str(port), "GOTRUE_JWT_SECRET": SECRET, "GOTRUE_SITE_URL": "http://localhost",
        "API_EXTERNAL_URL": "http://localhost", "GOTRUE_DB_DRIVER": "postgres",
    }  # fmt: skip


def realtime(url: Callable[[str], str], port: int, _folder: Path) -> tuple[str, dict[str, str]]:
    return "/api/ping", {
        "DATABASE_URL": url("supabase_realtime_admin"), "PORT": str(port),
        "API_JWT_SECRET": SECRET,
    }  # fmt: skip


def storage(url: Callable[[str], str], port: int, folder: Path) -> tuple[str, dict[str, str]]:
    return "/status", {
        "DATABASE_URL": url("supabase_storage_admin"), "PORT": str(port),
        "AUTH_JWT_SECRET": SECRET, "STORAGE_FILE_BACKEND_PATH": str(folder), "TENANT_ID": "stub",
        "SERVER_HOST": "127.0.0.1",
    }  # fmt: skip


@contextmanager
def served(make: Make, url: Callable[[str], str], folder: Path) -> Generator[Alone]:
    port = free_port()
    path, values = make(url, port, folder)
    with (folder / "output.log").open("w") as output:
        process = start_program(
            [f"{make.__name__}_compat"], env=environment(**values, WORKERS="2"), stdout=output
        )
    alone = Alone(process, f"http://127.0.0.1:{port}", path)
    try:
        yield alone
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("make", [rest, gotrue, realtime, storage])
def test_a_service_alone_is_served_by_two_workers_through_deaths_and_a_restart(
    server: Server,
    services_database: str,
    tmp_path: Path,
    make: Make,
):
    def url(role: str) -> str:
        return server.url(services_database, role)

    log = tmp_path / "output.log"
    with served(make, url, tmp_path) as alone:
        until(alone.is_served, f"it serves: {log.read_text()}")
        with client_of_each(alone, "", 2) as found:  # both are ready
            killed = max(found)
        os.kill(killed, signal.SIGKILL)
        until(lambda: len(workers(alone) - {killed}) == 2 and alone.is_served(), "two again")
        before = workers(alone)
        statuses: list[int | str] = []
        is_over = threading.Event()

        def send_requests() -> None:
            while not is_over.wait(PAUSE):
                try:
                    statuses.append(alone.status())
                except httpx2.TransportError as error:
                    statuses.append(repr(error))

        sender = threading.Thread(target=send_requests)
        sender.start()
        alone.process.send_signal(signal.SIGHUP)
        try:
            until(lambda: not before & children(alone.process.pid), "every worker is new")
        finally:
            is_over.set()
            sender.join()
        assert set(statuses) == {200}
        every = children(alone.process.pid)
        assert alone.stop() == 0, log.read_text()
        assert not any(map(is_alive, every))
        assert "Traceback" not in log.read_text()


def test_a_number_of_workers_that_cannot_be_is_refused(tmp_path: Path):
    for name in ("rest", "gotrue", "realtime", "storage"):
        values = environment(WORKERS="65", API_JWT_SECRET=SECRET)
        done = run_program([f"{name}_compat"], env=values, cwd=tmp_path, timeout=120)
        assert done.returncode == 1
        assert "WORKERS must be at most 64" in done.stderr, name


@contextmanager
def held(
    make: Make, url: Callable[[str], str], folder: Path, closing_seconds: float
) -> Generator[subprocess.Popen[str]]:
    """A service whose event loop never comes back from a request."""
    port = free_port()
    _, values = make(url, port, folder)
    process = subprocess.Popen(
        [sys.executable, "-c", HELD, f"{make.__name__}_compat", str(closing_seconds)],
        env=environment(**values), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=ROOT,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        with connected(port) as connection:
            connection.sendall(b"GET /hold HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert "held\n" in process.stdout
            yield process
    finally:
        process.kill()
        process.communicate()


def connected(port: int) -> socket.socket:
    """A connection, as soon as the service listens."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        except ConnectionRefusedError:
            assert time.monotonic() < end, "it does not listen"
            time.sleep(0.05)


@pytest.mark.parametrize("make", [rest, gotrue, realtime, storage])
def test_a_signal_ends_a_service_whose_event_loop_is_held(
    server: Server, services_database: str, tmp_path: Path, make: Make
):
    def url(role: str) -> str:
        return server.url(services_database, role)

    with held(make, url, tmp_path, closing_seconds=0.2) as process:
        process.terminate()
        _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert errors.endswith("error: not everything could be closed within 0 s\n")
    assert "Traceback" not in errors


@pytest.mark.parametrize("make", [rest, storage])
def test_a_second_signal_ends_it_at_once(
    server: Server, services_database: str, tmp_path: Path, make: Make
):
    def url(role: str) -> str:
        return server.url(services_database, role)

    with held(make, url, tmp_path, closing_seconds=600) as process:
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)  # of another kind: two of one may become one
        assert process.wait(timeout=SECONDS) == 130
