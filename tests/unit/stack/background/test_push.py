"""Which endpoints are push services."""

from __future__ import annotations

import pytest

from compat_base.values.urls import parse_url
from compat_stack.background.push import is_push_service


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ("https://fcm.googleapis.com/fcm/send/abc", True),
        ("https://updates.push.services.mozilla.com/wpush/v2/abc", True),
        ("https://web.push.apple.com/abc", True),
        ("https://db5p.notify.windows.com/w/?token=abc", True),
        ("https://push.example/abc", True),
        ("https://PUSH.example:8443/abc", True),
        ("http://fcm.googleapis.com/abc", False),
        ("https://fcm.googleapis.com.example/abc", False),
        ("https://notify.windows.com.example/abc", False),
        ("https://evilnotify.windows.com/abc", False),
        ("https://user@fcm.googleapis.com/abc", False),
        ("https://127.0.0.1/abc", False),
    ],
)
def test_push_services_are_the_browsers_makers_and_the_operators(endpoint: str, expected: bool):
    url = parse_url(endpoint)
    assert url is not None
    assert is_push_service(url, frozenset({"push.example"})) is expected
