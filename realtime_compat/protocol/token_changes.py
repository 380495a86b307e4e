"""A new token for a channel: its caller changes, if it may read the same."""

from __future__ import annotations

from typing import Any, cast

from compat_base.values.errors import ApiError
from realtime_compat import auth, errors
from realtime_compat.auth import Caller
from realtime_compat.protocol.channel import Channel, Steps, read_access
from realtime_compat.protocol.codec import read_json
from realtime_compat.protocol.effects import Subscribe, Watch, warning
from realtime_compat.protocol.join_config import is_token
from realtime_compat.protocol.messages import Push
from realtime_compat.protocol.questions import Answer, AskRead, Failed


def change_token(channel: Channel, push: Push) -> Steps:
    """Change the channel's caller, where the new one may read as before."""
    payload = push.payload
    if len(payload) > channel.rules.limits.join_bytes:
        yield warning("access_token_ignored", size=len(payload), topic=channel.name)
        return
    token = _token_in(payload)
    if token is None or token == channel.caller.token:
        return
    if isinstance(token, str) and not is_token(token):
        return
    if channel.socket.authorizations.is_reached(channel.now):
        yield from channel.fail(errors.TOO_MANY_TOKENS)
        return
    channel.socket.authorizations.add(1, channel.now)
    try:
        if not isinstance(token, str):
            raise ApiError.of(errors.TOKEN_MALFORMED)
        caller = auth.verify(auth.clean_token(token), channel.rules.keys, channel.now)
        channel.rules.revoked.check(caller)
    except ApiError as error:
        yield from channel.fail(error.problem.message)
        return
    yield from _become(channel, caller)


def _become(channel: Channel, caller: Caller) -> Steps:
    if channel.config.is_private:
        answer = yield AskRead(channel.name, caller, presence=channel.checks_presence)
        lost = _lost_access(channel, answer)
        if lost is not None:
            yield from channel.fail(lost)
            return
    channel.caller = caller
    if caller.session is not None:
        yield Watch(caller)
    channel.write.clear()
    channel.set_timer()
    if channel.config.changes:
        yield Subscribe(channel.id, channel.config.changes, caller)


def _lost_access(channel: Channel, answer: Answer | None) -> str | None:
    """The text that ends the channel, where the new caller may not read what the old could."""
    if isinstance(answer, Failed):
        return answer.problem.message
    before, channel.read = channel.read, read_access(answer)
    if not channel.read.broadcast and not channel.read.presence:
        return errors.UNAUTHORIZED_TOPIC.problem(topic=channel.name).message
    if (before.broadcast and not channel.read.broadcast) or (
        before.presence and not channel.read.presence
    ):
        return errors.LOST_READ.format(topic=channel.name)
    return None


def _token_in(payload: str) -> Any:
    value = read_json(payload)
    return cast("dict[str, Any]", value).get("access_token") if isinstance(value, dict) else None
