"""Bodies are coerced as the original does."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from storage_compat.rules.schema import Field, check_object


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
