"""Cursors, metadata, versions and robots' names that are none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from storage_compat.rules import (
    cursors,
    resumable,
    robots,
)


@given(st.text())
def test_garbled_input_is_refused_and_never_crashes(text: str):
    for read in (cursors.read_cursor, resumable.read_metadata, resumable.version_of, robots.check):
        try:
            read(text)
        except ApiError as error:
            assert error.problem.status in {400, 404}
