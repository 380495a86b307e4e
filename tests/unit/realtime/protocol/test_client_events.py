"""Client events are rows of one table: one more works, and each is documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from realtime_compat.protocol import client_events
from realtime_compat.protocol.channel import Channel, Steps
from realtime_compat.protocol.client_events import EVENTS, ClientEvent
from realtime_compat.protocol.messages import Push
from tests.harness_realtime import joined

DOCUMENT = Path(__file__).resolve().parents[4] / "docs/compatibility/realtime.md"


def undocumented() -> list[str]:
    text = DOCUMENT.read_text(encoding="utf-8")
    return [n for n, event in EVENTS.items() if f"| `{n}` | {event.meaning} |" not in text]


def test_every_event_is_documented():
    assert undocumented() == []


def test_a_row_makes_an_event_that_works_and_must_be_documented(monkeypatch: pytest.MonkeyPatch):
    def handle(this: Channel, push: Push) -> Steps:
        yield this.reply(push, "ok", {"echo": push.payload})

    joined().receives(["1", "2", "realtime:room", "echo", {}]).observes("unknown_event").silent()
    monkeypatch.setitem(client_events.EVENTS, "echo", ClientEvent("say it again", handle))
    joined().receives(["1", "2", "realtime:room", "echo", {}]).replies(
        "ok", {"echo": "{}"}, ref="2"
    ).silent()
    assert undocumented() == ["echo"]
