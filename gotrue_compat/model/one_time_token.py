"""What a mail, a message or a redirect may be exchanged for (auth reference 4, 15.2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

from gotrue_compat.model.rows import record_from


class TokenKind(Enum):
    """The kinds of one-time tokens: at most one of a kind per user."""

    CONFIRMATION = "confirmation_token"
    REAUTHENTICATION = "reauthentication_token"
    RECOVERY = "recovery_token"
    EMAIL_CHANGE_NEW = "email_change_token_new"
    EMAIL_CHANGE_CURRENT = "email_change_token_current"
    PHONE_CHANGE = "phone_change_token"


@dataclass(frozen=True, slots=True)
class OneTimeToken:
    """A stored hash and what it is for."""

    user_id: UUID
    token_type: str
    token_hash: str
    relates_to: str

    @classmethod
    def from_row(cls, row: Any) -> OneTimeToken:
        """Read a row of auth.one_time_tokens."""
        return record_from(cls, row)


@dataclass(frozen=True, slots=True)
class FlowState:
    """A PKCE or OAuth sign-in under way."""

    id: UUID
    user_id: UUID | None
    auth_code: str | None
    code_challenge_method: str | None
    code_challenge: str | None
    provider_type: str
    provider_access_token: str | None
    provider_refresh_token: str | None
    created_at: datetime
    updated_at: datetime
    authentication_method: str
    auth_code_issued_at: datetime | None
    invite_token: str | None
    referrer: str | None
    oauth_client_state_id: UUID | None
    linking_target_id: UUID | None
    email_optional: bool

    @classmethod
    def from_row(cls, row: Any) -> FlowState:
        """Read a row of auth.flow_state."""
        return record_from(cls, row)

    @property
    def is_pkce(self) -> bool:
        """Whether the client will exchange a code instead of reading a fragment."""
        return bool(self.code_challenge)


@dataclass(frozen=True, slots=True)
class Challenge:
    """A second factor's challenge."""

    id: UUID
    factor_id: UUID
    created_at: datetime
    verified_at: datetime | None
    ip_address: Any
    otp_code: str | None
    web_authn_session_data: dict[str, Any] | None

    @classmethod
    def from_row(cls, row: Any) -> Challenge:
        """Read a row of auth.mfa_challenges."""
        return record_from(cls, row)
