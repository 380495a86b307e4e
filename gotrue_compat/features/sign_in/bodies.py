"""Request bodies and queries of grants and sign-out: records, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from gotrue_compat.http.incoming import Incoming


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
    body = incoming.json_beside_form
    return PasswordSignIn(body.text("email"), body.text("phone"), body.text("password"))


def refresh(incoming: Incoming) -> RefreshRequest:
    """POST /token?grant_type=refresh_token."""
    return RefreshRequest(incoming.json_beside_form.text("refresh_token"))


def pkce(incoming: Incoming) -> CodeExchange:
    """POST /token?grant_type=pkce."""
    body = incoming.json_beside_form
    return CodeExchange(body.text("auth_code"), body.text("code_verifier"))


def logout_scope(incoming: Incoming) -> str:
    """POST /logout."""
    return incoming.query.get("scope") or "global"
