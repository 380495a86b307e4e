"""What is read of sign-ups."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.sign_up import bodies
from tests.unit.gotrue.incoming import posted


@pytest.mark.parametrize(
    ("body", "is_anonymous"),
    [({}, True), ({"email": ""}, True), ({"data": {}}, True), ({"phone": "1"}, False)],
)
def test_a_sign_up_without_address_and_number_is_an_anonymous_one(body, is_anonymous):
    assert bodies.has_no_address(posted(body)) is is_anonymous


def test_data_is_an_object_or_refused():
    assert bodies.sign_up(posted({"data": {"a": 1}})).data == {"a": 1}
    with pytest.raises(ApiError, match="cannot unmarshal array"):
        bodies.sign_up(posted({"data": []}))
