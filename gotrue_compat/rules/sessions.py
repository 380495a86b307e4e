"""Limits of sessions, checked when they are refreshed (auth reference 5.8)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from compat_base.values.errors import Row
from gotrue_compat import errors
from gotrue_compat.model.session import Session
from gotrue_compat.model.user import User
from gotrue_compat.rules.claims import aal_of
from gotrue_compat.settings.access import SessionSettings


def expired(
    session: Session,
    user: User,
    settings: SessionSettings,
    now: datetime,
    token_updated_at: datetime | None = None,
) -> Row | None:
    """The answer's row where the session may not go on, else None."""
    if session.not_after is not None and now > session.not_after:
        return errors.SESSION_EXPIRED
    if settings.timebox is not None and now > session.created_at + _seconds(settings.timebox):
        return errors.SESSION_EXPIRED
    if settings.inactivity is not None:
        last = session.last_refreshed(token_updated_at)
        if now > last + _seconds(settings.inactivity):
            return errors.SESSION_INACTIVE
    if settings.low_aal is not None and user.has_verified_factor:
        is_low = aal_of(session.amr) == "aal1"
        if is_low and now > session.created_at + _seconds(settings.low_aal):
            return errors.SESSION_LOW_AAL
    return None


def earliest(limit: float | None, now: datetime) -> datetime | None:
    """Since when a session must have been opened or used to go on by a limit in seconds."""
    return None if limit is None else now - _seconds(limit)


def is_replaced(
    session: Session, last_used: datetime, others: Iterable[Session], tags: tuple[str, ...]
) -> bool:
    """Whether another of the user's valid sessions, of the same tag, was used later."""
    return any(
        other.id != session.id
        and tag_of(other.tag, tags) == tag_of(session.tag, tags)
        and other.last_refreshed(None) > last_used
        for other in others
    )


def client_problem(session: Session, client_id: UUID | None) -> str | None:
    """Why an OAuth client, or none, may not refresh a session; None where it may."""
    if session.oauth_client_id == client_id:
        return None
    if client_id is None:
        return "Client authentication required for OAuth session"
    if session.oauth_client_id is None:
        return "Client authentication not allowed for non-OAuth session"
    return "Client does not match the session's OAuth client"


def tag_of(tag: str | None, known: tuple[str, ...]) -> str:
    """A session's tag, where it is one of the known; the first known for others."""
    if not known:
        return ""
    return tag if tag in known else known[0]


def _seconds(count: float) -> timedelta:
    return timedelta(seconds=count)
