"""Hooks are signed as Standard Webhooks says, once by each secret."""

from __future__ import annotations

from gotrue_compat.rules.webhooks import signature_header


def test_a_signature_for_each_secret():
    header = signature_header((b"one", b"two"), "msg_1", 1_700_000_000, "{}")
    first, second = header.split(" ")
    assert first.startswith("v1,")
    assert first != second
    assert signature_header((b"one",), "msg_1", 1_700_000_000, "{}") == first
    assert signature_header((b"one",), "msg_2", 1_700_000_000, "{}") != first
