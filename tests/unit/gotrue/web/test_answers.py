"""Results become answers: auth reference 2, 3."""

from __future__ import annotations

import pytest

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from gotrue_compat.core.results import Done, Json, Redirect, Sent
from gotrue_compat.web.answers import answer
from tests.unit.gotrue.records import user


def test_nothing_to_show_is_204():
    assert (answer(Done(), "POST").status, answer(Done(), "POST").body) == (204, b"")


def test_a_message_is_named_where_its_provider_did():
    assert answer(Sent("m1"), "POST").body == b'{"message_id":"m1"}'
    assert answer(Sent(""), "POST").body == b"{}"


def test_a_user_is_shown_as_one():
    assert jsontext.decode(answer(user(email="a@b"), "GET").body)["email"] == "a@b"


def test_only_who_asked_by_get_is_shown_a_link_and_no_markup_gets_into_it():
    url = 'http://a/?q="><script>'
    by_get = answer(Redirect(url, 303), "GET")
    location = dict(by_get.headers)["Location"]
    assert b"<script>" not in by_get.body
    assert location.startswith("http://a/?q=")
    assert answer(Redirect(url, 303), "POST").body == b""
    by_head = answer(Redirect(url, 303), "HEAD")
    assert (by_head.headers, by_head.body) == (by_get.headers, b"")


def test_an_address_that_no_browser_may_be_sent_to_is_an_error():
    with pytest.raises(ApiError):
        answer(Redirect("javascript:alert(1)", 303), "GET")


def test_a_value_has_its_status_and_headers():
    found = answer(Json({"a": 1}, 201, (("X-A", "b"),)), "POST")
    assert (found.status, found.body, dict(found.headers)["X-A"]) == (201, b'{"a":1}', "b")
