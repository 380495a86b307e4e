"""Client events are rows of one table: one more works, and is documented."""

from __future__ import annotations

import pytest

from realtime_compat.protocol import client_events
from realtime_compat.protocol.channel import Channel, Steps
from realtime_compat.protocol.client_events import ClientEvent
from realtime_compat.protocol.messages import Push
from tests.architecture.tables import event_rows
from tests.harness_realtime import joined


def test_a_row_makes_an_event_that_works_and_is_documented(monkeypatch: pytest.MonkeyPatch):
    def handle(this: Channel, push: Push) -> Steps:
        yield this.reply(push, "ok", {"echo": push.payload})

    joined().receives(["1", "2", "realtime:room", "echo", {}]).observes("unknown_event").silent()
    monkeypatch.setitem(client_events.EVENTS, "echo", ClientEvent("say it again", handle))
    joined().receives(["1", "2", "realtime:room", "echo", {}]).replies(
        "ok", {"echo": "{}"}, ref="2"
    ).silent()
    assert ("`echo`", "say it again") in event_rows()
