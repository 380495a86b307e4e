"""A stack of several workers, looked at from outside: its processes, and who answers."""

from __future__ import annotations

import http.client
import json
import mmap
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from tests.harness_fork import Program
from tests.harness_live import Live, open_socket
from tests.harness_stack import Stack

TIMEOUT = 60.0


class Served(Protocol):
    """A process that supervises workers, and where they serve."""

    @property
    def process(self) -> Program | subprocess.Popen[str]:
        """The supervisor."""
        ...

    @property
    def url(self) -> str:
        """The address of all."""
        ...


def until(is_so: Callable[[], object], what: str, seconds: float = TIMEOUT) -> None:
    """Wait for a state."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.02)


def children(pid: int) -> frozenset[int]:
    """The living processes that a supervisor has forked."""
    found: set[int] = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.add(int(path.parent.name))
    return frozenset(found)


def is_alive(pid: int) -> bool:
    """Whether a process runs."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def resident(pid: int) -> int:
    """Bytes of memory that a process has to itself or shares."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * mmap.PAGESIZE


def connect(stack: Served) -> http.client.HTTPConnection:
    """A new connection, which the kernel gives to one of the workers."""
    parts = urlsplit(stack.url)
    return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)


def get(stack: Stack, path: str) -> tuple[int, bytes]:
    """One request on a connection of its own."""
    connection = connect(stack)
    try:
        connection.request("GET", path, headers={"apikey": stack.keys["SUPABASE_SECRET_KEY"]})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def is_ready(stack: Stack) -> bool:
    """Whether every slot has a ready worker."""
    with suppress(OSError, http.client.HTTPException):
        status, body = get(stack, "/readyz")
        return status == 200 and not json.loads(body)["not_ready"]
    return False


def workers(stack: Served) -> frozenset[int]:
    """The processes that hold connections to clients: those that have one of the address's sockets.

    A process that was forked just now still has all of them, whatever it is to be.
    """
    port = urlsplit(stack.url).port
    inodes = _listening(port or 0)
    found: set[int] = set()
    for pid in children(stack.process.pid):
        with suppress(OSError):
            held = {path.readlink().name for path in Path(f"/proc/{pid}/fd").iterdir()}
            if len(inodes & held) == 1:
                found.add(pid)
    return frozenset(found)


def _listening(port: int) -> frozenset[str]:
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    return frozenset(
        f"socket:[{row[9]}]"
        for row in rows
        if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port
    )


def worker_at(stack: Served, port: int) -> int | None:
    """The process that holds the other end of a connection from a local port."""
    return workers_at(stack, {port}).get(port)


def workers_at(stack: Served, ports: set[int]) -> dict[int, int]:
    """By local port, the processes that hold the other ends of connections from them."""
    served = urlsplit(stack.url).port
    names: dict[str, int] = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        row = line.split()
        own, other = (int(row[place].rpartition(":")[2], 16) for place in (1, 2))
        if own == served and other in ports:
            names[f"socket:[{row[9]}]"] = other
    found: dict[int, int] = {}
    for pid in children(stack.process.pid):
        with suppress(OSError):
            held = {path.readlink().name for path in Path(f"/proc/{pid}/fd").iterdir()}
            found |= dict.fromkeys((names[name] for name in names.keys() & held), pid)
    return found


@asynccontextmanager
async def sockets_of_each(
    stack: Served, key: str, count: int, prefix: str = "/realtime/v1"
) -> AsyncIterator[dict[int, Live]]:
    """An open realtime socket at each of so many workers, by the worker's process."""
    async with AsyncExitStack() as opened:
        found: dict[int, Live] = {}
        for _ in range(50 * count):
            live = await opened.enter_async_context(open_socket(stack.url, key, prefix))
            pid = worker_at(stack, live.socket.local_address[1])
            if pid is not None and pid not in found:
                found[pid] = live
            if len(found) == count:
                break
        assert len(found) == count
        yield found


def broker_of(stack: Served) -> int:
    """The process that passes messages between the workers, once they are connected to it."""
    found: list[int] = []

    def is_there() -> bool:
        pid, connections = _most_connected(stack)
        found[:] = [pid]
        return connections > 1 + len(workers(stack))  # it listens too

    until(is_there, "a broker")
    return found[0]


def _most_connected(stack: Served) -> tuple[int, int]:
    """The process that most others are connected to by the broker's socket."""
    path = b"broker.sock"
    lines = Path("/proc/net/unix").read_bytes().splitlines()[1:]
    inodes = {f"socket:[{line.split()[6].decode()}]" for line in lines if line.endswith(path)}
    counts = dict.fromkeys(children(stack.process.pid) - workers(stack), 0)
    for pid in counts:
        with suppress(OSError):
            names = [path.readlink().name for path in Path(f"/proc/{pid}/fd").iterdir()]
            counts[pid] = sum(name in inodes for name in names)
    return max(counts.items(), key=lambda each: each[1])


@dataclass
class Client:
    """A connection to one worker, kept open."""

    connection: http.client.HTTPConnection
    key: str

    def request(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        """Send a request and read its answer."""
        sent = None if body is None else json.dumps(body).encode()
        own = {"apikey": self.key, "content-type": "application/json", **headers}
        self.connection.request(method, path, sent, own)
        answer = self.connection.getresponse()
        return answer.status, answer.read(), answer.headers


@contextmanager
def client_of_each(stack: Served, key: str, count: int) -> Iterator[dict[int, Client]]:
    """An open connection to each of so many workers, by the worker's process."""
    with ExitStack() as opened:
        found: dict[int, Client] = {}
        for _ in range(50 * count):
            connection = connect(stack)
            opened.callback(connection.close)
            connection.connect()
            port = connection.sock.getsockname()[1]  # now: a worker that ends closes it
            client = Client(connection, key)
            client.request("GET", "/livez")
            pid = worker_at(stack, port)
            if pid is not None:
                found.setdefault(pid, client)
            if len(found) == count:
                break
        assert len(found) == count
        yield found


def log_reader_of(stack: Served) -> int:
    """The process that streams the log: it holds the leader's lock."""
    return _holder(stack, 1)


def log_standby_of(stack: Served) -> int:
    """The process that would stream the log next."""
    return _holder(stack, 0)


def await_standby(stack: Served, *gone: int) -> tuple[int, int]:
    """Who streams the log and who is the standby, once there are both and none of those gone."""

    def both() -> bool:
        held = {_locked(stack, 1), _locked(stack, 0)}
        return None not in held and len(held) == 2 and not held & set(gone)

    until(both, "a reader and a standby")
    return log_reader_of(stack), log_standby_of(stack)


def _holder(stack: Served, byte: int) -> int:
    until(lambda: _locked(stack, byte), "somebody holds the lock")
    return _locked(stack, byte) or 0


def _locked(stack: Served, byte: int) -> int | None:
    """The child that has a byte of a file locked."""
    ours = children(stack.process.pid)
    for line in Path("/proc/locks").read_text().splitlines():
        fields = line.split()
        if fields[1] == "POSIX" and fields[6:] == [str(byte)] * 2 and int(fields[4]) in ours:
            return int(fields[4])
    return None
