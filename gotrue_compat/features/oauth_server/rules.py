"""Rules of the OAuth 2.1 server: clients, redirect addresses, scopes (auth reference 11)."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from compat_base.values.urls import ACTIVE_SCHEMES, parse_url
from gotrue_compat.model.federation import OAuthClient
from gotrue_compat.model.user import User
from gotrue_compat.urls.redirects import followed

SCOPES = ("openid", "profile", "email", "phone", "offline_access")
GRANTS = ("authorization_code", "refresh_token")
METHODS = ("none", "client_secret_basic", "client_secret_post")
_METHODS_OF = {"public": METHODS[:1], "confidential": METHODS[1:]}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_MOST_REDIRECTS, _LONGEST_NAME, _LONGEST_URI = 10, 1024, 2048


def redirects_problem(uris: Sequence[str] | None) -> str:
    """What is wrong with a client's redirect addresses, "" for nothing."""
    if not uris:
        return "redirect_uris is required" if uris is None else "redirect_uris cannot be empty"
    if len(uris) > _MOST_REDIRECTS:
        return "redirect_uris cannot exceed 10 items"
    for uri in uris:
        problem = _redirect_problem(uri)
        if problem:
            return f"invalid redirect_uri '{uri}': {problem}"
    return ""


def _redirect_problem(uri: str) -> str:
    if not uri:
        return "redirect URI cannot be empty"
    url = parse_url(uri)
    if url is None:
        return "invalid URL format" if uri.partition("://")[2] else "must have scheme and host"
    if not url.host or "://" not in uri:
        return "must have scheme and host"
    if url.scheme in ACTIVE_SCHEMES:
        return f"scheme '{url.scheme}' is not allowed for security reasons"
    if followed(uri) is None or "," in uri:  # the column stores a list separated by commas
        return "invalid URL format"
    if url.scheme == "http" and url.host not in _LOOPBACK:
        return "HTTP scheme only allowed for localhost"
    return "fragment not allowed in redirect URI" if url.fragment else ""


def grants_problem(grants: Sequence[str]) -> str:
    """What is wrong with a client's grant types, "" for nothing."""
    if not grants:
        return "grant_types cannot be empty"
    if any(grant not in GRANTS for grant in grants):
        return "grant_types must only contain 'authorization_code' and/or 'refresh_token'"
    return ""


def texts_problem(name: str, uri: str, logo: str) -> str:
    """What is wrong with what a client says of itself, "" for nothing."""
    if len(name) > _LONGEST_NAME:
        return "client_name cannot exceed 1024 characters"
    for key, value in (("client_uri", uri), ("logo_uri", logo)):
        if len(value) > _LONGEST_URI:
            return f"{key} cannot exceed 2048 characters"
        url = parse_url(value)
        is_active = url is not None and url.scheme in ACTIVE_SCHEMES
        if value and (is_active or (url is None and not value.startswith("/"))):
            return f"{key} must be a valid URL"
    return ""


def client_kind(kind: str, method: str) -> tuple[str, str, str]:
    """A new client's type, how it authenticates, and what is wrong with the two."""
    if kind not in {"", *_METHODS_OF}:
        return "", "", "client_type must be 'public' or 'confidential'"
    if method and method not in METHODS:
        return "", "", f"token_endpoint_auth_method must be one of: [{' '.join(METHODS)}]"
    inferred = "public" if method == "none" else "confidential"
    if kind and method and kind != inferred:
        text = f"client_type '{kind}' is inconsistent with token_endpoint_auth_method '{method}'"
        return "", "", f"{text} (expected client_type '{inferred}')"
    kind = kind or inferred
    return kind, method or _METHODS_OF[kind][0], ""


def method_problem(kind: str, method: str) -> str:
    """What is wrong with a new way to authenticate of a client of a type, "" for nothing."""
    if method not in METHODS:
        return f"invalid token_endpoint_auth_method: must be one of [{' '.join(METHODS)}]"
    valid = _METHODS_OF[kind]
    if method in valid:
        return ""
    text = f"token_endpoint_auth_method '{method}' is not valid for client_type '{kind}'"
    return f"{text}; valid methods: [{' '.join(valid)}]"


