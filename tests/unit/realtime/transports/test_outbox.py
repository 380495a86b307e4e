"""Frames that wait for a socket are bounded."""

from __future__ import annotations

from realtime_compat.transports.outbox import Outbox


def test_an_outbox_is_bounded_by_bytes_and_by_age():
    box = Outbox(10, 5)
    assert box.put("12345", 0)
    assert box.put(b"12345", 1)
    assert not box.put("1", 1)
    box.clear()
    assert box.put("1", 2)
    assert not box.put("1", 8)
    box.pop()
    assert (box.first(), len(box)) == ("1", 1)
