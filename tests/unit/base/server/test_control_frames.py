"""What a socket may send at a time."""

from __future__ import annotations

from compat_base.server.control_frames import Allowance, spend


def test_what_was_spent_comes_back_with_time_and_no_further_than_the_most():
    allowance = Allowance(2, 0)
    for left in (1, 0, -1):
        allowance = spend(allowance, 0, 2, 1)
        assert allowance.left == left
    assert spend(allowance, 2, 2, 1).left == 0
    assert spend(allowance, 99, 2, 1).left == 1
