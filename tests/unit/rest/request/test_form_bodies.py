"""Form bodies: what percent-encoding means."""

from functools import partial
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.http import HttpRequest
from rest_compat.api_request.model import Payload, PayloadKind
from rest_compat.request.payload import Body
from rest_compat.request.query_string import decode_form, form_as_json
from rest_compat.request.shape import ReadBody, has_many_pairs
from rest_compat.request.slices import (
    LONGEST_NAME,
    WINDOW,
    LongNameError,
    TooLongError,
    at_once,
)

as_json = partial(form_as_json, most=1 << 26)


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


@pytest.mark.parametrize("shift", range(3))
def test_an_escape_that_crosses_a_window_is_whole(shift):
    body = b"a=" + b"x" * shift + b"%C3%A9" * WINDOW
    assert at_once(decode_form(body)) == (("a", "x" * shift + "é" * WINDOW),)


def test_many_fields_of_some_kilobytes_are_read_in_many_slices():
    body = b"&".join(b"%d=%b" % (key, b"%41" * 1_700) for key in range(500))
    for reading in (decode_form(body), as_json(body)):
        assert sum(1 for _ in reading) > len(body) // (3 * WINDOW)


def test_long_names_are_read_in_many_slices_and_longer_ones_refused():
    names = [b"%04d" % key + b"%41" * (LONGEST_NAME // 3 - 1) for key in range(1_900)]
    for read in (decode_form, as_json):
        assert sum(1 for _ in read(b"=1&".join(names))) > len(names) * LONGEST_NAME // (3 * WINDOW)
        with pytest.raises(LongNameError):
            at_once(read(b"a=1&" + b"x" * (LONGEST_NAME + 1)))


def test_a_form_that_is_too_long_as_json_is_refused():
    with pytest.raises(TooLongError):
        at_once(form_as_json(b"a=" + b"%01" * 10 * WINDOW, most=WINDOW))


def test_a_large_form_that_was_read_is_not_searched_again():
    class Searched(bytes):
        def count(self, *_: object) -> int:
            raise AssertionError("a form of megabytes holds the event loop meanwhile")

    form = (("content-type", "application/x-www-form-urlencoded"),)
    request = HttpRequest("POST", "/rpc/f", "/rpc/f", "", form, Searched(b"a=1"))
    for fields, is_many in ((1, False), (1_000, True)):
        read = Body(Payload(PayloadKind.ARGUMENTS), arguments=(("a", "1"),) * fields)
        assert has_many_pairs(request, ReadBody(read)) is is_many
