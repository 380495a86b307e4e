"""What is read of grants and sign-outs."""

from __future__ import annotations

from gotrue_compat.features.sign_in import bodies
from tests.unit.gotrue.incoming import posted


def test_each_grant_reads_its_own_members():
    body = posted({
        "email": "a@b", "password": "p", "refresh_token": "r", "auth_code": "c", "code_verifier": "v",
    })  # fmt: skip
    assert bodies.password(body) == bodies.PasswordSignIn("a@b", "", "p")
    assert bodies.refresh(body) == bodies.RefreshRequest("r")
    assert bodies.pkce(body) == bodies.CodeExchange("c", "v")


def test_a_sign_out_is_global_unless_it_says_otherwise():
    assert bodies.logout_scope(posted()) == "global"
    assert bodies.logout_scope(posted(query="scope=")) == "global"
    assert bodies.logout_scope(posted(query="scope=others")) == "others"
