"""The schemas of bodies: what a handler gets, and the first thing that does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from compat_base.values.errors import ApiError
from storage_compat.web.bodies import (
    BUCKET_CHANGES,
    COPY,
    NEW_BUCKET,
    SIGN,
    BodySchema,
    check_focus,
)


def refused(schema: BodySchema, value: Any) -> str:
    with pytest.raises(ApiError) as caught:
        schema.check(value)
    return caught.value.problem.message


def test_a_change_of_a_bucket_is_what_the_body_names():
    assert BUCKET_CHANGES.check({"public": "true", "name": "x"}) == {"public": True}
    assert BUCKET_CHANGES.check({"file_size_limit": None}) == {"file_size_limit": None}
    assert refused(BUCKET_CHANGES, {"name": "x"}).endswith("body must match a schema in anyOf")


@pytest.mark.parametrize(("limit", "size"), [("1.5KB", "1.5KB"), ("7", 7), (10**400, 2**63 - 1)])
def test_a_limit_is_left_a_number_or_a_text(limit: object, size: object):
    assert NEW_BUCKET.check({"name": "b", "file_size_limit": limit})["file_size_limit"] == size


def test_the_first_property_that_does_not_fit_is_told():
    body = {"bucketId": "b", "sourceKey": "s", "destinationKey": "d"}
    assert (
        refused(COPY, body | {"copyMetadata": "x", "metadata": []})
        == "body/metadata must be object"
    )
    assert refused(SIGN, {"expiresIn": 1, "transform": None}) == "body/transform must be object"


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (None, 0, "query must have required property 'x_offset'"),
        (0, -1, "query/y_offset must be >= 0"),
        (1.5, 0, "query/x_offset must be <= 1"),
    ],
)
def test_a_focal_point_is_two_shares(x: float | None, y: float, message: str):
    with pytest.raises(ApiError, match=message.replace("'", ".")):
        check_focus({"gravity": "fp", "x_offset": x, "y_offset": y}, "query")
