"""What clients push on a joined topic, one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from realtime_compat.protocol.broadcasting import broadcast, broadcast_binary
from realtime_compat.protocol.channel import Channel, Steps
from realtime_compat.protocol.effects import warning
from realtime_compat.protocol.joining import leave
from realtime_compat.protocol.messages import BROADCAST, PRESENCE, Push, UserPush
from realtime_compat.protocol.presence_calls import call_presence
from realtime_compat.protocol.token_changes import change_token


@dataclass(frozen=True, slots=True)
class ClientEvent:
    """An event that clients push, and its handler."""

    meaning: str
    handle: Callable[[Channel, Push], Steps]


EVENTS = {
    "phx_leave": ClientEvent("leave the topic", leave),
    "access_token": ClientEvent("replace the channel's token", change_token),
    BROADCAST: ClientEvent("send a message to the topic's members", broadcast),
    PRESENCE: ClientEvent("track or untrack this member", call_presence),
}


def handle(channel: Channel, push: Push | UserPush) -> Steps:
    """Handle a push on a joined topic."""
    if isinstance(push, UserPush):
        yield from broadcast_binary(channel, push)
    elif push.event in EVENTS:
        yield from EVENTS[push.event].handle(channel, push)
    else:
        yield warning("unknown_event", event=push.event[:100], topic=channel.name)
