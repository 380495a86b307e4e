"""Form bodies: what percent-encoding means."""

from itertools import product
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rest_compat.request.query_string import decode_form
from rest_compat.request.slices import WINDOW, at_once


@given(st.text("%0aF4\\xu+né\U0001f600\n\0", max_size=20))
def test_escapes_are_read_and_what_is_none_stays(text):
    body = text.encode()
    try:
        expected = unquote_to_bytes(body.replace(b"+", b" ")).decode()
    except UnicodeDecodeError:
        with pytest.raises(UnicodeDecodeError):
            at_once(decode_form(b"a=" + body))
        return
    assert at_once(decode_form(b"a=" + body)) == (("a", expected),)


def test_every_row_of_percent_signs_digits_and_others_is_read():
    for size in range(1, 8):
        for letters in product("%4x\0", repeat=size):
            body = "".join(letters).encode()
            assert at_once(decode_form(b"a=" + body)) == (("a", unquote_to_bytes(body).decode()),)


@pytest.mark.parametrize("shift", range(3))
def test_an_escape_that_crosses_a_window_is_whole(shift):
    body = b"a=" + b"x" * shift + b"%C3%A9" * WINDOW
    assert at_once(decode_form(body)) == (("a", "x" * shift + "é" * WINDOW),)
