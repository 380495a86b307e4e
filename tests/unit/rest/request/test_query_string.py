"""The query string: its pairs, and its canonical form."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rest_compat.request.query_string import canonical, decode_pairs


@pytest.mark.parametrize(
    ("query", "pairs"),
    [
        ("&a=1&&b&", (("", None), ("a", "1"), ("", None), ("b", None))),
        ("=x;a=%zz", (("", "x"), ("a", "%zz"))),
        ("", ()),
    ],
)
def test_nothing_between_two_separators_is_a_key_without_a_name(query, pairs):
    assert decode_pairs(query) == pairs


def test_the_canonical_query_is_sorted_joined_and_encoded():
    assert canonical("b=2&a=x%20y&b=1&c") == "a=x%20y&b=2,1&c="


@given(st.text(alphabet=st.characters(min_codepoint=1, max_codepoint=255), max_size=60))
def test_any_query_string_is_split_or_is_no_text(query):
    with contextlib.suppress(UnicodeDecodeError):
        decode_pairs(query)
        canonical(query)
