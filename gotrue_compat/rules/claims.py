"""Claims of access tokens (auth reference 5.10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from gotrue_compat.model.current import CurrentUser
from gotrue_compat.model.session import AmrClaim, Session
from gotrue_compat.model.user import User
from gotrue_compat.settings.access import SessionSettings
from gotrue_compat.settings.keys import JwtSettings

SECOND_FACTORS = frozenset({"totp", "mfa/phone", "mfa/webauthn"})
AMR_OF_FACTOR = {"totp": "totp", "phone": "mfa/phone", "webauthn": "mfa/webauthn"}


@dataclass(frozen=True, slots=True)
class Issue:
    """The facts of one token issue: who, in which session, when, for which OAuth client."""

    user: User | CurrentUser
    session: Session
    now: datetime


def aal_of(amr: Iterable[AmrClaim]) -> str:
    """aal2 with any second factor among the session's methods, else aal1."""
    return "aal2" if any(claim.method in SECOND_FACTORS for claim in amr) else "aal1"


def amr_entries(user: User | CurrentUser, session: Session) -> list[dict[str, Any]]:
    """The methods, newest first; SSO methods name the provider of a user's only identity."""
    only = user.identities[0].provider if len(user.identities) == 1 else ""
    provider = only.removeprefix("sso:") if only.startswith("sso:") else ""
    entries: list[dict[str, Any]] = []
    for claim in sorted(session.amr, key=lambda claim: claim.at, reverse=True):
        entry: dict[str, Any] = {"method": claim.method, "timestamp": int(claim.at.timestamp())}
        if claim.method == "sso/saml" and provider:
            entry["provider"] = provider
        entries.append(entry)
    return entries


def expiry_of(issue: Issue, settings: JwtSettings, sessions: SessionSettings) -> datetime:
    """When the token ends: at most the grace time for a user who has not given a second factor."""
    expiry = issue.now + timedelta(seconds=settings.expiry)
    lacks_second_factor = issue.user.has_verified_factor and aal_of(issue.session.amr) == "aal1"
    if sessions.low_aal is None or not lacks_second_factor:
        return expiry
    return min(expiry, issue.session.created_at + timedelta(seconds=sessions.low_aal))


def access_claims(issue: Issue, settings: JwtSettings, sessions: SessionSettings) -> dict[str, Any]:
    """The claims in the order of the original."""
    user, session = issue.user, issue.session
    claims: dict[str, Any] = {"iss": settings.issuer} if settings.issuer else {}
    claims |= {
        "sub": str(user.id),
        "aud": user.aud,
        "exp": int(expiry_of(issue, settings, sessions).timestamp()),
        "iat": int(issue.now.timestamp()),
        "email": user.email,
        "phone": user.phone,
        "app_metadata": user.raw_app_meta_data,
        "user_metadata": user.raw_user_meta_data,
        "role": user.role,
        "aal": aal_of(session.amr),
        "amr": amr_entries(user, session),
        "session_id": str(session.id),
        "is_anonymous": user.is_anonymous,
    }
    if session.oauth_client_id:
        claims |= {"client_id": str(session.oauth_client_id), "scope": session.scopes or ""}
    return claims


def audience_of(claims: Mapping[str, Any]) -> str:
    """The audience of a token, which may be a text or a list of them."""
    aud = claims.get("aud")
    if isinstance(aud, list) and aud:
        return str(aud[0])  # pyright: ignore[reportUnknownArgumentType] — a decoded claim
    return aud if isinstance(aud, str) else ""
