"""The grammar of a subscription's filter."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.changes.filters import Condition, FilterError, parse_filter


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("", []),
        ("  ", []),
        ("id=eq.5", [("id", "eq", "5", False)]),
        ("id=not.eq.5", [("id", "eq", "5", True)]),
        ('name=eq."a,b",id=gt.0', [("name", "eq", "a,b", False), ("id", "gt", "0", False)]),
        ("a=eq.x),b=eq.y", [("a", "eq", "x)", False), ("b", "eq", "y", False)]),
        ('d=eq.5" tall,id=gt.0', [("d", "eq", '5" tall', False), ("id", "gt", "0", False)]),
        ('p=eq."C:\\\\t"', [("p", "eq", "C:\\t", False)]),
        ('p=eq."open', [("p", "eq", '"open', False)]),
        ('p=eq."a"b', [("p", "eq", '"a"b', False)]),
        ('id=in.(1,"a,b",c)', [("id", "in", '{1,"a,b",c}', False)]),
        ("a=eq.b=c.d", [("a", "eq", "b=c.d", False)]),
        (" a=eq.x , b=eq.y ", [("a", "eq", "x", False), ("b", "eq", "y", False)]),
    ],
)
def test_the_filter_grammar(text: str, conditions: list[tuple[str, str, str, bool]]):
    assert parse_filter(text) == tuple(Condition(*one) for one in conditions)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("undefined", '["undefined"]'),
        ("wrong", '["wrong"]'),
        ("subject=foo.hey", '["foo", "hey"]'),
        ('a"\\\t\r\n#{b}', r'["a\"\\\t\r\n\#{b}"]'),
        ("a=eq.1,,b=eq.2", "filter must not contain empty segments (check for extra commas)"),
        (",a=eq.1", "filter must not contain empty segments (check for extra commas)"),
        ("id=in.1,2", "`in` filter value must be wrapped by parentheses"),
    ],
)
def test_a_bad_filter_is_refused_in_the_originals_words(text: str, message: str):
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert str(caught.value) == f"Error parsing `filter` params: {message}"


@given(st.text(alphabet='a.=,()"\\not eqin{}'))
def test_any_text_is_a_filter_or_an_error(text: str):
    with contextlib.suppress(FilterError):
        parse_filter(text)
