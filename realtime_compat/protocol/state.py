"""The states of a membership of a topic, and its transitions.

`TRANSITIONS` is complete: a move that it does not have is an error of this package. Events are
named in the past tense. Realtime reference 4 and 5.
"""

from __future__ import annotations

from enum import Enum, auto


class ChannelState(Enum):
    """A state of a membership; pushes of its client are held back in all but JOINED."""

    JOINING = auto()  # what a join depends on is being asked
    SUBSCRIBING = auto()  # its changes are recorded: the rest of the service knows the channel
    JOINED = auto()  # a member of its room: it sends and receives
    CLOSED = auto()  # refused, left, replaced or failed; nothing leads on


class ChannelEvent(Enum):
    """What moves a membership on."""

    SUBSCRIBE = auto()  # changes are asked for, with all else granted
    ENTER = auto()  # everything was granted
    REFUSE = auto()  # something was not
    END = auto()  # a leave, a second join, a failure, a lost socket


TRANSITIONS = {
    (ChannelState.JOINING, ChannelEvent.SUBSCRIBE): ChannelState.SUBSCRIBING,
    (ChannelState.JOINING, ChannelEvent.ENTER): ChannelState.JOINED,
    (ChannelState.JOINING, ChannelEvent.REFUSE): ChannelState.CLOSED,
    (ChannelState.JOINING, ChannelEvent.END): ChannelState.CLOSED,
    (ChannelState.SUBSCRIBING, ChannelEvent.ENTER): ChannelState.JOINED,
    (ChannelState.SUBSCRIBING, ChannelEvent.END): ChannelState.CLOSED,
    (ChannelState.JOINED, ChannelEvent.END): ChannelState.CLOSED,
}
KNOWN_TO_THE_SERVICE = frozenset({ChannelState.SUBSCRIBING, ChannelState.JOINED})
