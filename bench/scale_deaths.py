"""Deaths of what a machine's workers share, in rounds: each change once and in order, and how late.

A part of `make bench ARGS=scale`; alone by `python -m bench.scale_deaths ROUNDS KIND…`; 50 rounds
of each kind unless given. A round writes rows one by one, kills in their midst, and waits for
the standby.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import asyncpg

from bench.figures import Figure, keep
from tests.harness_live import Live
from tests.harness_stack import ROOT, Stack, start_stack
from tests.harness_workers import (
    await_standby,
    broker_of,
    is_ready,
    log_reader_of,
    sockets_of_each,
    until,
    workers,
)

ROUNDS = 50
EACH = 40  # rows of a round
WORKERS = 4
APART_SECONDS = 2.6  # rounds of workers' deaths: of one slot, each third within 10 s is waited for
LATE_MS = 250.0  # from a row's commit until a subscriber hears of it, at most
_SETUP = (
    "create table if not exists public.pasos (id int primary key); truncate public.pasos;"
    "grant select on public.pasos to anon;"
    "do $$ begin alter publication supabase_realtime add table public.pasos;"
    " exception when duplicate_object then null; end $$"
)
_WALSENDER = "select pg_terminate_backend(pid) from pg_stat_replication where state = 'streaming'"

Kinds = Mapping[str, Callable[[Stack, int, int], list[int]]]
KINDS: Kinds = {
    "reader of the log": lambda _stack, reader, _standby: [reader],
    "its standby": lambda _stack, _reader, standby: [standby],
    "broker": lambda stack, _reader, _standby: [broker_of(stack)],
    "broker and reader": lambda stack, reader, _standby: [broker_of(stack), reader],
    "a worker": lambda stack, _reader, _standby: [_one_worker(stack)],
    "walsender": lambda _stack, _reader, _standby: [],
}


_spared = set[int]()


def _one_worker(stack: Stack) -> int:
    """The older of the two workers whose slots are killed by turns; the others live on."""
    now = workers(stack)
    if not _spared & now:
        _spared.update(sorted(now)[2:])
    return min(now - _spared)


class Subscriber:
    """A subscriber: the numbers that came, when, and what else was said."""

    def __init__(self, pid: int, live: Live) -> None:
        self.pid, self._live = pid, live
        self.ids: list[int] = []
        self.errors = 0
        self.received: dict[int, float] = {}

    async def listen(self) -> None:
        """Hear for ever."""
        while True:
            text = await self._live.socket.recv()
            event, payload = json.loads(text)[3:]
            self.errors += event == "phx_error"
            if event == "postgres_changes":
                self.ids.append(payload["data"]["record"]["id"])
                self.received.setdefault(self.ids[-1], time.monotonic())


def main(rounds: int = ROUNDS, kinds: Iterable[str] = ()) -> None:
    """Print the figures, of some kinds or of all."""
    with tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as folder:
        stack = start_stack(Path(folder) / "data", WORKERS=str(WORKERS))
        try:
            for kind in kinds or KINDS:
                asyncio.run(_through(stack, kind, rounds))
        finally:
            stack.stop()


async def _through(stack: Stack, kind: str, rounds: int) -> None:
    until(lambda: is_ready(stack), "ready")
    database = await asyncpg.connect(stack.keys["DATABASE_URL"])
    await database.execute(_SETUP)
    async with sockets_of_each(stack, stack.keys["SUPABASE_ANON_KEY"], WORKERS) as found:
        subscribers = [Subscriber(pid, live) for pid, live in found.items()]
        wanted = {"event": "INSERT", "schema": "public", "table": "pasos"}
        for live in found.values():
            await live.subscribe("pasos", None, wanted)
        listening = [asyncio.create_task(each.listen()) for each in subscribers]
        beats = asyncio.create_task(_beat(list(found.values())))
        killed, written = set[int](), dict[int, float]()
        for round_ in range(rounds):
            killed |= await _round(stack, database, kind, round_, written)
        kept = [each for each in subscribers if each.pid not in killed]
        with suppress(TimeoutError):
            async with asyncio.timeout(60):
                while any(rounds * EACH not in each.ids for each in kept):  # noqa: ASYNC110 — of others
                    await asyncio.sleep(0.05)
        for task in (*listening, beats):
            task.cancel()
        await asyncio.gather(*listening, beats, return_exceptions=True)
    await database.close()
    _report(kind, rounds, kept, written)


async def _beat(lives: list[Live]) -> None:
    while True:
        await asyncio.sleep(20)
        for live in lives:
            with suppress(Exception):
                await live.push("phoenix", "heartbeat", {})


async def _round(
    stack: Stack, database: asyncpg.Connection, kind: str, round_: int, written: dict[int, float]
) -> set[int]:
    began = time.monotonic()
    reader, standby = await asyncio.to_thread(await_standby, stack)
    first, gone = round_ * EACH + 1, set[int]()
    for number in range(first, first + EACH):
        if number == first + EACH // 2:
            gone = set(await asyncio.to_thread(KINDS[kind], stack, reader, standby))
            for pid in gone:
                os.kill(pid, signal.SIGKILL)
            if kind == "walsender":
                await database.execute(_WALSENDER)
        await database.execute("insert into public.pasos values ($1)", number)
        written[number] = time.monotonic()
        await asyncio.sleep(0.005)  # what a writer thinks
    if kind == "walsender":
        await asyncio.to_thread(until, lambda: log_reader_of(stack) != reader, "another streams")
    await asyncio.to_thread(until, lambda: len(workers(stack)) == WORKERS, "every worker is there")
    if kind == "a worker":
        await asyncio.sleep(max(0.0, began + APART_SECONDS - time.monotonic()))
    return gone


def _report(
    kind: str, rounds: int, subscribers: list[Subscriber], written: dict[int, float]
) -> None:
    whole = list(range(1, rounds * EACH + 1))
    lost = sum(len(set(whole) - set(each.ids)) for each in subscribers)
    twice = sum(len(each.ids) - len(set(each.ids)) for each in subscribers)
    order = sum(sorted(each.ids) != each.ids for each in subscribers)
    late = 1000 * max(
        (at - written[number] for each in subscribers for number, at in each.received.items()),
        default=0.0,
    )
    errors = sum(each.errors for each in subscribers)
    print(
        f"{kind}: {rounds} deaths, {len(subscribers)} subscribers of {rounds * EACH} rows: "
        f"{lost} lost, {twice} twice, {order} out of order, {errors} told; "
        f"the latest after {late:.0f} ms"
    )
    if rounds >= ROUNDS:  # fewer are asked for how late changes are
        keep(Figure(f"changes lost or twice, {kind} dies {rounds} times", lost + twice, "rows", 0))
    keep(Figure(f"latest change, {kind} dies", late, "ms", LATE_MS))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS, sys.argv[2:])
