"""What a room's members are given: made once for all, and little work for each."""

from __future__ import annotations

import sys
from types import FrameType

from realtime_compat.protocol.codec import V1, V2
from realtime_compat.protocol.deliveries import BroadcastDelivery, Envelope
from realtime_compat.protocol.messages import Message, UserBroadcast
from tests.harness_realtime import START, joined

TOPIC = "realtime:room"


def test_a_frame_is_encoded_once_for_each_serializer():
    envelope = Envelope(Message(TOPIC, "broadcast", "{}"))
    assert envelope[V2] is envelope[V2]
    assert envelope[V1] != envelope[V2]


def test_a_frame_that_a_serializer_cannot_express_is_sent_to_nobody():
    envelope = Envelope(UserBroadcast(TOPIC, "e", b"\xff", is_binary=True))
    assert envelope[V1] == ()
    joined(V1).given(BroadcastDelivery(envelope)).silent()
    assert envelope.taken == 0
    joined(V2).given(BroadcastDelivery(envelope))
    assert envelope.taken == 1


def test_a_broadcast_takes_two_calls_at_each_member():
    # Each call is paid for by every member of a room.
    connection, called = joined().connection, list[str]()
    delivery = BroadcastDelivery(Envelope(Message(TOPIC, "broadcast", "{}")))
    connection.deliver(1, delivery, START)  # which encodes it

    def on_call(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            called.append(frame.f_code.co_name)

    sys.setprofile(on_call)
    try:
        connection.deliver(1, delivery, START)
    finally:
        sys.setprofile(None)
    assert called == ["deliver", "receive"]
