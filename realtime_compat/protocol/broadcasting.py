"""Broadcasts of a client: counted, authorized, published, acknowledged (realtime reference 6)."""

from __future__ import annotations

from realtime_compat import errors
from realtime_compat.protocol.channel import Channel, Steps
from realtime_compat.protocol.effects import Publish
from realtime_compat.protocol.messages import (
    BROADCAST,
    Message,
    Push,
    ServerFrame,
    UserBroadcast,
    UserPush,
)


def broadcast(channel: Channel, push: Push) -> Steps:
    """Publish a text frame's payload unchanged."""
    frame = Message(channel.topic, BROADCAST, push.payload)
    yield from _broadcast(channel, push, frame, len(push.payload))


def broadcast_binary(channel: Channel, push: UserPush) -> Steps:
    """Publish the payload of a binary frame unchanged."""
    frame = UserBroadcast(channel.topic, push.event, push.payload, push.is_binary)
    yield from _broadcast(channel, push, frame, len(push.payload))


def _broadcast(channel: Channel, push: Push | UserPush, frame: ServerFrame, size: int) -> Steps:
    rates, limits = channel.rules.rates, channel.rules.limits
    if rates.events.is_reached(channel.now):
        yield from channel.fail(errors.TOO_MANY_MESSAGES)
        return
    if not (yield from channel.may_write(BROADCAST)):
        return
    if size > limits.payload_bytes:
        if channel.config.acknowledges:
            yield channel.reply(push, "error", "payload_size_exceeded")
        return
    rates.events.add(1, channel.now)
    yield Publish(channel.room, frame, channel.id, channel.config.receives_own)
    if channel.config.acknowledges:
        yield channel.reply(push, "ok", {})
