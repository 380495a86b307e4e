"""The address of a TOTP key, escaped as Go escapes paths and their segments."""

from __future__ import annotations

import pytest

from gotrue_compat.rules.totp_uri import totp_uri


@pytest.mark.parametrize(
    ("issuer", "account", "path", "value"),
    [
        ("localhost:3000", "a+b@example.com", "localhost:3000:a+b@example.com", "localhost:3000"),
        ("Nuestra casa", "ana@x.es", "Nuestra%20casa:ana@x.es", "Nuestra%20casa"),
        ("a/b?c", "ñ@x.es", "a/b%3Fc:%C3%B1@x.es", "a%2Fb%3Fc"),
    ],
)
def test_issuer_and_account_are_escaped(issuer: str, account: str, path: str, value: str):
    assert totp_uri("SECRET", issuer, account) == (
        f"otpauth://totp/{path}?algorithm=SHA1&digits=6&issuer={value}&period=30&secret=SECRET"
    )
