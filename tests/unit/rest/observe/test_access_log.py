"""Lines of the access log."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from compat_base.values import jsontext
from rest_compat.observe.access_log import access_line


@pytest.mark.parametrize("text", ['a" 200 0 "b', "a\x9bb", "a\u2028b", "a\\"])
def test_a_client_cannot_end_a_field_of_the_access_log(text: str):
    facts: dict[str, Any] = {
        "client": "192.0.2.1", "role": "anon", "method": "GET", "target": f"/t?{text}",
        "status": 200, "size": "3", "referer": text, "agent": text,
    }  # fmt: skip
    line = access_line(facts, datetime(2026, 11, 22, tzinfo=UTC))
    assert len(line.splitlines()) == 1
    fields = re.fullmatch(
        r'192\.0\.2\.1 - anon \[[^]]+\] ("(?:[^"\\]|\\.)*") 200 3 ("(?:[^"\\]|\\.)*")'
        r' ("(?:[^"\\]|\\.)*")',
        line,
    )
    assert fields is not None
    assert [jsontext.decode(each) for each in fields.groups()] == [
        f"GET /t?{text} HTTP/1.1", text, text,
    ]  # fmt: skip
