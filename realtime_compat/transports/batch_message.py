"""One message of a batch of broadcasts, validated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from compat_base.values import jsontext
from realtime_compat.protocol.messages import RoomName
from realtime_compat.transports.batch import read_batch_entry

Faults = dict[str, list[str]]

BLANK = ["can't be blank"]
INVALID = ["is invalid"]
TOO_LARGE = ["Payload size exceeds tenant limit"]


class UnprocessableError(Exception):
    """An answer whose body is more than one message."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


@dataclass(frozen=True, slots=True)
class BatchMessage:
    """One message of a batch; `payload` is JSON text."""

    room: RoomName
    event: str
    payload: str
    id: str | None

    def body(self) -> str:
        """The payload of the text frame that members receive."""
        meta = f',"meta":{jsontext.encode({"id": self.id})}' if self.id is not None else ""
        event = jsontext.encode(self.event)
        return f'{{"type":"broadcast","event":{event},"payload":{self.payload}{meta}}}'


def read_message(text: str, limit: int) -> BatchMessage | Faults:
    """Validate a message whose payload may have `limit` characters; gives its faults otherwise.

    Raises UnprocessableError where it is no object.
    """
    member = read_batch_entry(text)
    if member is None:
        raise UnprocessableError(422, {"errors": {"messages": INVALID}})
    payload, message_id, private = member.payload, member.id, _boolean(member.private)
    faults: dict[str, list[str] | None] = {
        "topic": _fault(member.topic),
        "event": _fault(member.event),
        "payload": _payload_fault(payload, limit),
        "id": None if isinstance(message_id, str | None) else INVALID,
        "private": INVALID if private is None else None,
    }
    found = {name: fault for name, fault in faults.items() if fault is not None}
    if found or private is None:
        return found
    return BatchMessage(RoomName(member.topic, private), member.event, payload, message_id or None)


def _payload_fault(payload: str, limit: int) -> list[str] | None:
    if payload.startswith("{"):
        return TOO_LARGE if len(payload) > limit else None
    is_blank = payload == "null" or (payload.startswith('"') and not payload.strip('" '))
    return BLANK if is_blank else INVALID


def _fault(value: Any) -> list[str] | None:
    """What is wrong with a required text, if anything."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return BLANK
    return None if isinstance(value, str) else INVALID


def _boolean(value: Any) -> bool | None:
    """A boolean or the word for one, false where there is none; None for any other value."""
    if value is None or isinstance(value, bool):
        return bool(value)
    return {"true": True, "false": False}.get(value) if isinstance(value, str) else None
