"""What attacks on a running stack are made of, and what honest callers see meanwhile.

The stack takes the callers' addresses from `X-Forwarded-For`, as behind a proxy.
"""

from __future__ import annotations

import http.client
import os
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.figures import Figure, keep
from tests.harness_stack import ROOT, start_stack

CONNECTIONS = 400  # what the stack under attack takes at once
_SCHEMA = """
create unlogged table public.abuse (a text, b text, c text);
grant select, insert on public.abuse to anon;
insert into public.abuse values ('1', '2', '3');
"""
_HONEST = ("/rest/v1/abuse?limit=1", "/auth/v1/health")
_REQUESTS = 300
_COOLING = 30.0  # seconds after a flood
_KEPT = 10.0  # MB that a process may keep of it without being waited for
_FLOOD_SECONDS = 5.0
_ATTEMPTS = 5
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Target:
    """A running stack: its process, its address and its public key."""

    process: int
    host: str
    port: int
    key: str

    def connect(self) -> http.client.HTTPConnection:
        """A connection; an answer may take a minute."""
        return http.client.HTTPConnection(self.host, self.port, timeout=60)

    def send(self, method: str, path: str, body: bytes, kind: str) -> int:
        """Send one request on a connection of its own and give its status; 0 where it was cut."""
        connection = self.connect()
        try:
            headers = {"apikey": self.key, "Content-Type": kind}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
        except OSError:
            return 0
        finally:
            connection.close()
        return answer.status


@dataclass(frozen=True, slots=True)
class Attack:
    """What is done to a target, in threads of its own, until it is told to end."""

    name: str
    run: Callable[[Target, threading.Event], None]


@contextmanager
def attacked() -> Generator[Target]:
    """A stack of its own with a table `abuse`, for the length of the block."""
    with tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as folder:
        migrations = Path(folder) / "migrations"
        migrations.mkdir()
        (migrations / "20260101000000_abuse.sql").write_text(_SCHEMA)
        stack = start_stack(
            Path(folder) / "data",
            MIGRATIONS_DIR=str(migrations),
            TRUSTED_PROXIES="127.0.0.1",
            HTTP_CONNECTIONS=str(CONNECTIONS),
        )
        try:
            address = urlsplit(stack.url)
            yield Target(
                stack.process.pid,
                address.hostname or "",
                address.port or 0,
                stack.keys["SUPABASE_ANON_KEY"],
            )
        finally:
            stack.stop()


def run_in_threads(work: Callable[[], object], count: int) -> None:
    """Run work in so many threads at once, to the end of all."""
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def processor_seconds(process: int) -> float:
    """What a process has used so far, in user mode and in the kernel."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident_memory(process: int) -> float:
    """What a process has in memory, in MB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def print_memory(target: Target, attack: Attack) -> None:
    """Memory of the process before, during and after an attack that is run twice.

    What the first leaves may be caches; what the second leaves on top of it is lost.
    """
    for number in (1, 2):
        before = highest = resident_memory(target.process)
        ended = threading.Event()
        attacker = threading.Thread(target=attack.run, args=(target, ended))
        attacker.start()
        stop = time.monotonic() + _FLOOD_SECONDS
        while time.monotonic() < stop:
            highest = max(highest, resident_memory(target.process))
            time.sleep(0.1)
        ended.set()
        attacker.join()
        after = memory_after(target.process, before)
        print(
            f"memory, {attack.name}, flood {number}: {before:.0f} MB before,"
            f" {highest:.0f} MB at most, {after:.0f} MB after"
        )
    keep(Figure(f"memory kept of a second flood: {attack.name}", after - before, "MB", 20))


def memory_after(process: int, before: float) -> float:
    """A process's memory once it has let go of a flood, or after a while."""
    ended, after = time.monotonic() + _COOLING, resident_memory(process)
    while time.monotonic() < ended and after > before + _KEPT:
        time.sleep(0.5)
        after = resident_memory(process)
    return after


def print_honest(target: Target, attacks: Iterable[Attack]) -> None:
    """The p50 and p99 of honest requests, with nobody else and while each attack runs."""
    for attack in (None, *attacks):
        _print_honest(target, attack)


def _print_honest(target: Target, attack: Attack | None) -> None:
    ended = threading.Event()
    attacker = None
    if attack is not None:
        attacker = threading.Thread(target=attack.run, args=(target, ended))
        attacker.start()
        time.sleep(1)
    print(attack.name if attack else "nobody else")
    try:
        for path in _HONEST:
            times = sorted(_times(target, path, _REQUESTS))
            p99 = times[int(len(times) * 0.99)]
            print(f"  {path:36} p50 {statistics.median(times):6.1f} ms  p99 {p99:6.1f} ms")
            if path == _HONEST[0]:
                keep(Figure(f"honest p99: {attack.name if attack else 'quiet'}", p99, "ms", 100))
    finally:
        ended.set()
        if attacker is not None:
            attacker.join()


def _times(target: Target, path: str, count: int) -> list[float]:
    connection = target.connect()
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        _read(connection, path, target.key)
        times.append((time.perf_counter() - began) * 1000)
        time.sleep(0.01)
    connection.close()
    return times


def _read(connection: http.client.HTTPConnection, path: str, key: str) -> None:
    """Read a path; where the connection was cut, on a new one, as clients do."""
    for attempt in range(_ATTEMPTS):
        try:
            connection.request("GET", path, headers={"apikey": key})
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            connection.close()
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return
