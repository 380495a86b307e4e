"""Percent-encoded bytes of forms, by Python's own decoder."""

from itertools import product
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.percent import unquoted, unquoted_windows


@given(st.text("%0aF4\\xu+né\U0001f600\n\0", max_size=20))
def test_escapes_are_read_and_what_is_none_stays(text: str):
    assert unquoted(text.encode()) == unquote_to_bytes(text.encode().replace(b"+", b" "))


def test_every_row_of_percent_signs_digits_and_others_is_read():
    for size in range(1, 8):
        for characters in product("%4x\0", repeat=size):
            body = "".join(characters).encode()
            assert unquoted(body) == unquote_to_bytes(body)


@pytest.mark.parametrize("shift", range(4))
def test_windows_cut_no_escape_and_give_the_whole(shift: int):
    body = b"x" * shift + b"%C3%A9" * 40
    pieces = list(unquoted_windows(b"ab" + body + b"c", 2, 2 + len(body), 16))
    assert len(pieces) > len(body) // 16
    assert b"".join(pieces) == b"x" * shift + "é".encode() * 40
