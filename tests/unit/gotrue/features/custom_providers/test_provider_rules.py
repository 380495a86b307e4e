"""What may be said of a custom provider: auth reference 9.3."""

from __future__ import annotations

from typing import Any

import pytest

from compat_base.values.errors import ApiError
from compat_base.values.networks import Permitted, permitted
from gotrue_compat.features.custom_providers.rules import (
    check_columns,
    check_kind,
    check_new,
    check_urls,
    of_kind,
)

NONE = Permitted()
OIDC: dict[str, Any] = {
    "name": "Acme", "client_id": "c", "client_secret": "s", "issuer": "https://id.acme.es",
}  # fmt: skip
OAUTH2: dict[str, Any] = {
    "name": "Acme", "client_id": "c", "client_secret": "s",
    "authorization_url": "https://acme.es/a", "token_url": "https://acme.es/t",
    "userinfo_url": "https://acme.es/u",
}  # fmt: skip


def test_whole_providers_pass():
    check_new("oidc", "custom:acme", OIDC, NONE)
    check_new("oauth2", "custom:acme-2", {**OAUTH2, "authorization_params": {"prompt": "x"}}, NONE)


@pytest.mark.parametrize(
    ("kind", "identifier", "changes", "text"),
    [
        ("saml", "custom:a", {}, "provider_type must be either 'oauth2' or 'oidc'"),
        ("oidc", "", {}, "identifier is required"),
        ("oidc", "acme", {}, "identifier must start with 'custom:' prefix, e.g. 'custom:acme'"),
        ("oidc", "custom:a", {"name": ""}, "name is required"),
        ("oidc", "custom:a", {"client_id": ""}, "client_id is required"),
        ("oidc", "custom:a", {"client_secret": ""}, "client_secret is required"),
        ("oidc", "custom:a", {"issuer": ""}, "issuer is required for OIDC providers"),
        ("oauth2", "custom:a", {"token_url": ""}, "token_url is required for OAuth2 providers"),
        ("oidc", "custom:a", {"authorization_params": {"state": "x"}}, "Cannot override reserved OAuth parameter: state"),
        ("oidc", "custom:a", {"authorization_params": {"p": 1}}, 'Authorization parameter "p" must be a string'),
        ("oidc", "custom:a", {"attribute_mapping": {"role": "x"}}, "Cannot map to protected system field: role"),
        ("oidc", "custom:a", {"custom_claims_allowlist": [" "]}, "custom_claims_allowlist entries must be non-empty strings"),
    ],
)  # fmt: skip
def test_providers_refused(kind: str, identifier: str, changes: dict[str, Any], text: str):
    given = {**(OAUTH2 if kind == "oauth2" else OIDC), **changes}
    with pytest.raises(ApiError) as caught:
        check_new(kind, identifier, given, NONE)
    assert caught.value.problem.message == text


@pytest.mark.parametrize(
    ("identifier", "changes", "text"),
    [
        ("custom:a", {"name": "n" * 101}, "name must have at most 100 characters"),
        ("custom:a", {"issuer": "x" * 2_049}, "issuer must have at most 2048 characters"),
        ("custom:a-", {}, "identifier must be 'custom:' and lower-case letters, digits or hyphens"),
        ("custom:A", {}, "identifier must be 'custom:' and lower-case letters, digits or hyphens"),
    ],
)
def test_what_its_columns_do_not_take_is_refused(
    identifier: str, changes: dict[str, Any], text: str
):
    with pytest.raises(ApiError) as caught:
        check_columns(identifier, {**OIDC, **changes})
    assert caught.value.problem.message == text


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://acme.es", "URL must use HTTPS"),
        ("acme.es", "URL must use HTTPS"),
        ("https://[x", "Invalid URL format"),
        ("https://", "URL must have a valid hostname"),
        ("https://localhost/x", "URL cannot point to localhost or loopback addresses"),
        ("https://a.localhost", "URL cannot point to localhost or loopback addresses"),
        ("https://127.0.0.2", "URL cannot resolve to loopback addresses"),
        ("https://10.1.2.3", "URL cannot resolve to private network addresses"),
        ("https://169.254.169.254", "URL cannot resolve to link-local addresses"),
        ("https://u@acme.es", "Invalid URL format"),
        ("https://acme.es:99999", "Invalid URL format"),
        ("https:///", "URL must have a valid hostname"),
        ("https://localhost.", "URL cannot point to localhost or loopback addresses"),
        ("https://LOCALHOST", "URL cannot point to localhost or loopback addresses"),
        ("https://ｌocalhost", "URL cannot point to localhost or loopback addresses"),
        ("https://2130706433", "URL cannot point to localhost or loopback addresses"),
        ("https://127.1", "URL cannot point to localhost or loopback addresses"),
        ("https://0x7f000001", "URL cannot point to localhost or loopback addresses"),
        ("https://017700000001", "URL cannot point to localhost or loopback addresses"),
        ("https://①②⑦.0.0.1", "URL cannot point to localhost or loopback addresses"),
        ("https://[::ffff:127.0.0.1]", "URL cannot resolve to loopback addresses"),
        ("https://[::ffff:10.0.0.1]", "URL cannot resolve to private network addresses"),
        ("https://100.64.0.1", "URL cannot resolve to private network addresses"),
        ("https://[fd00::1]", "URL cannot resolve to private network addresses"),
        ("https://255.255.255.255", "URL cannot resolve to reserved addresses"),
        ("https://239.1.1.1", "URL cannot resolve to multicast addresses"),
    ],
)
def test_addresses_refused(url: str, text: str):
    with pytest.raises(ApiError) as caught:
        check_urls("oidc", {"issuer": url}, NONE)
    assert caught.value.problem.message == text


def test_lists_are_of_a_kind_that_there_is():
    with pytest.raises(ApiError, match="type must be either 'oauth2' or 'oidc'"):
        check_kind("x", "type")


def test_a_provider_keeps_the_members_of_its_kind():
    members = {"name": "a", "issuer": "i", "token_url": "t", "scopes": ["email"]}
    assert of_kind("oidc", members) == {"name": "a", "issuer": "i", "scopes": ["openid", "email"]}
    assert of_kind("oauth2", members) == {"name": "a", "token_url": "t", "scopes": ["email"]}


def test_addresses_that_a_setting_permits_pass():
    known, _ = permitted(("localhost", "10.0.0.0/8"))
    for url in ("https://localhost:9/x", "https://10.1.2.3"):
        check_urls("oidc", {"issuer": url}, known)
    with pytest.raises(ApiError, match="loopback"):
        check_urls("oidc", {"issuer": "https://127.0.0.1"}, known)


@pytest.mark.parametrize("identifier", ["custom:-a", "custom:a:b", "custom:a--b", "custom:1"])
def test_an_identifier_is_what_its_column_takes(identifier: str):
    check_columns(identifier, OAUTH2)


def test_a_provider_without_id_tokens_has_no_nonce_to_skip():
    assert of_kind("oauth2", {"skip_nonce_check": True}) == {}
    assert of_kind("oidc", {"skip_nonce_check": True}) == {"skip_nonce_check": True}
