"""Presence pushes of a client: track and untrack (realtime reference 7)."""

from __future__ import annotations

from collections.abc import Generator

from realtime_compat import errors
from realtime_compat.protocol.channel import Channel, Steps
from realtime_compat.protocol.codec import read_presence_call
from realtime_compat.protocol.effects import Track, Untrack
from realtime_compat.protocol.messages import PRESENCE, Push
from realtime_compat.protocol.questions import Answer, AskRead, Question, ReadAccess


def call_presence(channel: Channel, push: Push) -> Steps:
    """Track or untrack this member."""
    call = read_presence_call(push.payload)
    event = call.name()
    rates = channel.rules.rates
    if event is None:
        yield channel.reply(push, "ok", {})
        return
    if rates.presence.is_reached(channel.now):
        yield from channel.fail(errors.TOO_MANY_PRESENCES)
        return
    if not channel.socket.presence.admits(channel.topic, channel.now):
        yield from channel.fail(errors.PRESENCE_WINDOW)
        return
    rates.presence.add(1, channel.now)
    kind = event.lower()
    if kind == "track":
        yield from _track(channel, push, call.tracked())
    elif kind == "untrack":
        yield Untrack(channel.id, channel.room)
        yield channel.reply(push, "ok", {})
    else:
        yield channel.reply(push, "error", {})


def _track(channel: Channel, push: Push, tracked: str) -> Steps:
    limits = channel.rules.limits
    if not tracked.startswith("{"):
        reason = "Presence track payload must be a map"
        yield channel.reply(push, "error", {"reason": reason})
        return
    if len(tracked) > limits.payload_bytes:
        yield from channel.fail(errors.PRESENCE_TOO_LARGE)
        return
    if channel.rules.presence_size(channel.room) + len(tracked) > limits.presence_bytes:
        yield from channel.fail(errors.PRESENCE_ROOM_FULL)
        return
    if not (yield from channel.may_write(PRESENCE)):
        yield channel.reply(push, "error", {})
        return
    yield from _ask_presence(channel)
    # The difference goes out before the reply: a client that looks at its list as soon as the
    # call resolves finds itself there.
    yield Track(channel.id, channel.room, channel.key, tracked)
    yield channel.reply(push, "ok", {})


def _ask_presence(channel: Channel) -> Generator[Question, Answer | None, None]:
    """Authorize presence for a channel that did not ask for it at its join."""
    if channel.checks_presence:
        return
    answer = yield AskRead(channel.name, channel.caller, presence=True, broadcast=False)
    if isinstance(answer, ReadAccess):
        channel.checks_presence = True
        channel.read = ReadAccess(channel.read.broadcast, answer.presence)
