"""Who leads among processes: the standby alone comes next, and a position that never goes back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from compat_base.workers.leadership import Leadership


@pytest.fixture
def leadership() -> Iterator[Leadership]:
    made = Leadership()
    yield made
    made.close()


def elsewhere(question: Callable[[], bool]) -> bool:
    """What another process is answered: locks are of processes."""
    pid = os.fork()
    if not pid:
        os._exit(not question())
    return not os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_one_process_stands_by_and_one_leads(leadership: Leadership):
    assert leadership.stand_by()
    assert not elsewhere(leadership.stand_by)
    assert leadership.lead()
    assert elsewhere(leadership.stand_by)
    assert not elsewhere(leadership.lead)
    leadership.step_down()
    assert elsewhere(lambda: leadership.stand_by() and leadership.lead())


def test_it_is_vacant_where_nobody_leads(leadership: Leadership):
    assert leadership.is_vacant()
    assert elsewhere(leadership.is_vacant)
    assert leadership.stand_by()
    assert leadership.lead()
    assert not elsewhere(leadership.is_vacant)


def test_a_position_is_known_to_all_and_never_goes_back(leadership: Leadership):
    assert leadership.stand_by()
    assert leadership.lead()
    leadership.begin(70)
    leadership.advance(60)
    leadership.advance(90)
    assert elsewhere(lambda: leadership.position == 90)
    leadership.begin(5)
    assert leadership.position == 5


def test_the_name_of_what_the_leader_reads_is_known_to_all(leadership: Leadership):
    leadership.set_name("of nobody")
    assert leadership.name == ""
    assert leadership.stand_by()
    assert leadership.lead()
    leadership.set_name("a" * 63)
    assert elsewhere(lambda: leadership.name == "a" * 63)
    leadership.set_name("b")
    assert leadership.name == "b"


def test_who_has_stepped_down_says_nothing_more(leadership: Leadership):
    assert leadership.stand_by()
    assert leadership.lead()
    leadership.begin(10)
    leadership.step_down()
    leadership.advance(20)
    leadership.begin(30)
    assert leadership.position == 10
