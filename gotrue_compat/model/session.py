"""Sessions, the methods that opened them, and refresh tokens (auth reference 5, 15.2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from gotrue_compat.model.rows import record_from


@dataclass(frozen=True, slots=True)
class AmrClaim:
    """One method a session was authenticated by, and when last."""

    method: str
    at: datetime

    @classmethod
    def from_row(cls, row: Any) -> AmrClaim:
        """Read a row of auth.mfa_amr_claims."""
        return cls(row["authentication_method"], row["updated_at"])


@dataclass(frozen=True, slots=True)
class Session:
    """One signed-in client; `refreshed_at` is stored without zone and is UTC."""

    id: UUID
    user_id: UUID
    created_at: datetime
    updated_at: datetime
    factor_id: UUID | None
    aal: str
    not_after: datetime | None
    refreshed_at: datetime | None
    user_agent: str | None
    ip: Any
    tag: str | None
    oauth_client_id: UUID | None
    refresh_token_hmac_key: str | None
    refresh_token_counter: int | None
    scopes: str | None
    amr: tuple[AmrClaim, ...] = ()

    @classmethod
    def from_row(cls, row: Any) -> Session:
        """Read a row of auth.sessions with its `amr_rows`."""
        refreshed = row["refreshed_at"]
        return record_from(
            cls,
            row,
            aal=row["aal"] or "aal1",
            refreshed_at=refreshed.replace(tzinfo=UTC) if refreshed else None,
            amr=tuple(map(AmrClaim.from_row, row["amr_rows"])),
        )

    def last_refreshed(self, token_updated_at: datetime | None) -> datetime:
        """When the session was last used: its refresh, else the token's change or its own start."""
        if self.refreshed_at is not None:
            return self.refreshed_at
        return max(token_updated_at or self.created_at, self.created_at)


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A version-1 refresh token; `parent` is the token it replaced."""

    id: int
    token: str
    user_id: str
    revoked: bool
    created_at: datetime | None
    updated_at: datetime | None
    parent: str | None
    session_id: UUID | None

    @classmethod
    def from_row(cls, row: Any) -> RefreshToken:
        """Read a row of auth.refresh_tokens."""
        return record_from(cls, row, revoked=bool(row["revoked"]))


@dataclass(frozen=True, slots=True)
class SessionUse:
    """Who used a session just now, and whether that refreshed it."""

    now: datetime
    user_agent: str | None
    ip: str | None
    is_refresh: bool = True


@dataclass(frozen=True, slots=True)
class Rotation:
    """A version-1 token to be exchanged for a child, if it is active and its session may go on.

    `client_id` names the session's OAuth client. Where `opened_since` or `used_since` is set, the
    session must have been opened or used since then. `notes`: id and time of the audit entries of
    the refresh and of the revocation; none where the audit log is off.
    """

    token: str
    child: str
    use: SessionUse
    client_id: UUID | None
    opened_since: datetime | None
    used_since: datetime | None
    notes: tuple[tuple[UUID, datetime], ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A code to be exchanged for a new session, if its flow's S256 challenge is this one.

    The flow must have begun, or its magic link been followed, between `since` and `until`.
    `claim_id` is the id of the row of the session's method; `notes`: id and time of the audit
    entry, none where the audit log is off.
    """

    code: str
    challenge: str
    since: datetime
    until: datetime
    use: SessionUse
    session_id: UUID
    claim_id: UUID
    token: str
    notes: tuple[tuple[UUID, datetime], ...]
