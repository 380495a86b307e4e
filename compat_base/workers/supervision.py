"""What the supervisor does next: pure; processes are numbers, and time is an argument.

A process that dies is replaced at once, or with backoff if three died within ten seconds. If one
fails before everything has been ready once, everything ends. A restart replaces the processes of
the roles that roll, one at a time: the old one is told to end when the new one is ready.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

PONG_SECONDS = 10.0  # that a ready process may say nothing
START_SECONDS = 60.0  # that a new one may
END_SECONDS = 10.0  # from SIGTERM to SIGKILL
DEATH_SECONDS = 10.0
MANY_DEATHS = 3  # in DEATH_SECONDS: from then on there is a pause
FIRST_PAUSE = 0.5
LAST_PAUSE = 10.0
TICK_SECONDS = 0.5  # at most between two ticks
HALT_SECONDS = 3.0  # between two ticks: this process was suspended, so no child was silent


@dataclass(frozen=True, slots=True)
class Role:
    """The task of a process.

    `ends` is the order of shutdown, lowest first. A restart replaces a role that `rolls` by a new
    process before the old one ends; one that `renews` is ended after those and started again. A
    `silent` role sends no heartbeats. `pause` bounds the backoff before a start, in seconds.
    """

    name: str
    slot: int = 0
    ends: int = 0
    rolls: bool = False
    renews: bool = False
    silent: bool = False
    pause: float = LAST_PAUSE

    def __str__(self) -> str:
        return f"{self.name} {self.slot + 1}" if self.rolls else self.name


@dataclass(frozen=True, slots=True)
class Fork:
    """Start a process of a role; its number is then `forked`."""

    role: Role


@dataclass(frozen=True, slots=True)
class Send:
    """Send a process a signal."""

    pid: int
    number: signal.Signals


@dataclass(frozen=True, slots=True)
class Exit:
    """Nobody is left: end with this status."""

    status: int


Action: TypeAlias = Fork | Send | Exit


class State(Enum):
    """Where a process is in its life."""

    STARTING = "starting"
    READY = "ready"
    ENDING = "ending"


@dataclass(slots=True)
class _Process:
    role: Role
    seen_at: float
    state: State = State.STARTING
    terminated_at: float = 0.0  # to end


@dataclass(slots=True)
class _Deaths:
    at: deque[float] = field(default_factory=lambda: deque[float](maxlen=MANY_DEATHS))
    pause: float = 0.0


@dataclass(slots=True)
class Supervision:
    """Every role, its processes, and what is to be done; each method gives the actions."""

    roles: Sequence[Role]
    is_up: bool = False  # everything was ready once
    is_ending: bool = False
    status: int = 0
    restarts: int = 0  # processes that died and were replaced
    broken_rolls: int = 0  # restarts that were given up, as a new process did not work
    _processes: dict[int, _Process] = field(default_factory=dict[int, _Process])
    _deaths: dict[Role, _Deaths] = field(default_factory=dict[Role, _Deaths])
    _due: dict[Role, float] = field(default_factory=dict[Role, float])
    _rolling: deque[Role] = field(default_factory=deque[Role])
    _ticked_at: float | None = None
    _ends_at: float | None = None  # while everything serves on before its end

    def begin(self, now: float) -> list[Action]:
        """Start every role."""
        self._ticked_at = now
        return [Fork(role) for role in self.roles]

    def forked(self, role: Role, pid: int, now: float) -> None:
        """A process of a role was started."""
        self._due.pop(role, None)
        self._processes[pid] = _Process(role, now)

    def put_off(self, role: Role, now: float) -> None:
        """A process could not be started now."""
        self._due[role] = now + LAST_PAUSE

    def ready(self, pid: int, now: float) -> list[Action]:
        """A process serves; an older one of its role has nothing more to do."""
        process = self._processes.get(pid)
        if process is None or process.state is not State.STARTING:
            return []
        process.state, process.seen_at = State.READY, now
        self.is_up = self.is_up or all(self.is_ready(role) for role in self.roles)
        same = self._serving(process.role)
        older, is_newest = same[: same.index(pid)], same[-1] == pid
        ended = [self._end(other, now) for other in older]
        # One that was starting when the restart began has the old settings: its successor rolls on.
        return ended or (self._roll_on(process.role, now) if is_newest else [])

    def pong(self, pid: int, now: float) -> None:
        """A heartbeat came from a process."""
        if pid in self._processes:
            self._processes[pid].seen_at = now

    def died(self, pid: int, now: float) -> list[Action]:
        """A process has ended."""
        if pid not in self._processes:
            return []
        is_newest = pid in self._serving(self._processes[pid].role)[-1:]
        process = self._processes.pop(pid)
        if self.is_ending:
            return self._drain(now)
        if process.state is State.ENDING:
            return self._roll_on(process.role, now) or self._fill(process.role)
        if not self.is_up:
            self.status = 1
            return self.stop(now)
        is_rolled = self._rolling and self._rolling[0] == process.role and is_newest
        if is_rolled and process.state is State.STARTING:
            self._rolling.clear()  # the new one does not work: the old ones stay
            self.broken_rolls += 1
        self._delay(process.role, now)
        return self._fill(process.role)

    def drain(self, now: float, seconds: float) -> bool:
        """Keep serving for some seconds, then end everything; False if that has begun already."""
        if not self.is_up or self.is_ending or self._ends_at is not None:
            return False
        self._ends_at = now + seconds
        return True

    def stop(self, now: float) -> list[Action]:
        """End everything, in order."""
        self.is_ending = True
        self._rolling.clear()
        self._due.clear()
        return self._drain(now)

    @property
    def can_restart(self) -> bool:
        """Whether a restart is possible now: not during the start, the end, or another restart."""
        is_over = self.is_ending or self._ends_at is not None
        return self.is_up and not is_over and not self._rolling

    def restart(self) -> list[Action]:
        """Replace the processes of the roles that roll, one at a time."""
        if not self.can_restart:
            return []
        self._rolling.extend(role for role in self.roles if role.rolls)
        return [Fork(self._rolling[0])] if self._rolling else []

    def tick(self, now: float) -> list[Action]:
        """What is due now: delayed forks, the end of a drain, the kill of a process that hangs."""
        halted = self._ticked_at is not None and now - self._ticked_at > HALT_SECONDS
        self._ticked_at = now
        is_over = self._ends_at is not None and now >= self._ends_at and not self.is_ending
        actions = self.stop(now) if is_over else []
        for role, due in list(self._due.items()):
            if now >= due:
                del self._due[role]
                actions.append(Fork(role))
        for pid, process in self._processes.items():
            if halted:
                process.seen_at = now
            if self._hangs(process, now):
                actions.append(Send(pid, signal.SIGKILL))
                self.status = 1 if self.is_ending else self.status
        return actions

    def next_tick(self, now: float) -> float:
        """Seconds until a start or the end is due, TICK_SECONDS at most."""
        due = list(self._due.values())
        if self._ends_at is not None and not self.is_ending:
            due.append(self._ends_at)
        return max(0.0, min([TICK_SECONDS, *(at - now for at in due)]))

    def is_ready(self, role: Role) -> bool:
        """Whether a process of a role serves."""
        return any(
            each.role == role and each.state is State.READY for each in self._processes.values()
        )

    def of(self, name: str) -> Iterator[int]:
        """The processes of the roles of a name that are not told to end."""
        for pid, each in self._processes.items():
            if each.role.name == name and each.state is not State.ENDING:
                yield pid

    def _serving(self, role: Role) -> list[int]:
        """The processes of a role that are not told to end, the oldest first."""
        return [
            pid
            for pid, each in self._processes.items()
            if each.role == role and each.state is not State.ENDING
        ]

    def _hangs(self, process: _Process, now: float) -> bool:
        if process.state is State.ENDING:
            return now - process.terminated_at > END_SECONDS
        if process.role.silent:
            return False
        timeout = PONG_SECONDS if process.state is State.READY else START_SECONDS
        return now - process.seen_at > timeout

    def _end(self, pid: int, now: float) -> Action:
        process = self._processes[pid]
        process.state, process.terminated_at = State.ENDING, now
        return Send(pid, signal.SIGTERM)

    def _drain(self, now: float) -> list[Action]:
        """Tell the processes with the lowest `ends` to end."""
        if not self._processes:
            return [Exit(self.status)]
        turn = min(each.role.ends for each in self._processes.values())
        return [
            self._end(pid, now)
            for pid, each in self._processes.items()
            if each.role.ends == turn and each.state is not State.ENDING
        ]

    def _roll_on(self, role: Role, now: float) -> list[Action]:
        if not self._rolling or self._rolling[0] != role:
            return []
        self._rolling.popleft()
        if self._rolling:
            return [Fork(self._rolling[0])]
        return [
            self._end(pid, now)
            for pid, each in self._processes.items()
            if each.role.renews and each.state is not State.ENDING
        ]

    def _fill(self, role: Role) -> list[Action]:
        """Start a process where a role has none."""
        return [] if self._serving(role) or role in self._due else [Fork(role)]

    def _delay(self, role: Role, now: float) -> None:
        """Count a death, and delay the next start if there were many."""
        self.restarts += 1
        deaths = self._deaths.setdefault(role, _Deaths())
        deaths.at.append(now)
        is_many = len(deaths.at) == MANY_DEATHS and now - deaths.at[0] <= (
            DEATH_SECONDS + MANY_DEATHS * deaths.pause
        )
        deaths.pause = min(max(FIRST_PAUSE, 2 * deaths.pause), role.pause) if is_many else 0.0
        if is_many:
            self._due[role] = now + deaths.pause
