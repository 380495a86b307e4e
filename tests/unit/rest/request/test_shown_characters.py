"""Characters as syntax errors show them."""

import pytest

from rest_compat.request.syntax_failures import shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a"\\', '"a\\"\\\\"'),
        ("é1", '"\\233\\&1"'),
        ("\x0eH", '"\\SO\\&H"'),
        ("\x01\t", '"\\SOH\\t"'),
    ],
)
def test_unprintable_characters_are_told_by_name_or_number(text, expected):
    assert shown(text) == expected
