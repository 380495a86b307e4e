"""Keys of objects."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from storage_compat.rules import (
    paths,
)


@given(st.text())
def test_a_key_is_refused_or_never_climbs(text: str):
    for has_unicode in (False, True):
        try:
            key = paths.check_key(text, has_unicode=has_unicode)
        except ApiError:
            continue
        assert ".." not in key.split("/")
        assert "\0" not in key
