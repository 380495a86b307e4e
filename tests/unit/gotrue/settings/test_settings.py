"""The variables: auth reference 14."""

from __future__ import annotations

import base64
import json

import pytest

from compat_base.values.settings import SettingsError
from gotrue_compat.ports import HookPoint, Rate
from gotrue_compat.settings.record import read_settings

REQUIRED = {
    "GOTRUE_SITE_URL": "http://x", "GOTRUE_JWT_SECRET": "s", "API_EXTERNAL_URL": "http://api",
    "DATABASE_URL": "postgresql://x",
}  # fmt: skip


def test_the_required_variables_alone_give_the_originals_defaults():
    settings = read_settings(REQUIRED)
    assert settings.api.port == 8081
    assert settings.jwt.expiry == 3600
    assert settings.jwt.admin_roles == ("service_role", "supabase_admin")
    assert settings.jwt.aud == settings.jwt.default_role == ""
    assert settings.mailer.otp_seconds == 86400
    assert settings.security.rotation
    assert settings.mfa.totp.enroll
    assert not settings.mfa.phone.enroll
    assert settings.limits.rates["email"] == Rate(30, 3600, 30)
    assert settings.external.providers["google"].enabled is False


def test_every_problem_is_told_at_once():
    with pytest.raises(SettingsError) as caught:
        read_settings({"GOTRUE_JWT_EXP": "soon", "GOTRUE_HOOK_SEND_SMS_ENABLED": "true"})
    text = str(caught.value)
    for name in ("GOTRUE_SITE_URL", "GOTRUE_JWT_EXP", "GOTRUE_HOOK_SEND_SMS_URI", "DATABASE_URL"):
        assert name in text


def test_short_passwords_are_never_allowed():
    settings = read_settings(REQUIRED | {"GOTRUE_PASSWORD_MIN_LENGTH": "3"})
    assert settings.password.min_length == 6


def test_exactly_one_key_signs():
    one = {"kty": "oct", "k": "c2VjcmV0", "kid": "1", "alg": "HS256", "key_ops": ["sign"]}
    two = {**one, "kid": "2", "key_ops": ["verify"]}
    settings = read_settings(REQUIRED | {"GOTRUE_JWT_KEYS": json.dumps([two, one])})
    assert settings.jwt.signing_key.kid == "1"
    with pytest.raises(SettingsError, match="exactly one"):
        read_settings(REQUIRED | {"GOTRUE_JWT_KEYS": json.dumps([one, {**one, "kid": "3"}])})


def test_limits_of_the_server():
    settings = read_settings(REQUIRED | {"GOTRUE_RATE_LIMIT_EMAIL_SENT": "5/10m"})
    # five at once, and one more every ten minutes
    assert settings.limits.rates["email"] == Rate(5, 3000, 5)


def test_hooks_are_read_with_their_secrets_and_functions():
    first, other = b"secret" * 4, b"other" * 6
    values = {
        "GOTRUE_HOOK_SEND_EMAIL_ENABLED": "true",
        "GOTRUE_HOOK_SEND_EMAIL_URI": "https://h.example/x",
        "GOTRUE_HOOK_SEND_EMAIL_SECRETS": f"v1,whsec_{base64.b64encode(first).decode()}|v1,whsec_{base64.b64encode(other).decode()}",
        "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": "true",
        "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI": "pg-functions://postgres/public/hook",
    }
    hooks = read_settings(REQUIRED | values).hooks
    assert hooks[HookPoint.SEND_EMAIL].secrets == (first, other)
    assert hooks[HookPoint.CUSTOM_ACCESS_TOKEN].function == ("public", "hook")
    insecure = values | {"GOTRUE_HOOK_SEND_EMAIL_URI": "http://h.example/x"}
    with pytest.raises(SettingsError, match="SEND_EMAIL_URI"):
        read_settings(REQUIRED | insecure)


def test_secrets_are_not_shown():
    values = {"GOTRUE_SMTP_PASS": "mail-secret", "GOTRUE_EXTERNAL_GOOGLE_SECRET": "google-secret"}
    shown = repr(read_settings(REQUIRED | values))
    assert "mail-secret" not in shown
    assert "google-secret" not in shown
    assert "postgresql://" not in shown


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("GOTRUE_SITE_URL", "app.example", "GOTRUE_SITE_URL must be an address"),
        ("GOTRUE_SITE_URL", "http://a@app.example", "GOTRUE_SITE_URL must be an address"),
        ("GOTRUE_SITE_URL", "http://app.example\\@x", "GOTRUE_SITE_URL must be an address"),
        ("GOTRUE_SITE_URL", "javascript:alert(1)", "GOTRUE_SITE_URL must be an address"),
        ("GOTRUE_SAML_EXTERNAL_URL", "api", "GOTRUE_SAML_EXTERNAL_URL must be an address"),
        ("API_EXTERNAL_URL", "api.example", "API_EXTERNAL_URL must be an address"),
        ("API_EXTERNAL_URL", "myapp://x", "API_EXTERNAL_URL must be an address"),
        ("API_EXTERNAL_URL", "https://a@b", "API_EXTERNAL_URL must be an address"),
        ("API_EXTERNAL_URL", "https://api.example#f", "API_EXTERNAL_URL must be an address"),
        (
            "GOTRUE_URI_ALLOW_LIST", "https://ok.example/**,app.example/**",
            "GOTRUE_URI_ALLOW_LIST: 'app.example/\\*\\*' needs a scheme",
        ),
        ("GOTRUE_URI_ALLOW_LIST", "javascript:**", "which no browser may be sent to"),
        (
            "GOTRUE_EGRESS_ALLOW_LIST", "id.lan,http://x",
            "GOTRUE_EGRESS_ALLOW_LIST: 'http://x' is neither",
        ),
    ],
)  # fmt: skip
def test_addresses_that_cannot_be_read_are_refused_at_start(name: str, value: str, problem: str):
    with pytest.raises(SettingsError, match=problem):
        read_settings(REQUIRED | {name: value})


def test_our_own_addresses_are_kept_in_their_parsed_form():
    values = {"GOTRUE_SITE_URL": " HTTPS://App.Example:443 ", "API_EXTERNAL_URL": "http://API:80/"}
    settings = read_settings(REQUIRED | values)
    assert settings.site_url == "https://app.example"
    assert settings.api.external_url == "http://api/"
