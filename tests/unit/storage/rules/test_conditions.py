"""Ranges of an object."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from storage_compat.rules import (
    conditions,
)


@given(st.text(max_size=40), st.integers(0, 10**6))
def test_a_range_is_a_part_of_the_object_or_refused(text: str, size: int):
    for header in (text, f"bytes={text}", "bytes=0-"):
        try:
            span = conditions.span_of(header, size)
        except ApiError as error:
            assert error.problem.status == 416
        else:
            assert 0 <= span.start < span.end <= size
