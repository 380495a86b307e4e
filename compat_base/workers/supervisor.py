"""The supervisor's shell: forks, waits for children and for signals; no event loop, no thread."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

from compat_base.values.world import SystemClock
from compat_base.workers.child import (
    FAILED,
    PONG,
    READY,
    ChildFailedError,
    Explain,
    Reporter,
    run_child,
)
from compat_base.workers.scoreboard import Scoreboard
from compat_base.workers.supervision import Action, Exit, Fork, Role, Send, Supervision

WORKER = "worker"
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
_STOPPING = frozenset({signal.SIGTERM, signal.SIGINT})
_READ_BYTES = 65_536

Work = Callable[[Role, Reporter], None]
"""What a process of a role does until it ends."""


@dataclass(slots=True)
class _Child:
    role: Role
    pipe: int | None  # None after its last report
    reason: bytes = b""


@dataclass(slots=True)
class ProcessSupervisor:
    """Keeps the roles filled until told to stop.

    Callbacks: `started` once everything is ready; `signalled` when a signal begins the shutdown;
    `reported` with a sentence about a child that failed; `renewed` at SIGHUP, which returns whether
    to replace the processes; `reverted` when a new process did not work and the old ones stay. The
    `forwarded` signals are passed on to the workers. After SIGTERM all keep serving for
    `drain_seconds`, which the scoreboard shows; another signal ends that.
    """

    supervision: Supervision
    works: Mapping[str, Work]
    scoreboard: Scoreboard
    explain: Explain
    started: Callable[[], None]
    signalled: Callable[[], None]
    reported: Callable[[str], None]
    renewed: Callable[[], bool] = lambda: True
    reverted: Callable[[], None] = lambda: None
    forwarded: frozenset[signal.Signals] = frozenset()
    drain_seconds: float = 0.0
    _clock: SystemClock = field(default_factory=SystemClock)
    _children: dict[int, _Child] = field(default_factory=dict[int, _Child])
    _wake: int = -1
    _failure: str = ""
    _is_restart_due: bool = False

    def run(self) -> int:
        """Serve until all have ended; the exit status. Raises ChildFailedError."""
        self._wake, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        heeded = (*_SIGNALS, *self.forwarded)
        old = {number: signal.signal(number, _pass) for number in heeded}
        old_fd = signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        try:
            status = self._run()
        finally:
            signal.set_wakeup_fd(old_fd)
            for number, handler in old.items():
                signal.signal(number, handler)
            os.close(wake_write)
            os.close(self._wake)
        if self._failure:
            raise ChildFailedError(self._failure)
        return status

    def _run(self) -> int:
        supervision, is_announced = self.supervision, False
        status = self._act(supervision.begin(self._now()))
        while status is None:
            pipes = {each.pipe: pid for pid, each in self._children.items() if each.pipe}
            timeout = supervision.next_tick(self._now())
            found, _, _ = select.select([self._wake, *pipes], [], [], timeout)
            for pipe in found:
                if pipe != self._wake:
                    self._act(self._read_reports(pipes[pipe]))
            signals = os.read(self._wake, _READ_BYTES) if self._wake in found else b""
            actions = [action for number in signals for action in self._on_signal(number)]
            actions += [*self._reap(), *self._tick(), *self._restart()]
            self._show()  # before a successor exists: nobody finds it ready by what was before it
            status = self._act(actions)
            if supervision.is_up and not is_announced:
                is_announced = True
                self.started()
        return status

    def _on_signal(self, number: int) -> list[Action]:
        """Handle a signal: stop, restart, or pass it on."""
        if number in _STOPPING:
            is_drained = number == signal.SIGTERM and self.drain_seconds > 0
            if is_drained and self.supervision.drain(self._now(), self.drain_seconds):
                self.scoreboard.drain()
                return []
            self.signalled()
            return self.supervision.stop(self._now())
        if number in self.forwarded:
            return [Send(pid, signal.Signals(number)) for pid in self.supervision.of(WORKER)]
        self._is_restart_due |= number == signal.SIGHUP
        return []

    def _restart(self) -> list[Action]:
        """Do what SIGHUP asked for, once the start or the restart that it came in is over."""
        if not self._is_restart_due or not self.supervision.can_restart:
            return []
        self._is_restart_due = False
        return self.supervision.restart() if self.renewed() else []

    def _tick(self) -> list[Action]:
        """What is due by now, the end after a drain included."""
        was_ending = self.supervision.is_ending
        actions = self.supervision.tick(self._now())
        if self.supervision.is_ending and not was_ending:
            self.signalled()
        return actions

    def _reap(self) -> list[Action]:
        """Take note of every child that has ended."""
        actions: list[Action] = []
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return actions
            if not pid:
                return actions
            if pid in self._children:  # else an orphan's: this is the first process of a container
                actions += self._read_reports(pid)
                self._note(pid, os.waitstatus_to_exitcode(status))
                self._forget_pipe(self._children.pop(pid))
                broken = self.supervision.broken_rolls
                actions += self.supervision.died(pid, self._now())
                if self.supervision.broken_rolls > broken:
                    self.reverted()

    def _note(self, pid: int, code: int) -> None:
        """Say why a child has ended that was not told to."""
        child = self._children[pid]
        if self.supervision.is_ending or pid not in self.supervision.of(child.role.name):
            return
        how = f"by signal {-code}" if code < 0 else f"with status {code}"
        reason = child.reason.decode("utf-8", "replace") or f"{child.role} ended {how}"
        if self.supervision.is_up:
            self.reported(f"{reason}: it is started again")
        else:
            self._failure = self._failure or reason

    def _read_reports(self, pid: int) -> list[Action]:
        """Read a child's reports from its pipe."""
        child = self._children[pid]
        if child.pipe is None:
            return []
        try:
            data = os.read(child.pipe, _READ_BYTES)
        except BlockingIOError:
            return []
        if not data:  # it is about to be reaped
            self._forget_pipe(child)
            return []
        head, failed, reason = data.partition(FAILED)
        child.reason += reason if failed else b""
        now = self._now()
        if PONG in head:
            self.supervision.pong(pid, now)
        return self.supervision.ready(pid, now) if READY in head else []

    def _forget_pipe(self, child: _Child) -> None:
        if child.pipe is not None:
            os.close(child.pipe)
            child.pipe = None

    def _act(self, actions: Sequence[Action]) -> int | None:
        """Perform the supervision's actions; the exit status once no child is left."""
        for action in actions:
            match action:
                case Fork(role):
                    self._fork(role)
                case Send(pid, number):
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)
                case Exit(status):
                    return status
        return None

    def _fork(self, role: Role) -> None:
        read, write = os.pipe()
        parent = os.getpid()
        # A signal that comes before the child has its own handlers waits for them.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            pid = os.fork()
        except OSError as error:  # too many processes, no memory
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            os.close(read)
            os.close(write)
            self.reported(f"{role} cannot be started now ({error.strerror})")
            self.supervision.put_off(role, self._now())
            return
        if not pid:
            others = [each.pipe for each in self._children.values() if each.pipe is not None]
            for number in (read, self._wake, *others):
                os.close(number)
            work = partial(self.works[role.name], role)
            run_child(work, write, parent, self.explain)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        os.close(write)
        os.set_blocking(read, False)
        self._children[pid] = _Child(role, read)
        self.supervision.forked(role, pid, self._now())

    def _show(self) -> None:
        """Write on the scoreboard which slots have a ready worker."""
        for role in self.supervision.roles:
            if role.name == WORKER:
                self.scoreboard.set(role.slot, is_ready=self.supervision.is_ready(role))

    def _now(self) -> float:
        return self._clock.monotonic()


def _pass(_number: int, _frame: FrameType | None) -> None:
    """Signals are read from the wake-up pipe."""
