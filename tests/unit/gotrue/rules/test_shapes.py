"""Users, identities and factors as answers show them: auth reference 2."""

from __future__ import annotations

from gotrue_compat.model.user import Factor, Identity
from gotrue_compat.rules.shapes import factor_shape, user_shape
from tests.unit.gotrue.records import ID, NOW, factor, row, user


def test_members_without_a_value_are_left_out_but_those_that_clients_read():
    shape = user_shape(user(email="a@b"))
    assert list(shape) == [
        "id", "aud", "role", "email", "phone", "app_metadata", "user_metadata", "identities",
        "created_at", "updated_at", "is_anonymous",
    ]  # fmt: skip
    assert (shape["created_at"], shape["updated_at"]) == ("2026-11-22T12:00:00Z", None)


def test_addresses_that_wait_for_their_confirmation_are_new_ones():
    shape = user_shape(user(email_change="n@x", phone_change="1"))
    assert (shape["new_email"], shape["new_phone"]) == ("n@x", "1")


def test_lists_show_no_identities():
    assert user_shape(user(), with_identities=False)["identities"] is None


def test_an_identity_has_two_ids():
    github = row(Identity, id=ID, user_id=ID, provider_id="p", provider="github")
    [shape] = user_shape(user(identity_rows=[github]))["identities"]
    assert (shape["identity_id"], shape["id"]) == (str(ID), "p")
    assert {"identity_data", "email"}.isdisjoint(shape)


def test_no_secret_of_a_factor_is_shown():
    read = Factor.from_row(factor(secret="s", created_at=NOW, friendly_name="phone"))
    shape = factor_shape(read)
    assert "s" not in shape.values()
    assert (shape["friendly_name"], shape["last_challenged_at"], shape["phone"]) == (
        "phone", None, "",
    )  # fmt: skip
