"""What is read of clients of the OAuth server and their requests."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from gotrue_compat.features.oauth_server import bodies
from tests.unit.gotrue.incoming import ID, form, posted

JSON = (("content-type", "application/json"),)


def test_a_token_is_asked_for_by_a_form_or_by_json():
    fields = {"grant_type": "refresh_token", "refresh_token": "r"}
    for incoming in (form(fields), posted(fields, headers=JSON)):
        read = bodies.oauth_token(incoming)
        assert (read.grant_type, read.refresh_token, read.is_readable) == (
            "refresh_token",
            "r",
            True,
        )


def test_a_body_that_cannot_be_read_is_judged_later():
    read = bodies.oauth_token(posted([], headers=(*JSON, ("authorization", "B x"))))
    assert (read.is_readable, read.is_json, read.authorization) == (False, True, "B x")


def test_a_client_proves_itself_by_a_body_that_cannot_be_read_whole():
    read = bodies.oauth_token(posted({"client_id": "c", "code": 1}, headers=JSON))
    assert (read.client_id, read.is_readable, read.is_whole) == ("c", True, False)


def test_a_body_that_does_not_say_that_it_is_json_is_none():
    sent = {"grant_type": "refresh_token"}
    for headers in ((), (("content-type", "text/plain"),)):
        read = bodies.oauth_token(posted(sent, query="client_id=c", headers=headers))
        assert (read.grant_type, read.client_id, read.is_readable) == ("", "c", True)


def test_bodies_of_another_form_are_refused_in_the_servers_own_words():
    with pytest.raises(ApiError) as client:
        bodies.oauth_client(posted({"redirect_uris": "no list"}))
    with pytest.raises(ApiError) as decision:
        _ = bodies.authorization(posted({"action": 5}, authorization_id="a")).action
    assert client.value.problem.message != decision.value.problem.message
    assert {client.value.problem.status, decision.value.problem.status} == {400}


def test_a_decision_has_the_origin_of_its_page():
    sent = posted({"action": "deny"}, headers=(("origin", "https://o"),), authorization_id="a")
    read = bodies.authorization(sent)
    assert (read.authorization_id, read.origin, read.action) == ("a", "https://o", "deny")


def test_a_change_of_a_client_leaves_what_was_not_given():
    record = bodies.oauth_client(posted({"client_name": ""}, client_id=ID))
    assert (record.client_name, record.redirect_uris) == ("", None)
    assert record.token_endpoint_auth_method is None


def test_an_authorization_is_asked_for_by_the_query():
    read = bodies.oauth_authorize(posted(query="client_id=c&scope=openid+email"))
    assert (read.client_id, read.scope, read.state) == ("c", "openid email", "")
