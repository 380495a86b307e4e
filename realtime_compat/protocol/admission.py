"""Admission of a join: the checks that need no database, in the original's order."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values.errors import ApiError
from realtime_compat import auth, errors
from realtime_compat.auth import Caller
from realtime_compat.protocol.join_config import JoinConfig
from realtime_compat.protocol.messages import TOPIC_PREFIX
from realtime_compat.protocol.rules import Rules, SocketRates

ENTRIES_OF_A_JOIN = 20  # entries are echoed and recorded: so many cost as much as a join


@dataclass(frozen=True, slots=True)
class Joins:
    """The counters and the number of channels that a socket's joins are checked against."""

    rules: Rules
    rates: SocketRates
    channels: int
    now: float


def admit(topic: str, config: JoinConfig, caller: Caller, joins: Joins) -> Caller:
    """The caller of a join: the socket's, or that of the join's own token. Raises ApiError."""
    rules, now, own_rate = joins.rules, joins.now, joins.rates.authorizations
    if topic == TOPIC_PREFIX:
        raise ApiError.of(errors.TOPIC_REQUIRED)
    if rules.private_only and not config.is_private:
        raise ApiError.of(errors.PRIVATE_ONLY)
    if own_rate.is_reached(now) or rules.rates.joins.is_reached(now):
        raise ApiError.of(errors.TOO_MANY_JOINS)
    own_rate.add(1 + len(config.changes) // ENTRIES_OF_A_JOIN, now)
    rules.rates.joins.add(1, now)
    if joins.channels >= rules.limits.channels_per_connection:
        raise ApiError.of(errors.TOO_MANY_CHANNELS)
    own = config.access_token
    token = caller.token if own is None else auth.clean_token(own)
    if token == caller.token:
        auth.check_time(caller.expires, now)
        found = caller
    else:
        found = auth.verify(token, rules.keys, now)
    rules.revoked.check(found)
    return found
