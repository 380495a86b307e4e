"""Frames of a broker's socket, however they are cut on the way."""

from __future__ import annotations

import pytest

from compat_base.broker.frames import BrokenFrameError, Kind, Splitter, frame, split


def test_frames_come_out_as_they_went_in_wherever_they_are_cut():
    sent = [(Kind.PUBLISH, b"body"), (Kind.ACKNOWLEDGED, b""), (Kind.SEND, b"x" * 70_000)]
    data = b"".join(frame(kind, payload) for kind, payload in sent)
    for size in (1, 3, 64, len(data)):
        splitter = Splitter()
        found = [
            each for at in range(0, len(data), size) for each in splitter.feed(data[at : at + size])
        ]
        assert found == sent


@pytest.mark.parametrize(
    "data", [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\x01\0", b"\0\0\0\x01\xfe"]
)
def test_what_is_no_frame_ends_the_connection(data: bytes):
    with pytest.raises(BrokenFrameError):
        Splitter().feed(data)


def test_names_of_another_size_are_refused():
    assert split(b"aabb", 2) == [b"aa", b"bb"]
    with pytest.raises(BrokenFrameError):
        split(b"aab", 2)
