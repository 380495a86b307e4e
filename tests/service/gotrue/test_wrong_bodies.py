"""No body and no parameter is a failure of the server's: auth reference 1.2."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from gotrue_compat.http.route import Guard, Route
from gotrue_compat.web.routes import ROUTES
from tests.harness_auth import AUTO, Auth, admin_token

ADMIN = admin_token()

_FIELDS = (
    "access_token", "action", "allow_unconfirmed_email", "app_metadata", "attribute_mapping",
    "aud", "auth_code", "authorization_params", "authorization_url", "ban_duration",
    "captcha_token", "chain", "challenge_id", "channel", "client_id", "client_name",
    "client_secret", "client_uri", "code", "code_challenge", "code_challenge_method",
    "code_verifier", "confirm", "create_user", "credential", "credential_response",
    "current_password", "data", "disabled", "domain", "domains", "email", "email_confirm",
    "enabled", "factor_id", "factor_type", "friendly_name", "gotrue_meta_security",
    "grant_types", "id", "id_token", "identifier", "identity_id", "issuer", "link_identity",
    "logo_uri", "message", "metadata_url", "metadata_xml", "name", "name_id_format",
    "new_email", "nonce", "password", "password_hash", "phone", "phone_confirm", "provider",
    "provider_id", "provider_type", "redirect_to", "redirect_uri", "redirect_uris",
    "refresh_token", "resource", "resource_id", "response_types", "role", "scope", "scopes",
    "should_soft_delete", "signature", "skip_http_redirect", "token",
    "token_endpoint_auth_method", "token_hash", "type", "user_id", "user_metadata", "webauthn",
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    None, "", "x", "ñ" * 300, "\u0000", "../..", "a@b.example", "https://a.example/\ud800",
    1, -1.5, 1e300, 2**70, True, [], ["x"], [None], [1], {}, {"a": {"b": [1]}}, {"keys": 1},
)  # fmt: skip
_RAW = (
    b"", b" ", b"null", b"[]", b'"x"', b"1", b"true", b"{", b"{}x", b"\xff\xfe", b"\xef\xbb\xbf{}",
    b'{"email": "\xff\xfe@a.example", "password": "\xff"}', b"[" * 5000, b'{"a":' * 5000, b"NaN",
    b'{"email": 1e999}', b"a=1&a=2", b"--x\r\n",
)  # fmt: skip
_JSON = "application/json"
_TYPES = (
    "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
    "text/plain; charset=x", "/",
)  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def whole(open_with) -> Auth:
    """An instance with everything switched on, and limits that nothing meets."""
    names = (
        "ANONYMOUS_USERS", "OTP", "TOKEN_REFRESH", "EMAIL_SENT", "SMS_SENT", "VERIFY", "SSO",
        "WEB3", "PASSKEY", "OAUTH_DYNAMIC_CLIENT_REGISTER",
    )  # fmt: skip
    limits = {f"GOTRUE_RATE_LIMIT_{name}": "1000000" for name in names}
    return await open_with(
        **AUTO, **limits, GOTRUE_PASSKEY_ENABLED="true", GOTRUE_WEBAUTHN_RP_ID="localhost",
        GOTRUE_WEBAUTHN_RP_DISPLAY_NAME="A", GOTRUE_WEBAUTHN_RP_ORIGINS="http://localhost:5173",
        GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED="true", GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED="true",
        GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED="true", GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED="true",
        GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED="true", GOTRUE_SECURITY_MANUAL_LINKING_ENABLED="true",
        GOTRUE_OAUTH_SERVER_ENABLED="true", GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true",
        GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH="/consent", GOTRUE_CUSTOM_OAUTH_ENABLED="true",
    )  # fmt: skip


_CALLS = [
    pytest.param(route, id=f"{route.method} {route.path} {route.grant}".strip()) for route in ROUTES
]


def _path(route: Route, ids: dict[str, str]) -> str:
    path = route.path
    for name in ("user_id", "factor_id", "passkey_id", "identity_id"):
        path = path.replace(f"{{{name}}}", ids.get(name, str(uuid4())))
    for name in ("client_id", "idp_id", "authorization_id", "identifier"):
        path = path.replace(f"{{{name}}}", str(uuid4()))
    return f"{path}?grant_type={route.grant}" if route.grant else path


@pytest.mark.parametrize("route", _CALLS)
async def test_no_body_is_the_servers_failure(whole: Auth, email: str, route: Route):
    user = await whole.signed_up(email)
    token = ADMIN if route.guard is Guard.ADMIN else user["access_token"]
    path = _path(route, {"user_id": user["user"]["id"]})
    bodies = [(body, _JSON) for body in _RAW]
    bodies += [(body, kind) for body in (b"", b"\xff\xfe", b"a=1&a=2") for kind in _TYPES]
    bodies += [(json.dumps(dict.fromkeys(_FIELDS, value)).encode(), _JSON) for value in _VALUES]
    for body, kind in bodies:
        sent = {"Content-Type": kind}
        answer = await whole.call(route.method, path, body, token=token, headers=sent)
        assert answer.status_code < 500, (body[:200], kind, answer.text)


async def test_no_parameter_is_the_servers_failure(whole: Auth, email: str):
    user = await whole.signed_up(email)
    names = (*_FIELDS, "page", "per_page", "sort", "filter", "cursor", "state", "error", "query")
    for route, wrong in product(ROUTES, ("%00", "%ff", "..%2f", "x", "%c3%b1", "-1", "1e9")):
        if route.path == "/logout":
            continue
        token = ADMIN if route.guard is Guard.ADMIN else user["access_token"]
        path = re.sub(r"\{\w+\}", wrong, route.path)
        query = "&".join(f"{name}={wrong}" for name in names)
        answer = await whole.call(route.method, f"{path}?{query}", token=token)
        assert answer.status_code < 500, (path, wrong, answer.text)
