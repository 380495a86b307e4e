"""Responses of SMS providers: the id of a message, or the reason of a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from compat_base.values import jsontext
from gotrue_compat.model.rows import object_column
from gotrue_compat.ports import DeliveryError

_TAKEN = frozenset({200, 201})
_REFUSED_BY_MESSAGEBIRD = frozenset({400, 401, 403, 422})
_TEMPLATE_UNKNOWN = 80


def message_id(provider: str, status: int, answer: Mapping[str, Any], text: str) -> str:
    """The message id in a response; DeliveryError in the original's words."""
    return _READERS[provider](status, answer, text)


def is_approved(status: int, answer: Mapping[str, Any]) -> bool:
    """Whether Twilio Verify accepts a code."""
    return status in _TAKEN and answer.get("status") == "approved" and answer.get("valid") is True


def _twilio(status: int, answer: Mapping[str, Any], _text: str) -> str:
    sid = _twilio_verify(status, answer, "")
    if answer.get("status") in {"failed", "undelivered"}:
        reason = f"{_word(answer, 'error_message')} {_word(answer, 'error_code')}"
        raise DeliveryError(f"twilio error: {reason} for message {sid}")
    return sid


def _twilio_verify(status: int, answer: Mapping[str, Any], _text: str) -> str:
    if status not in _TAKEN:
        more = _word(answer, "more_info")
        raise DeliveryError(f"{_word(answer, 'message')} More information: {more}")
    return _word(answer, "sid")


def _messagebird(status: int, answer: Mapping[str, Any], _text: str) -> str:
    if status in _REFUSED_BY_MESSAGEBIRD:
        raise DeliveryError(_word(_first(answer, "errors"), "description"))
    if not object_column(answer.get("recipients")).get("totalSentCount"):
        raise DeliveryError("messagebird error: total sent count is 0")
    return _word(answer, "id")


def _textlocal(_status: int, answer: Mapping[str, Any], text: str) -> str:
    if answer.get("status") == "success":
        return ""  # the original reads an id from failures only
    failure, sid = _first(answer, "errors"), _word(_first(answer, "messages"), "id")
    code = failure.get("code", 0)
    about = f"template message: {text}" if code == _TEMPLATE_UNKNOWN else f"message {sid}"
    raise DeliveryError(f"textlocal error: {_word(failure, 'message')} (code: {code}) {about}")


def _vonage(_status: int, answer: Mapping[str, Any], _text: str) -> str:
    first = _first(answer, "messages")
    if not first:
        raise DeliveryError("vonage error: Internal Error")
    sid, status = _word(first, "message-id"), _word(first, "status")
    if status != "0":
        reason = f"{_word(first, 'error-text')} (status: {status})"
        raise DeliveryError(f"vonage error: {reason} for message {sid}")
    return sid


_READERS = {
    "twilio": _twilio,
    "twilio_verify": _twilio_verify,
    "messagebird": _messagebird,
    "textlocal": _textlocal,
    "vonage": _vonage,
}


def _first(answer: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The first object of a list; empty without one."""
    members = answer.get(name)
    if not isinstance(members, list) or not members:
        return {}
    return object_column(cast("list[Any]", members)[0])


def _word(answer: Mapping[str, Any], name: str) -> str:
    value = answer.get(name)
    return value if isinstance(value, str) else "" if value is None else jsontext.encode(value)
