"""The transitions of a membership: each state is reached and can be ended, and an end is final."""

from __future__ import annotations

import pytest

from realtime_compat.protocol.state import TRANSITIONS, ChannelEvent, ChannelState
from tests.harness_realtime import joined


def test_every_state_is_reached_from_the_first():
    reached = {ChannelState.JOINING}
    for _ in TRANSITIONS:
        reached |= {to for (state, _), to in TRANSITIONS.items() if state in reached}
    assert reached == set(ChannelState)


@pytest.mark.parametrize("state", [s for s in ChannelState if s is not ChannelState.CLOSED])
def test_every_open_state_can_be_ended(state: ChannelState):
    assert TRANSITIONS[state, ChannelEvent.END] is ChannelState.CLOSED


def test_nothing_leads_out_of_the_end():
    assert [event for state, event in TRANSITIONS if state is ChannelState.CLOSED] == []


def test_a_channel_is_ended_once():
    new_script = joined()
    [topic] = new_script.connection._topics
    channel = topic.channel
    assert channel.state is ChannelState.JOINED
    list(channel.end())
    assert channel.is_over
    with pytest.raises(KeyError):
        list(channel.end())
