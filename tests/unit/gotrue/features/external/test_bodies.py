"""What is read of sign-ins by providers."""

from __future__ import annotations

import pytest

from gotrue_compat.features.external import bodies
from tests.unit.gotrue.incoming import form, posted


@pytest.mark.parametrize(("text", "is_skipped"), [("true", True), ("1", False), ("", False)])
def test_a_redirect_is_skipped_for_true_alone(text: str, is_skipped: bool):
    read = bodies.start(posted(query=f"provider=google&skip_http_redirect={text}"))
    assert (read.provider, read.skip_redirect) == ("google", is_skipped)


def test_whatever_else_the_query_has_is_there_to_be_passed_on():
    assert bodies.start(posted(query="provider=a&prompt=none")).more["prompt"] == "none"


def test_a_callback_is_read_from_query_and_form_and_the_form_wins():
    read = bodies.callback(form({"code": "f", "user": "{}"}, query="code=q&state=s"))
    assert (read.code, read.state, read.form["user"]) == ("f", "s", "{}")


def test_an_id_token_links_only_where_that_is_said():
    assert not bodies.id_token(posted({"id_token": "t"})).link_identity
    assert bodies.id_token(posted({"link_identity": True})).link_identity
