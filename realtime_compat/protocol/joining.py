"""Joining and leaving a topic."""

from __future__ import annotations

from collections.abc import Generator

from compat_base.values import jsontext
from compat_base.values.errors import Problem
from realtime_compat import errors
from realtime_compat.errors import join_reason
from realtime_compat.protocol.channel import Channel, Steps, read_access
from realtime_compat.protocol.effects import AwaitReplication, Enter, ShowPresence
from realtime_compat.protocol.join_config import InvalidReplay
from realtime_compat.protocol.messages import (
    BROADCAST,
    CHANGES,
    Message,
    Push,
    ServerFrame,
    UserBroadcast,
)
from realtime_compat.protocol.questions import (
    Answer,
    AskRead,
    AskReplay,
    AskRouted,
    AskSubscribe,
    Failed,
    Notice,
    Question,
    Stored,
    StoredMessage,
    Subscribed,
)
from realtime_compat.protocol.state import ChannelEvent


def join(channel: Channel, push: Push) -> Steps:
    """Ask the questions of a join, then reply and enter, or refuse."""
    refusal = None
    stored: tuple[StoredMessage, ...] = ()
    if channel.config.is_private:
        refusal = yield from _authorize_join(channel)
    if refusal is None and channel.config.replay is not None:
        found = yield from _replay(channel)
        refusal, stored = (found, ()) if isinstance(found, Problem) else (None, found)
    if refusal is not None:
        channel.move(ChannelEvent.REFUSE)
        yield channel.reply(push, "error", {"reason": join_reason(refusal)})
        return
    yield from _enter(channel, push, stored)


def _authorize_join(channel: Channel) -> Generator[Question, Answer | None, Problem | None]:
    channel.checks_presence = channel.config.has_presence
    answer = yield AskRead(channel.name, channel.caller, presence=channel.config.has_presence)
    if isinstance(answer, Failed):
        return answer.problem
    channel.read = read_access(answer)
    if channel.read.broadcast or channel.read.presence:
        return None
    return errors.UNAUTHORIZED_TOPIC.problem(topic=channel.name)


def _replay(
    channel: Channel,
) -> Generator[Question, Answer | None, Problem | tuple[StoredMessage, ...]]:
    if not channel.config.is_private:
        return errors.REPLAY_OF_PUBLIC.problem()
    wanted = channel.config.replay
    if wanted is None or isinstance(wanted, InvalidReplay):
        return errors.REPLAY_INVALID.problem()
    if not channel.read.broadcast:
        return ()
    answer = yield AskReplay(channel.name, wanted)
    if not isinstance(answer, Stored):
        return errors.REPLAY_FAILED.problem()
    channel.replayed = frozenset(message.id for message in answer.messages)
    return answer.messages


def _enter(channel: Channel, push: Push, stored: tuple[StoredMessage, ...]) -> Steps:
    # Live before the reply: nothing that is sent or changed after it is missed. The subscription
    # is requested last: its later notices find the channel joined.
    channel.move(ChannelEvent.SUBSCRIBE)
    yield Enter(channel.id, channel.room)
    if channel.rules.has_siblings:
        yield AskRouted(channel.room)
    notice = yield from _subscribe(channel)
    channel.move(ChannelEvent.ENTER)
    shown = [entry.shown() for entry in channel.config.changes]
    yield channel.reply(push, "ok", {CHANGES: shown})
    for message in stored:
        yield from channel.send(_replayed_frame(channel, message))
    if notice is not None:
        yield channel.system(notice.extension, notice.message, is_error=notice.is_error)
    if channel.config.wants_replication_notice:
        yield AwaitReplication(channel.id)
    if channel.config.has_presence and channel.read.presence:
        yield ShowPresence(channel.id, channel.room)


def _subscribe(channel: Channel) -> Generator[Question, Answer | None, Notice | None]:
    """The notice about the channel's changes, if it is known already."""
    if not channel.config.changes:
        return None
    answer = yield AskSubscribe(channel.id, channel.config.changes, channel.caller)
    return answer.notice if isinstance(answer, Subscribed) else None


def _replayed_frame(channel: Channel, message: StoredMessage) -> ServerFrame:
    meta = jsontext.encode({"replayed": True, "id": message.id})
    if message.is_binary:
        return UserBroadcast(channel.topic, message.event, message.payload, True, meta)
    body = (
        f'{{"type":"broadcast","event":{jsontext.encode(message.event)},'
        f'"payload":{message.payload.decode()},"meta":{meta}}}'
    )
    return Message(channel.topic, BROADCAST, body, join_ref=channel.join_ref)


def leave(channel: Channel, push: Push) -> Steps:
    """Leave the topic: reply to the client, and end the channel."""
    yield channel.reply(push, "ok", {})
    yield from channel.end()
