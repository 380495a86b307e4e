"""What one socket may send."""

from __future__ import annotations

from realtime_compat import errors
from realtime_compat.protocol.rules import SocketRates
from realtime_compat.settings import Limits
from tests.harness_realtime import START


def test_a_socket_says_too_much_by_frames_or_by_bytes():
    frames = SocketRates(Limits(frames_per_second=1, bytes_per_second=10**9))
    results = [frames.flood(1, START) for _ in range(5)]
    assert results == [None] * 4 + [errors.TOO_MANY_MESSAGES]
    data = SocketRates(Limits(frames_per_second=100, bytes_per_second=10))
    assert [data.flood(size, START) for size in (49, 1)] == [None, errors.TOO_MANY_BYTES]


def test_the_counts_fall_with_time():
    rates = SocketRates(Limits(frames_per_second=1, bytes_per_second=10**9))
    for _ in range(5):
        rates.flood(1, START)
    assert rates.flood(1, START + 30) is None
