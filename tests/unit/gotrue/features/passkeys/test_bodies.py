"""What is read of ceremonies and of changes of passkeys."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.passkeys import bodies
from tests.unit.gotrue.incoming import ID, posted


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({}, None),
        ({"credential": None}, {}),
        ({"Credential": "text"}, {}),
        ({"credential": {"id": "a"}}, {"id": "a"}),
    ],
)
def test_a_credential_of_another_type_is_judged_as_an_empty_one(sent: object, read: object):
    assert bodies.registration(posted(sent)).credential == read


def test_a_passkey_is_renamed_by_its_id():
    change = bodies.passkey_name(posted({"friendly_name": "mine"}, passkey_id=ID))
    assert (str(change.passkey_id), change.friendly_name) == (ID, "mine")


def test_what_is_no_id_is_no_passkey():
    with pytest.raises(ApiError) as raised:
        bodies.passkey_id(posted(passkey_id="x"))
    assert raised.value.problem.status == 404


def test_a_users_passkey_is_read_once_there_is_the_user():
    assert str(bodies.user_passkey(posted(passkey_id="x", user_id=ID)).user_id) == ID
