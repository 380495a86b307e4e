"""When a process gives back what its C library keeps of freed memory."""

from compat_base.memory import is_due


def test_little_more_than_the_least_is_kept():
    assert not is_due(107_000_000, 100_000_000)


def test_a_process_that_has_grown_gives_back():
    assert is_due(109_000_000, 100_000_000)
