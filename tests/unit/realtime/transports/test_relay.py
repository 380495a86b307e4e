"""Long polls on their way between workers."""

from __future__ import annotations

import pytest

from compat_base.values.http import HttpRequest, HttpResponse
from realtime_compat.transports import relay


def test_a_request_and_its_answer_come_out_as_they_went_in():
    request = HttpRequest("POST", "/longpoll", "/longpoll", "a=b", (("x-a", "é"),), b"\n\x00{}\n")
    assert relay.unpack_request(relay.pack_request(request)) == request
    answer = HttpResponse(200, (("content-type", "a/b"),), b"line\nline")
    assert relay.unpack_answer(relay.pack_answer(answer)) == answer


@pytest.mark.parametrize("token", ["", "x" * 48, "ab" * 23, "ab" * 25, "é" * 48])
def test_a_token_that_no_worker_makes_has_no_owner(token: str):
    assert relay.owner_of(token) is None


def test_a_token_begins_with_its_worker():
    assert relay.owner_of("0123456789abcdef" + "00" * 16) == bytes.fromhex("0123456789abcdef")
