"""Request bodies and queries of grants and sign-out: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from gotrue_compat.http.go_struct import go_struct
from gotrue_compat.http.incoming import Incoming

_PASSWORD = go_struct("PasswordGrantParams", "email phone password")
_REFRESH = go_struct("RefreshTokenGrantParams", "refresh_token")
_PKCE = go_struct("PKCEGrantParams", "auth_code code_verifier")


@dataclass(frozen=True, slots=True)
class CodeExchange:
    """What a client sends."""

    auth_code: str = ""
    code_verifier: str = ""


@dataclass(frozen=True, slots=True)
class RefreshRequest:
    """What a client sends; `client_id` where an OAuth client authenticated itself."""

    refresh_token: str
    client_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class PasswordSignIn:
    """What a client sends."""

    email: str = ""
    phone: str = ""
    password: str = ""


def password(incoming: Incoming) -> PasswordSignIn:
    """POST /token?grant_type=password."""
    body = incoming.json_of(_PASSWORD)
    return PasswordSignIn(body.text("email"), body.text("phone"), body.text("password"))


def refresh(incoming: Incoming) -> RefreshRequest:
    """POST /token?grant_type=refresh_token."""
    return RefreshRequest(incoming.json_of(_REFRESH).text("refresh_token"))


def pkce(incoming: Incoming) -> CodeExchange:
    """POST /token?grant_type=pkce."""
    body = incoming.json_of(_PKCE)
    return CodeExchange(body.text("auth_code"), body.text("code_verifier"))


def logout_scope(incoming: Incoming) -> str:
    """POST /logout."""
    return incoming.query.get("scope") or "global"
