"""Broadcasts that the database sends: inserts into realtime.messages (realtime reference 13)."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values import jsontext
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from realtime_compat.changes.model import Action, Relation, RowChange
from realtime_compat.changes.payload import text_of
from realtime_compat.hub import Hub
from realtime_compat.protocol.limits import Rate
from realtime_compat.protocol.messages import TOPIC_PREFIX, RoomName, UserBroadcast

SCHEMA = "realtime"
TABLE = "messages"


@dataclass(frozen=True, slots=True)
class StoredMessages:
    """Delivers inserted messages to their rooms.

    `limit` is a payload's largest size in bytes; over the project's `rate` messages are skipped.
    """

    hub: Hub
    limit: int
    rate: Rate
    clock: Clock
    observer: Observer

    def is_one(self, relation: Relation) -> bool:
        """Whether a relation is realtime.messages or one of its partitions."""
        return relation.schema == SCHEMA and (
            relation.name == TABLE or relation.name.startswith(f"{TABLE}_")
        )

    def deliver(self, change: RowChange) -> None:
        """Deliver a message; one without event, topic or payload is skipped."""
        if change.action is not Action.INSERT or change.new is None:
            return
        names = (column.name for column in change.relation.columns)
        row = {n: text_of(value) for n, value in zip(names, change.new, strict=False)}
        topic, event = row.get("topic"), row.get("event")
        payload, is_binary = _payload(row)
        is_over = self.rate.is_reached(self.clock.now().timestamp())
        if not topic or not event or payload is None or len(payload) > self.limit or is_over:
            facts = {"topic": topic, "size": len(payload or b"")}
            self.observer(Observation("message_skipped", Severity.WARNING, facts))
            return
        room = RoomName(topic, row.get("private") == "t")
        if not self.hub.has_members(room):
            return
        message_id = row.get("id") or ""
        meta = jsontext.encode({"id": message_id})
        frame = UserBroadcast(TOPIC_PREFIX + topic, event, payload, is_binary, meta)
        self.hub.publish(room, frame, message_id=message_id)


def _payload(row: dict[str, str | None]) -> tuple[bytes | None, bool]:
    text, binary = row.get("payload"), row.get("binary_payload")
    if text is not None:
        return text.encode("utf-8", "replace"), False
    return (
        (bytes.fromhex(binary.removeprefix("\\x")), True) if binary is not None else (None, False)
    )
