"""Values are escaped as their place in a output wants."""

from __future__ import annotations

import pytest

from gotrue_compat.mail.gofunctions import Safe
from gotrue_compat.mail.gopage import Output


def output(before: str, value: object, *, is_html: bool = True) -> str:
    made = Output(is_html=is_html)
    made.write(before)
    made.show(value)
    return str(made).removeprefix(before)


@pytest.mark.parametrize(
    ("before", "value", "shown"),
    [
        ("", "<b>&", "&lt;b&gt;&amp;"),
        ('<a title="', '"', "&quot;"),
        ('<a href="', "javascript:x", "#ZgotmplZ"),
        ('<a href="', "https://a/b?c=d", "https://a/b?c=d"),
        ('<a href="', "a/b:c", "a/b:c"),
        ('<a href="/x?next=', "https://a/?b", "https%3A%2F%2Fa%2F%3Fb"),
        ("<a href='/x#", "a b", "a%20b"),
        ("", Safe("<b>"), "<b>"),
    ],
)
def test_a_value_is_escaped_by_its_place(before: str, value: object, shown: str):
    assert output(before, value) == shown


def test_a_text_is_not_escaped():
    assert output('<a href="', "<javascript:x>", is_html=False) == "<javascript:x>"


def test_a_value_behind_another_is_no_scheme():
    made = Output(is_html=True)
    made.write('<a href="')
    made.show("https:")
    made.show("//a")
    assert str(made) == '<a href="https://a'
