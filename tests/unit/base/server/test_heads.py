"""Heads of requests are judged before they are parsed."""

from __future__ import annotations

import pytest

from compat_base.server.heads import (
    BAD_HOST,
    BAD_REQUEST,
    OTHER_HOST,
    TOO_FAST,
    Refusal,
    judge_fields,
    judge_head,
    judge_part,
    refusal_answer,
)
from compat_base.server_limits import ServerLimits

LIMITS = ServerLimits()


def test_a_method_that_the_parser_does_not_know_is_shown_to_it_as_another():
    head = b"BREW / HTTP/1.1\r\nhost: x\r\n\r\n"
    assert judge_head(head, LIMITS) == (head.replace(b"BREW", b"REPORT"), "BREW")


@pytest.mark.parametrize(
    ("target", "parsed"),
    [
        (b"/a#b?c=d#e", b"/a%23b?c=d%23e"),
        ("/ñ".encode(), b"/%C3%B1"),
        (b"*", b"*"),
    ],
)
def test_a_target_has_no_fragment_and_any_byte(target: bytes, parsed: bytes):
    head = b"GET %b HTTP/1.1\r\nhost: x#y\r\n\r\n"
    assert judge_head(head % target, LIMITS) == (head % parsed, None)


@pytest.mark.parametrize(
    ("target", "parsed"),
    [(b"http://x", b"http://x/"), (b"http://x?a", b"http://x/?a"), (b"http://x/a", b"http://x/a")],
)
def test_an_absolute_target_without_a_path_is_that_of_the_root(target: bytes, parsed: bytes):
    head = b"GET %b HTTP/1.1\r\nhost: x\r\n\r\n"
    assert judge_head(head % target, LIMITS) == (head % parsed, None)


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_bare_line_feed_is_found_wherever_a_head_is_cut(cut: int):
    head = b"GET / HTTP/1.1\r\na: b\nc"
    start = len(head) - cut
    found = [judge_part(head[:start], 0, LIMITS), judge_part(head, start, LIMITS)]
    assert [one.status for one in found if isinstance(one, Refusal)][:1] == [400]


def test_a_refusal_closes_and_says_when_to_come_back_where_it_is_one_of_too_many():
    answer = refusal_answer(TOO_FAST, [(b"server", b"x")])
    head, _, text = answer.partition(b"\r\n\r\n")
    assert text == TOO_FAST.text.encode()
    assert {b"server: x", b"connection: close", b"retry-after: 1"} < set(head.split(b"\r\n"))
    assert b"retry-after" not in refusal_answer(BAD_REQUEST, [])


@pytest.mark.parametrize(
    ("target", "host", "is_refused"),
    [
        ("http://a.example/x", "a.example", False),
        ("HTTP://A.example:80/x", "a.EXAMPLE:80", False),
        ("http://evil.example/x", "a.example", True),
        ("http://a.example@evil.example/x", "a.example", True),
        ("http://a.example", "evil.example", True),
        ("/http://evil.example/", "a.example", False),
        ("*", "a.example", False),
    ],
)
def test_a_target_that_names_another_host_than_the_header_is_refused(
    target: str, host: str, is_refused: bool
):
    head = f"GET {target} HTTP/1.1\r\nX: y\r\nHost:  {host} \r\n\r\n".encode()
    assert (judge_head(head, LIMITS) == OTHER_HOST) == is_refused


@pytest.mark.parametrize(
    "host", ["", "a", "a.example:80", "A_b-c.", "a:", "127.0.0.1:8000", "[::1]:80", "a%20b", "a!b"]
)
def test_a_host_is_a_name_or_an_address_perhaps_with_a_port(host: str):
    assert judge_fields([(b"host", host.encode())], "1.1", LIMITS) is None


@pytest.mark.parametrize(
    "host",
    [
        "a, b", "a b", "a/b", "a?b", "a#b", "a@b", "a:b", "a:1:2", "::1", "[::1", "[g]", "[::1]x", "a\\b",
        "a<b", 'a"b', "a%2", "a%gg", "ä", "a\x7f", "http://a", ":80:80",
    ],
)  # fmt: skip
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_host_that_is_none_is_refused(host: str, version: str):
    assert judge_fields([(b"host", host.encode())], version, LIMITS) == BAD_HOST
