"""What PostgreSQL's text and jsonb can hold."""

from __future__ import annotations

from typing import Any

import pytest

from storage_compat.rules.storable import is_storable


@pytest.mark.parametrize("text", ["\0", "\ud800", "a\udfffb"])
def test_a_text_that_no_row_can_hold_is_found_wherever_it_is(text: str):
    values: list[Any] = [text, {text: 1}, {"a": text}, [1, {"b": [text]}]]
    assert not any(is_storable(value) for value in values)


@pytest.mark.parametrize("value", [None, 1, "", "é\U0001f600", {"a": ["\\u0000"]}, []])
def test_everything_else_can_be_held(value: Any):
    assert is_storable(value)


def test_one_text_among_thousands_is_found():
    names: list[Any] = [f"folder/{number}" for number in range(50_000)]
    assert is_storable({"prefixes": names})
    assert not is_storable({"prefixes": [*names, "a\0b"]})
    assert not is_storable({"prefixes": [*names, "a\udfffb"]})
