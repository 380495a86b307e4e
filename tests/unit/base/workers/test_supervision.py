"""What the supervisor does next: starts, deaths, restarts, the end; on passed-in time."""

from __future__ import annotations

import signal

import pytest

from compat_base.workers.supervision import (
    END_SECONDS,
    FIRST_PAUSE,
    LAST_PAUSE,
    PONG_SECONDS,
    TICK_SECONDS,
    Exit,
    Fork,
    Role,
    Send,
    Supervision,
)

A, B = Role("worker", 0, rolls=True), Role("worker", 1, rolls=True)
LAST = Role("broker", ends=1)


def running(*roles: Role) -> Supervision:
    """Every role has a ready process; their numbers are 1, 2, …"""
    supervision = Supervision(roles)
    assert supervision.begin(0.0) == [Fork(role) for role in roles]
    for pid, role in enumerate(roles, 1):
        supervision.forked(role, pid, 0.0)
    for pid in range(1, len(roles) + 1):
        assert supervision.ready(pid, 0.0) == []
    return supervision


def quiet(supervision: Supervision, pids: range, until: float) -> None:
    """Time passes, a second at a time, and these processes say that they live."""
    now = 0.0
    while now < until:
        now += 1.0
        for pid in pids:
            supervision.pong(pid, now)
        supervision.tick(now)


def test_it_is_up_once_every_role_was_ready():
    supervision = Supervision((A, B))
    supervision.begin(0.0)
    supervision.forked(A, 1, 0.0)
    supervision.forked(B, 2, 0.0)
    supervision.ready(1, 0.0)
    assert not supervision.is_up
    supervision.ready(2, 0.0)
    assert supervision.is_up


def test_a_process_that_dies_is_replaced_at_once():
    supervision = running(A, B)
    assert supervision.died(2, 1.0) == [Fork(B)]
    assert not supervision.is_ready(B)
    assert supervision.is_ready(A)


def test_three_deaths_in_ten_seconds_put_the_next_start_off_and_further_ones_longer():
    supervision = running(A, B)
    now, pid, pauses = 0.0, 2, list[float]()
    for _ in range(8):
        now += 0.1
        if supervision.died(pid, now):
            pauses.append(0.0)
        else:
            began = now
            while not (actions := supervision.tick(now)):
                now = round(now + 0.1, 1)
                supervision.pong(1, now)
            assert actions == [Fork(B)]
            pauses.append(now - began)
        pid += 1
        supervision.forked(B, pid, now)
        supervision.ready(pid, now)
    assert pauses[:2] == [0.0, 0.0]
    assert pauses[2:4] == pytest.approx([FIRST_PAUSE, 2 * FIRST_PAUSE], abs=0.11)
    assert pauses[-1] == pytest.approx(LAST_PAUSE, abs=0.11)


def test_a_start_that_was_put_off_is_ticked_at_when_it_is_due():
    broker = Role("broker", pause=0.1)
    supervision = running(broker)
    assert supervision.next_tick(1.0) == TICK_SECONDS
    for pid in range(1, 4):
        supervision.died(pid, 1.0)
        if pid < 3:
            supervision.forked(broker, pid + 1, 1.0)
            supervision.ready(pid + 1, 1.0)
    assert supervision.next_tick(1.0) == pytest.approx(0.1)
    assert supervision.next_tick(2.0) == 0.0
    assert supervision.tick(2.0) == [Fork(broker)]
    supervision.forked(broker, 9, 2.0)
    assert supervision.next_tick(2.0) == TICK_SECONDS


def test_one_that_fails_before_the_first_readiness_ends_everything():
    supervision = Supervision((A, B))
    supervision.begin(0.0)
    supervision.forked(A, 1, 0.0)
    supervision.forked(B, 2, 0.0)
    supervision.ready(1, 0.0)
    assert supervision.died(2, 0.1) == [Send(1, signal.SIGTERM)]
    assert supervision.died(1, 0.2) == [Exit(1)]


def test_one_that_says_nothing_is_killed():
    supervision = running(A)
    quiet(supervision, range(1, 2), 5.0)
    now = 5.0
    while now < 5.0 + PONG_SECONDS:
        now += 1.0
        assert supervision.tick(now) == []
    assert supervision.tick(now + 1.0) == [Send(1, signal.SIGKILL)]


def test_after_the_supervisor_itself_was_stopped_nobody_was_silent():
    supervision = running(A)
    quiet(supervision, range(1, 2), 5.0)
    assert supervision.tick(500.0) == []


def test_the_end_is_told_in_order():
    supervision = running(A, B, LAST)
    assert supervision.stop(1.0) == [Send(1, signal.SIGTERM), Send(2, signal.SIGTERM)]
    assert supervision.died(1, 1.1) == []
    assert supervision.died(2, 1.2) == [Send(3, signal.SIGTERM)]
    assert supervision.died(3, 1.3) == [Exit(0)]


def test_one_that_does_not_end_is_killed():
    supervision = running(A)
    quiet(supervision, range(1, 2), 1.0)
    supervision.stop(1.0)
    now = 1.0
    while now < 1.0 + END_SECONDS:
        now += 1.0
        assert supervision.tick(now) == []
    assert supervision.tick(now + 1.0) == [Send(1, signal.SIGKILL)]
    assert supervision.died(1, now + 1.1) == [Exit(1)]


