"""Validation of a custom provider, in the original's order.

Source: auth reference 9.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from compat_base.values.errors import ApiError
from compat_base.values.networks import Permitted, kind_of
from compat_base.values.urls import parse_url
from gotrue_compat.features.custom_providers import errors as custom_providers_errors

PREFIX = "custom:"
_IDENTIFIER = re.compile(r"custom:[a-z0-9:-]*[a-z0-9]")  # what its column takes
_LONGEST_IDENTIFIER = 50
_URLS = {
    "oauth2": ("authorization_url", "token_url", "userinfo_url", "jwks_uri"),
    "oidc": ("issuer", "discovery_url"),
}
_LONGEST = {  # characters, as the table's columns
    "name": 100,
    "client_id": 512,
    **{name: 2_048 for names in _URLS.values() for name in names},
}
_NEEDED = {
    "oauth2": ("OAuth2", ("authorization_url", "token_url", "userinfo_url")),
    "oidc": ("OIDC", ("issuer",)),
}
_OURS = frozenset(
    {
        "client_id", "client_secret", "redirect_uri", "response_type", "state", "code_challenge",
        "code_challenge_method", "code_verifier", "nonce",
    }
)  # fmt: skip
_PROTECTED = frozenset(
    {
        "id", "aud", "role", "app_metadata", "created_at", "updated_at", "confirmed_at",
        "email_confirmed_at", "phone_confirmed_at", "email_verified", "phone_verified",
        "banned_until", "is_super_admin",
    }
)  # fmt: skip
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]"})  # noqa: S104 — refused


def check_kind(kind: str, member: str) -> None:
    """Refuse an unknown kind of provider."""
    if kind not in _URLS:
        raise invalid(f"{member} must be either 'oauth2' or 'oidc'")


def check_new(
    kind: str, identifier: str, given: Mapping[str, Any], permitted: Permitted
) -> None:  # fmt: skip
    """Refuse a provider with missing or forbidden members."""
    check_kind(kind, "provider_type")
    if not identifier:
        raise invalid("identifier is required")
    check_identifier(identifier)
    for name in ("name", "client_id", "client_secret"):
        if not given.get(name):
            raise invalid(f"{name} is required")
    protocol, needed = _NEEDED[kind]
    for name in needed:
        if not given.get(name):
            raise invalid(f"{name} is required for {protocol} providers")
    check_members(given)
    check_urls(kind, given, permitted)


def check_columns(identifier: str, given: Mapping[str, Any]) -> None:
    """Refuse a new provider that the table's columns do not take, after a known identifier."""
    check_lengths(given)
    if len(identifier) > _LONGEST_IDENTIFIER or not _IDENTIFIER.fullmatch(identifier):
        raise invalid("identifier must be 'custom:' and lower-case letters, digits or hyphens")


def check_identifier(identifier: str) -> None:
    """Refuse a malformed identifier."""
    if not identifier.startswith(PREFIX):
        text = f"identifier must start with 'custom:' prefix, e.g. 'custom:{identifier}'"
        raise invalid(text)


def check_members(given: Mapping[str, Any]) -> None:
    """Refuse members that would override the flow or the user's own columns."""
    parameters: Mapping[str, Any] = given.get("authorization_params") or {}
    for name, value in parameters.items():
        if name in _OURS:
            raise invalid(f"Cannot override reserved OAuth parameter: {name}")
        if not isinstance(value, str):
            raise invalid(f'Authorization parameter "{name}" must be a string')
    mapping: Mapping[str, Any] = given.get("attribute_mapping") or {}
    for target in mapping:
        if target in _PROTECTED:
            raise invalid(f"Cannot map to protected system field: {target}")
    if not all(key.strip() for key in given.get("custom_claims_allowlist") or ()):
        raise invalid("custom_claims_allowlist entries must be non-empty strings")


def check_urls(kind: str, given: Mapping[str, Any], permitted: Permitted) -> None:
    """Refuse addresses that are not public HTTPS.

    Names are resolved when they are called, not here.
    """
    for name in _URLS[kind]:
        if given.get(name):
            _check_url(str(given[name]), permitted)


def check_lengths(given: Mapping[str, Any]) -> None:
    """Refuse texts that the table's columns do not take; the original fails there with 500."""
    for name, longest in _LONGEST.items():
        if len(given.get(name) or "") > longest:
            raise invalid(f"{name} must have at most {longest} characters")


def of_kind(kind: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that a provider of this kind has; OpenID Connect always asks for `openid`."""
    foreign = {name for other, names in _URLS.items() if other != kind for name in names}
    foreign |= set() if kind == "oidc" else {"skip_nonce_check"}  # no id token, no nonce
    kept = {name: value for name, value in members.items() if name not in foreign}
    scopes = kept.get("scopes")
    if kind == "oidc" and scopes is not None and "openid" not in scopes:
        kept["scopes"] = ["openid", *scopes]
    return kept


def invalid(text: str) -> ApiError:
    """A validation error."""
    return ApiError.of(custom_providers_errors.CUSTOM_PROVIDER_INVALID, text=text)


def _check_url(text: str, permitted: Permitted) -> None:
    url = parse_url(text)
    if url is None:
        raise invalid(_unreadable(text))
    if url.scheme != "https":
        raise invalid("URL must use HTTPS")
    if url.has_user:
        raise invalid("Invalid URL format")
    host, address = url.host.rstrip("."), url.address
    if permitted.has_host(url.host) or (address is not None and permitted.has_address(address)):
        return
    if host in _LOCAL or host.endswith(".localhost"):
        raise invalid("URL cannot point to localhost or loopback addresses")
    if address is not None:
        raise invalid(f"URL cannot resolve to {kind_of(address)} addresses")


def _unreadable(text: str) -> str:
    """The original's text for an address that browsers refuse."""
    scheme, colon, rest = text.partition(":")
    if not colon or "/" in scheme:
        return "URL must use HTTPS"
    is_empty = scheme.lower() == "https" and not rest.strip("/\\")
    return "URL must have a valid hostname" if is_empty else "Invalid URL format"
