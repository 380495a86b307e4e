"""A secret is found among those that are known, whatever it is compared with."""

from __future__ import annotations

import pytest

from compat_stack.keys.comparison import find_secret

KNOWN = {b"one": 1, b"two": 2, "drei-ü".encode(): 3}


@pytest.mark.parametrize(
    ("given", "found"),
    [(b"one", 1), (b"two", 2), ("drei-ü".encode(), 3), (b"", None), (b"on", None), (b"\xff", None)],
)
def test_a_secret_stands_for_what_it_was_given_for(given: bytes, found: int | None):
    assert find_secret(KNOWN, given) == found


def test_of_none_none_is_found():
    assert find_secret({}, b"one") is None
