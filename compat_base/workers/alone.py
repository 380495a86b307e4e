"""A single service with several workers: one socket and one process for each slot.

Other processes that the service needs are further roles.
"""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from signal import Signals

from compat_base.sockets import close_all
from compat_base.tasks import Supervisor
from compat_base.values.events import Observer
from compat_base.workers.child import Explain, Reporter
from compat_base.workers.scoreboard import Scoreboard
from compat_base.workers.supervision import Role, Supervision
from compat_base.workers.supervisor import WORKER, ProcessSupervisor, Work


@dataclass(frozen=True, slots=True)
class WorkerSlot:
    """One worker: its number, its socket, and the reporter to its supervisor."""

    number: int
    bound: socket.socket
    reporter: Reporter

    def keep_alive(self, tasks: Supervisor) -> None:
        """Send heartbeats to the supervisor for as long as the event loop runs."""
        tasks.start(self.reporter.keep_alive(), "pong")


@dataclass(slots=True)
class Alone:
    """The processes of one service; `serve` ends when the worker is told to end.

    `started` is called once all are ready; `forwarded` signals are passed on to the workers.
    """

    name: str
    sockets: Sequence[socket.socket]
    serve: Callable[[WorkerSlot], None]
    explain: Explain
    started: Callable[[], None] = lambda: None
    more: Mapping[Role, Work] = field(default_factory=dict[Role, Work])
    forwarded: frozenset[Signals] = frozenset()

    def run(self) -> int:
        """Serve until told to stop; the exit status. Raises ChildFailedError."""
        workers = tuple(Role(WORKER, slot, rolls=True) for slot in range(len(self.sockets)))
        supervisor = ProcessSupervisor(
            Supervision((*self.more, *workers)),
            {WORKER: self._work, **{role.name: self._beside for role in self.more}},
            Scoreboard(len(self.sockets)),
            self.explain,
            started=self.started,
            signalled=lambda: close_all(self.sockets),
            reported=self._report,
            forwarded=self.forwarded,
        )
        gc.collect()
        gc.freeze()  # what the workers share is then never copied to be counted
        return supervisor.run()

    def _work(self, role: Role, reporter: Reporter) -> None:
        kept = self.sockets[role.slot]
        self._close_all_but(kept)
        self.serve(WorkerSlot(role.slot, kept, reporter))

    def _beside(self, role: Role, reporter: Reporter) -> None:
        self._close_all_but(None)
        self.more[role](role, reporter)

    def _close_all_but(self, kept: socket.socket | None) -> None:
        for each in self.sockets:
            if each is not kept:
                each.close()

    def _report(self, line: str) -> None:
        sys.stderr.write(f"{self.name}: {line}\n")
        sys.stderr.flush()


async def until_terminated(
    opened: AbstractAsyncContextManager[None], reporter: Reporter, observer: Observer
) -> None:
    """Keep something open until SIGTERM, in a process that is no worker."""
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(Signals.SIGTERM, ending.set)
    async with Supervisor(observer) as tasks:
        tasks.start(reporter.keep_alive(), "pong")
        async with opened:
            reporter.ready()
            await ending.wait()
