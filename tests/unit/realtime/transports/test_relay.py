"""Long polls on their way between workers."""

from __future__ import annotations

import pytest

from compat_base.values.http import HttpRequest, HttpResponse
from realtime_compat.transports import relay
from realtime_compat.transports.relay import RANDOM_BYTES, Tokens

TOKENS = Tokens("the secret of a project")
NODE = bytes.fromhex("0123456789abcdef")
MADE = TOKENS.make(NODE, b"r" * RANDOM_BYTES)


def test_a_request_and_its_answer_come_out_as_they_went_in():
    request = HttpRequest("POST", "/longpoll", "/longpoll", "a=b", (("x-a", "é"),), b"\n\x00{}\n")
    assert relay.unpack_request(relay.pack_request(request)) == request
    answer = HttpResponse(200, (("content-type", "a/b"),), b"line\nline")
    assert relay.unpack_answer(relay.pack_answer(answer)) == answer


def test_a_token_tells_its_worker():
    assert TOKENS.owner_of(MADE) == NODE


@pytest.mark.parametrize(
    "token",
    ["", "x" * 80, "ab" * 23, "00" * 40, "é" * 48, MADE[:-2], MADE + "00", "1" + MADE[1:]],
)  # fmt: skip
def test_a_token_that_no_worker_makes_has_no_owner(token: str):
    assert TOKENS.owner_of(token) is None


def test_a_token_of_another_project_has_no_owner():
    assert Tokens("the secret of another").owner_of(MADE) is None
