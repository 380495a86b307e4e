"""What is read of changes of the signed-in user."""

from __future__ import annotations

from uuid import UUID

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.user import bodies
from tests.unit.gotrue.incoming import ID, posted


def test_a_password_that_is_not_given_is_none_and_an_empty_one_is_empty():
    assert bodies.user_change(posted({})).password is None
    assert bodies.user_change(posted({"password": ""})).password == ""


def test_an_identity_is_named_by_a_uuid():
    assert bodies.identity_id(posted(identity_id=ID)) == UUID(ID)
    with pytest.raises(ApiError) as raised:
        bodies.identity_id(posted(identity_id="7"))
    assert raised.value.problem.code == "validation_failed"
