"""Routes that take nothing."""

from __future__ import annotations

from gotrue_compat.http.route import Guard, nothing
from tests.unit.gotrue.incoming import posted


def test_a_call_that_takes_nothing_reads_no_body():
    assert nothing(posted([])) is None  # which no reader of members would take


def test_each_guard_says_who_may_call():
    assert len({guard.value for guard in Guard}) == len(Guard)
