"""The headers of a response as bytes: what most responses share is made once."""

from __future__ import annotations

import pytest

from compat_base.server import exchange
from compat_base.server.exchange import header_lines, response_lines

SHARED = ((b"Content-Type", b"text/plain"), (b"vary", b"Origin"))


def test_lines_are_made_once_for_responses_with_the_same_headers():
    lines = header_lines(SHARED)
    assert lines == b"content-type: text/plain\r\nvary: Origin\r\n"
    assert header_lines((SHARED[0], SHARED[1])) is lines


def test_a_requests_own_id_is_kept_by_nobody():
    header_lines(SHARED)
    before = len(exchange._lines)
    for number in range(3):
        lines = response_lines([*SHARED, (b"x-request-id", b"%d" % number)])
        assert lines == b"content-type: text/plain\r\nvary: Origin\r\nx-request-id: %d\r\n" % number
    assert len(exchange._lines) == before
    assert response_lines([]) == b""


@pytest.mark.parametrize(
    "pair", [(b"bad name", b""), (b"name", b"a\r\nb: c"), (b"transfer-encoding", b"chunked")]
)
def test_what_may_not_be_sent_so_is_left_to_the_server(pair: tuple[bytes, bytes]):
    assert header_lines((pair,)) is None
    assert response_lines([pair]) is None
