"""Where a request's body ends in what came, and what its framing costs."""

from __future__ import annotations

import pytest

from compat_base.server.incoming_body import IncomingBody


class Parser:
    """Takes pieces until one of them ends in the empty line that ends chunks."""

    def __init__(self) -> None:
        self.taken = b""

    def parse(self, data: bytes) -> None:
        self.taken += data

    def is_open(self) -> bool:
        return not self.taken.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("step", [1, 3, 5, 100])
def test_a_body_of_known_length_ends_where_it_says(step: int):
    body, parser, rest = IncomingBody(5), Parser(), b""
    data = b"helloGET / HTTP/1.1"
    for at in range(0, len(data), step):
        rest += body.feed(data[at : at + step], parser.parse, parser.is_open)
    assert (parser.taken, rest) == (b"hello", b"GET / HTTP/1.1")


@pytest.mark.parametrize("step", [1, 2, 4, 7, 100])
def test_chunks_end_at_their_empty_line_however_they_are_cut(step: int):
    body, parser, rest = IncomingBody(None), Parser(), b""
    chunks = b"5\r\nhello\r\n0\r\n\r\n"
    data = chunks + b"GET / HTTP/1.1"
    for at in range(0, len(data), step):
        piece = data[at : at + step]
        rest += body.feed(piece, parser.parse, parser.is_open) if parser.is_open() else piece
    assert (parser.taken, rest) == (chunks, b"GET / HTTP/1.1")


def test_chunks_that_are_mostly_framing_have_overhead():
    body, parser = IncomingBody(None), Parser()
    for _ in range(100):
        body.feed(b"1\r\na\r\n", parser.parse, parser.is_open)
        body.content_bytes += 1
    assert not body.has_overhead(500)
    assert body.has_overhead(400)


def test_a_body_of_known_length_has_no_overhead():
    body, parser = IncomingBody(10_000), Parser()
    body.feed(b"a" * 9_000, parser.parse, parser.is_open)
    assert not body.has_overhead(0)