def proof_problem(client: OAuthClient, method: str, secret: str) -> str:
    """Why client authentication failed, "" where it succeeded."""
    registered = client.token_endpoint_auth_method
    if method != registered:
        text = f"invalid authentication method: client is registered for '{registered}'"
        return f"{text} but '{method}' was used"
    if client.client_type == "public":
        return "public clients must not provide client_secret" if secret else ""
    if not secret:
        return "confidential clients must provide client_secret"
    return "" if is_secret(secret, client.client_secret_hash) else "invalid client credentials"


def scopes_problem(scope: str) -> str:
    """What is wrong with requested scopes, "" for nothing."""
    if not scope:
        return "scope parameter is required"
    for name in scope.split():
        if name not in SCOPES:
            return f"unsupported scope: {name}"
    return "" if scope.split() else "scope parameter cannot be empty"


def challenge_problem(challenge: str, method: str) -> str:
    """What is wrong with a request's code challenge, "" for nothing."""
    if not challenge or not method:
        return "PKCE flow requires both code_challenge and code_challenge_method"
    if method.lower() not in {"s256", "plain"}:
        return "code_challenge_method must be 'S256' or 'plain'"
    if not 43 <= len(challenge) <= 128:  # noqa: PLR2004 — RFC 7636, section 4.2
        return "code_challenge must be between 43 and 128 characters"
    return ""


def resource_problem(resource: str) -> str:
    """What is wrong with a resource indicator (RFC 8707), "" for nothing."""
    if not resource:
        return ""
    url = parse_url(resource)
    if url is None:
        return "resource must be an absolute URI"
    if url.fragment:
        return "resource must not include a fragment component"
    return "resource must not include a query component" if url.query else ""


def covers(allowed: str, requested: str) -> bool:
    """Whether all requested scopes are allowed."""
    return set(requested.split()) <= set(allowed.split())


def secret_hash(secret: str) -> str:
    """A client's secret as stored."""
    digest = hashlib.sha256(secret.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def is_secret(secret: str, stored: str | None) -> bool:
    """Whether a secret is the stored one."""
    return hmac.compare_digest(secret_hash(secret).encode(), (stored or "").encode())


def user_claims(user: User, scope: str) -> dict[str, object]:
    """The userinfo claims by the scopes (OIDC Core 5.3), empty values left out."""
    requested = set(scope.split())
    claims: dict[str, object] = {"sub": str(user.id)}
    if "email" in requested:
        claims |= {"email": user.email, "email_verified": user.is_confirmed}
    if "profile" in requested:
        claims |= {**_profile(user), "user_metadata": user.raw_user_meta_data}
    if "phone" in requested:
        claims |= {"phone": user.phone, "phone_verified": user.is_phone_confirmed}
    return {name: value for name, value in claims.items() if value or name == "user_metadata"}


def id_token_claims(user: User, scope: str) -> dict[str, object]:
    """The id token's claims by its scopes; verified flags are always present."""
    requested = set(scope.split())
    by_email, by_phone = "email" in requested, "phone" in requested
    claims: dict[str, object] = {
        "sub": str(user.id),
        "email": user.email if by_email else "",
        "email_verified": by_email and user.is_confirmed,
        "phone_number": user.phone if by_phone else "",
        "phone_number_verified": by_phone and user.is_phone_confirmed,
        **(_profile(user) if "profile" in requested else {}),
    }
    return {name: value for name, value in claims.items() if value or name.endswith("_verified")}


def _profile(user: User) -> dict[str, object]:
    data = user.raw_user_meta_data
    return {
        "name": _text(data, "name") or user.email,
        "picture": _text(data, "picture") or _text(data, "avatar_url"),
        "preferred_username": _text(data, "preferred_username") or _text(data, "username"),
        "updated_at": int(user.updated_at.timestamp()) if user.updated_at else 0,
    }


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""
