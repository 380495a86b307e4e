"""What nodes say to one another, written and read back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.cluster.messages import Alive, BusMessage, Gone, Members, RoomCounts
from realtime_compat.cluster.wire import read, write
from realtime_compat.hub import Published, Tracked, Untracked
from realtime_compat.protocol.messages import (
    Message,
    RoomName,
    UserBroadcast,
)
from realtime_compat.protocol.presence import Meta

META = Meta("u", "r", '{"a":[1]}', None, "n1")

TRACKED = Tracked(RoomName("t", is_private=True), 5, META)


@pytest.mark.parametrize(
    "body",
    [
        Published(
            RoomName("t", is_private=False), Message("realtime:t", "broadcast", '{"é":1.10}')
        ),
        Published(
            RoomName("t", is_private=True),
            UserBroadcast("realtime:t", "e", b"\x00\n\xff", is_binary=True),
        ),
        TRACKED,
        Untracked(RoomName("t", is_private=False), 5),
        Alive(asks=True),
        Gone(),
        Members((TRACKED,)),
        RoomCounts(((RoomName("t", is_private=True), 7), (RoomName("é", is_private=False), 1))),
    ],
)
def test_a_message_comes_back_as_it_was(body: Any):
    message = BusMessage("n1", 3, body)
    assert read("n1", write(message)) == message


@given(st.binary())
def test_a_strangers_bytes_are_no_message(data: bytes):
    assert read("n1", data) is None
