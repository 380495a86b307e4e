"""Sizes of WebSocket frames."""

from __future__ import annotations

import pytest

from compat_base.server.frames import frame_size


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"", None),
        (b"\x81", None),
        (b"\x81\x80", 6),
        (b"\x81\x05", 7),
        (b"\x81\xfe\x01", None),
        (b"\x81\xfe\x01\x00", 264),
        (b"\x82\xff" + bytes(7), None),
        (b"\x82\xff" + (1 << 40).to_bytes(8, "big"), (1 << 40) + 14),
    ],
)
def test_the_size_of_a_frame_is_in_its_header(data: bytes, size: int | None):
    assert frame_size(data) == size
