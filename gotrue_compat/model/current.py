"""The user and session of a token; records are made on demand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from gotrue_compat.model.rows import object_column
from gotrue_compat.model.session import Session
from gotrue_compat.model.user import Identity, User


@dataclass(frozen=True)
class CurrentUser:
    """The user of a token and the session it names: a row of `find_current`."""

    row: Any

    @cached_property
    def user(self) -> User:
        """The user's record."""
        return User.from_row(self.row)

    @cached_property
    def session(self) -> Session | None:
        """The session's record; None where the token names none that the user has."""
        session_row = self.row["session_row"]
        if session_row is None:
            return None
        return Session.from_row({**session_row, "amr_rows": self.row["amr_rows"]})

    @property
    def has_session(self) -> bool:
        """Whether the session that the token names is there."""
        return self.row["session_row"] is not None

    @property
    def is_client(self) -> bool:
        """Whether an OAuth client holds the session, by its user's consent."""
        session_row = self.row["session_row"]
        return session_row is not None and session_row["oauth_client_id"] is not None

    # ── what claims need of the user, without a record ──────────────────────────────────────

    @property
    def id(self) -> UUID:
        """The user's id."""
        return self.row["id"]

    @property
    def aud(self) -> str:
        """The user's audience."""
        return self.row["aud"] or ""

    @property
    def role(self) -> str:
        """The user's role."""
        return self.row["role"] or ""

    @property
    def email(self) -> str:
        """The user's address."""
        return self.row["email"] or ""

    @property
    def phone(self) -> str:
        """The user's number."""
        return self.row["phone"] or ""

    @property
    def raw_app_meta_data(self) -> Mapping[str, Any]:
        """The application metadata."""
        return object_column(self.row["raw_app_meta_data"])

    @property
    def raw_user_meta_data(self) -> Mapping[str, Any]:
        """The user metadata."""
        return object_column(self.row["raw_user_meta_data"])

    @property
    def is_anonymous(self) -> bool:
        """Whether the user has no address, number or identity."""
        return self.row["is_anonymous"]

    @property
    def has_verified_factor(self) -> bool:
        """Whether the user can reach aal2."""
        return any(factor["status"] == "verified" for factor in self.row["factor_rows"])

    @property
    def identities(self) -> tuple[Identity, ...]:
        """The ways the user is known to providers."""
        return self.user.identities

    def is_banned(self, now: datetime) -> bool:
        """Whether the user's ban still runs."""
        until = self.row["banned_until"]
        return until is not None and now < until


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What a code was exchanged for: whose session, by which method, the provider's tokens."""

    owner: CurrentUser
    method: str
    provider_token: str
    provider_refresh_token: str
