"""Bodies are coerced as the original does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from storage_compat.rules.schema import Field, check_object, coerce_texts


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        ("integer", "5", 5), ("integer", True, 1), ("boolean", 1, True), ("boolean", None, False),
        ("string", 5, "5"), ("string", None, ""), ("integer", ["7"], 7), ("boolean", "true", True),
    ],
)  # fmt: skip
def test_values_are_coerced_as_the_original_does(kind: str, value: object, read: object):
    assert check_object({"x": value}, {"x": Field(kind)}) == {"x": read}


@pytest.mark.parametrize(
    ("kind", "value"),
    [("boolean", "yes"), ("boolean", []), ("integer", 1.5), ("integer", "x"), ("string", {})],
)
def test_what_cannot_be_coerced_is_named(kind: str, value: object):
    with pytest.raises(ApiError, match=f"body/x must be {kind}"):
        check_object({"x": value}, {"x": Field(kind)})


@given(
    st.lists(st.none() | st.booleans() | st.integers(0, 9) | st.text(max_size=2) | st.just([1]))
    | st.lists(st.just({"a": 1}) | st.text(max_size=2))
)
def test_lists_that_were_read_in_pieces_are_checked_as_the_others(items: list[object]):
    fields = {"x": Field("array")}

    def outcome(value: object) -> object:
        try:
            return check_object(value, fields)
        except ApiError as error:
            return error.problem

    value = {"x": list(items) * 300}
    assert len(list(coerce_texts(value, fields))) <= len(items)
    assert outcome(value) == outcome({"x": list(items) * 300})


def test_a_long_list_rests_and_stops_at_what_does_not_fit():
    value: dict[str, list[Any]] = {"x": [1] * 2000 + [{}] + [1] * 100_000}
    assert len(list(coerce_texts(value, {"x": Field("array")}))) > 3
    with pytest.raises(ApiError, match="body/x/2000 must be string"):
        check_object(value, {"x": Field("array")})
    assert len(value["x"]) == 2001
