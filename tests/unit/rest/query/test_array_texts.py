"""Lists of values as PostgreSQL's array text."""

from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.pgarray import listed_text


@given(st.lists(st.text(max_size=8), min_size=1, max_size=5))
def test_array_texts_never_leave_their_quotes(values):
    text = listed_text(values)
    assert text.startswith("{")
    assert text.endswith("}")
    assert "\0" not in text
