"""What is read of requests for codes and their verification."""

from __future__ import annotations

from gotrue_compat.features.codes import bodies
from tests.unit.gotrue.incoming import posted


def test_a_user_is_created_unless_the_request_says_not_to():
    assert bodies.otp(posted({"email": "a@b"})).create_user
    assert not bodies.otp(posted({"email": "a@b", "create_user": False})).create_user


def test_a_type_is_the_kind_of_what_is_sent_or_verified_again():
    assert bodies.resend(posted({"type": "signup", "phone": "1"})).kind == "signup"
    read = bodies.verification(posted({"type": "email", "token_hash": "h"}))
    assert (read.kind, read.token_hash, read.token) == ("email", "h", "")


def test_a_link_is_read_from_its_query_and_a_body_from_its_members():
    assert bodies.link(posted(query="type=recovery&token=t")) == bodies.VerifyRequest(
        kind="recovery", token="t"
    )
    assert bodies.recovery(posted({"email": "a@b", "code_challenge": "c"})).code_challenge == "c"
