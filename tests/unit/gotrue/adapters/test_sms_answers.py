"""What the providers of text messages answer."""

from __future__ import annotations

from typing import Any

import pytest

from gotrue_compat.adapters.sms_answers import is_approved, message_id
from gotrue_compat.ports import DeliveryError


@pytest.mark.parametrize(
    ("provider", "status", "answer", "found"),
    [
        ("twilio", 201, {"sid": "a", "status": "queued"}, "a"),
        ("twilio_verify", 200, {"sid": "a"}, "a"),
        ("messagebird", 200, {"id": "a", "recipients": {"totalSentCount": 1}}, "a"),
        ("textlocal", 200, {"status": "success", "messages": [{"id": "a"}]}, ""),
        ("vonage", 200, {"messages": [{"status": "0", "message-id": "a"}]}, "a"),
    ],
)
def test_a_message_that_is_taken(provider: str, status: int, answer: dict[str, Any], found: str):
    assert message_id(provider, status, answer, "text") == found


@pytest.mark.parametrize(
    ("provider", "status", "answer", "reason"),
    [
        (
            "twilio", 200,
            {"sid": "a", "status": "failed", "error_message": "no", "error_code": "30003"},
            "twilio error: no 30003 for message a",
        ),
        ("twilio", 302, {}, " More information: "),
        ("messagebird", 200, {"id": "a"}, "messagebird error: total sent count is 0"),
        ("messagebird", 401, {"errors": []}, ""),
        ("textlocal", 200, {}, "textlocal error:  (code: 0) message "),
        (
            "textlocal", 200,
            {"status": "failure", "errors": [{"code": 80, "message": "no template"}]},
            "textlocal error: no template (code: 80) template message: text",
        ),
        ("vonage", 200, {"messages": []}, "vonage error: Internal Error"),
        ("vonage", 200, {"messages": "x"}, "vonage error: Internal Error"),
    ],
)  # fmt: skip
def test_why_a_message_is_not_taken(
    provider: str, status: int, answer: dict[str, Any], reason: str
):
    with pytest.raises(DeliveryError) as refused:
        message_id(provider, status, answer, "text")
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    ("status", "answer", "approved"),
    [
        (200, {"status": "approved", "valid": True}, True),
        (200, {"status": "approved"}, False),
        (200, {"status": "pending", "valid": True}, False),
        (404, {"status": "approved", "valid": True}, False),
    ],
)
def test_a_code_is_accepted_where_it_is_approved_and_valid(
    status: int, answer: dict[str, Any], *, approved: bool
):
    assert is_approved(status, answer) is approved