def test_a_restart_replaces_one_after_the_other_the_new_one_ready_first():
    supervision = running(A, B, LAST)
    assert supervision.restart() == [Fork(A)]
    supervision.forked(A, 11, 1.0)
    assert supervision.ready(11, 2.0) == [Send(1, signal.SIGTERM)]
    assert supervision.died(1, 3.0) == [Fork(B)]
    supervision.forked(B, 12, 3.0)
    assert supervision.ready(12, 4.0) == [Send(2, signal.SIGTERM)]
    assert supervision.died(2, 5.0) == []
    assert all(supervision.is_ready(role) for role in (A, B, LAST))


def test_a_restart_whose_new_process_fails_keeps_the_old_ones():
    supervision = running(A, B)
    supervision.restart()
    supervision.forked(A, 11, 1.0)
    assert supervision.died(11, 2.0) == []
    assert supervision.is_ready(A)
    assert supervision.restart() == [Fork(A)]


def test_a_worker_that_dies_while_its_successor_starts_needs_no_third():
    supervision = running(A, B)
    supervision.restart()
    supervision.forked(A, 11, 1.0)
    assert supervision.died(1, 1.5) == []
    assert supervision.ready(11, 2.0) == [Fork(B)]
    assert supervision.is_ready(A)


def test_a_restart_replaces_a_successor_that_still_starts_by_what_was_before_it():
    supervision = running(A, B)
    assert supervision.died(1, 1.0) == [Fork(A)]
    supervision.forked(A, 3, 1.0)
    assert supervision.restart() == [Fork(A)]
    supervision.forked(A, 4, 1.5)
    assert supervision.ready(3, 2.0) == []
    assert supervision.ready(4, 2.5) == [Send(3, signal.SIGTERM)]
    assert supervision.died(3, 3.0) == [Fork(B)]


def test_a_restart_goes_on_where_one_that_it_found_starting_fails():
    supervision = running(A, B)
    supervision.died(1, 1.0)
    supervision.forked(A, 3, 1.0)
    supervision.restart()
    supervision.forked(A, 4, 1.5)
    assert supervision.died(3, 2.0) == []
    assert supervision.broken_rolls == 0
    assert supervision.ready(4, 2.5) == [Fork(B)]


def test_a_restart_is_begun_after_the_start_and_after_the_one_before_it():
    supervision = Supervision((A,))
    supervision.begin(0.0)
    supervision.forked(A, 1, 0.0)
    assert not supervision.can_restart
    supervision.ready(1, 0.0)
    assert supervision.can_restart
    supervision.restart()
    supervision.forked(A, 2, 1.0)
    supervision.ready(2, 1.0)
    assert not supervision.can_restart
    supervision.died(1, 2.0)
    assert supervision.can_restart


def test_what_renews_is_ended_after_a_restart_though_it_still_starts():
    renewed = Role("background", renews=True)
    supervision = running(A, renewed)
    supervision.died(2, 0.5)
    supervision.forked(renewed, 4, 0.5)
    supervision.restart()
    supervision.forked(A, 3, 1.0)
    supervision.ready(3, 1.0)
    assert supervision.died(1, 2.0) == [Send(4, signal.SIGTERM)]


def test_what_renews_is_ended_after_a_restart_and_started_again():
    renewed = Role("background", renews=True)
    supervision = running(A, renewed)
    assert supervision.restart() == [Fork(A)]
    supervision.forked(A, 3, 1.0)
    assert supervision.ready(3, 1.0) == [Send(1, signal.SIGTERM)]
    assert supervision.died(1, 2.0) == [Send(2, signal.SIGTERM)]
    assert supervision.died(2, 3.0) == [Fork(renewed)]


def test_a_restart_whose_first_process_does_not_work_is_given_up():
    supervision = running(A, B)
    assert supervision.restart() == [Fork(A)]
    supervision.forked(A, 3, 1.0)
    assert supervision.died(3, 1.5) == []
    assert supervision.broken_rolls == 1
    assert supervision.is_ready(A)


def test_all_serve_on_while_they_drain_and_then_end_in_order():
    supervision = running(A, LAST)
    assert supervision.drain(0.0, 3.0)
    assert supervision.restart() == []
    for now in (0.5, 2.5):
        assert supervision.tick(now) == []
    assert supervision.next_tick(2.75) == 0.25
    assert supervision.died(1, 2.6) == [Fork(A)]  # it serves
    supervision.forked(A, 3, 2.6)
    assert supervision.tick(3.0) == [Send(3, signal.SIGTERM)]
    assert supervision.is_ending
    assert supervision.next_tick(4.0) == TICK_SECONDS


def test_a_second_signal_ends_a_drain():
    supervision = running(A)
    assert supervision.drain(0.0, 30.0)
    assert not supervision.drain(1.0, 30.0)
    assert supervision.stop(1.0) == [Send(1, signal.SIGTERM)]
    assert supervision.tick(31.0) == [Send(1, signal.SIGKILL)]


def test_what_is_not_up_yet_has_nobody_to_drain():
    supervision = Supervision((A,))
    supervision.begin(0.0)
    assert not supervision.drain(0.0, 3.0)
