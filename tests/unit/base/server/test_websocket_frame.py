"""Frames that a server writes whole, against another implementation's parser."""

from __future__ import annotations

import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from compat_base.server import websocket_frame


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
@pytest.mark.parametrize("kind", ["text", "bytes"])
def test_a_frame_is_read_back_by_a_client(size: int, kind: str):
    message = "x" * size if kind == "text" else b"x" * size
    client = ClientProtocol(parse_uri("ws://host/"), state=State.OPEN)
    client.receive_data(websocket_frame(message))
    (frame,) = client.events_received()
    assert isinstance(frame, Frame)
    assert frame.opcode is (Opcode.TEXT if kind == "text" else Opcode.BINARY)
    assert frame.fin
    assert bytes(frame.data) == b"x" * size


def test_a_size_counts_bytes_and_not_characters():
    assert websocket_frame("é")[:2] == b"\x81\x02"
