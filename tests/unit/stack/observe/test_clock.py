"""The clock that nodes of one database agree on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from compat_base.values.events import Observation
from compat_stack.observe.clock import DatabaseClock

NOON = datetime(2027, 1, 1, 12, tzinfo=UTC)


class Machine:
    """A machine's clocks: `wall` may be set by anybody, `ran` counts on."""

    def __init__(self, wall: datetime) -> None:
        self.wall = wall
        self.ran = 7.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.ran

    def run(self, seconds: float) -> None:
        self.wall += timedelta(seconds=seconds)
        self.ran += seconds


def seconds_of(clock: DatabaseClock) -> float:
    return (clock.now() - NOON).total_seconds()


def test_a_clock_that_is_wrong_is_set_by_the_databases_and_goes_on():
    logged: list[Observation] = []
    machine = Machine(NOON + timedelta(minutes=10))
    clock = DatabaseClock(machine, logged.append)
    clock.adjust(NOON)
    assert (seconds_of(clock), clock.offset) == (0, -600)
    machine.run(5)
    clock.adjust(NOON + timedelta(seconds=5))
    assert seconds_of(clock) == 5
    assert [each.name for each in logged] == ["clock_differs"]


def test_clocks_that_nearly_agree_are_left_alone():
    logged: list[Observation] = []
    clock = DatabaseClock(Machine(NOON), logged.append)
    clock.adjust(NOON + timedelta(seconds=0.9))
    clock.adjust(NOON - timedelta(seconds=0.05))
    assert seconds_of(clock) == 0
    assert logged == []


def test_a_machines_clock_that_is_set_anew_moves_nothing_and_is_said():
    logged: list[Observation] = []
    machine = Machine(NOON)
    clock = DatabaseClock(machine, logged.append)
    clock.adjust(NOON)
    machine.wall += timedelta(hours=1)
    assert seconds_of(clock) == 0
    clock.adjust(NOON)
    assert (seconds_of(clock), clock.offset) == (0, -3600)
    assert [each.facts["seconds"] for each in logged] == [-3600]


def test_a_machine_that_slept_is_woken_to_the_databases_time():
    machine = Machine(NOON)
    clock = DatabaseClock(machine, lambda _observation: None)
    machine.wall += timedelta(hours=1)  # its other clock stood still
    clock.adjust(NOON + timedelta(hours=1))
    assert seconds_of(clock) == 3600
