"""Users, their identities and their second factors (auth reference 2.1 to 2.3, 15.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from gotrue_compat.model.rows import object_column, record_from


@dataclass(frozen=True, slots=True)
class Identity:
    """One way a user is known to a provider; `id` is the row's, `provider_id` the provider's."""

    id: UUID
    provider_id: str
    user_id: UUID
    identity_data: Mapping[str, Any]
    provider: str
    last_sign_in_at: datetime | None
    created_at: datetime | None
    updated_at: datetime | None
    email: str | None

    @classmethod
    def from_row(cls, row: Any) -> Identity:
        """Read a row of auth.identities."""
        return record_from(cls, row, identity_data=object_column(row["identity_data"]))


@dataclass(frozen=True, slots=True)
class Factor:
    """One second factor; `secret` is a TOTP secret, maybe encrypted."""

    id: UUID
    user_id: UUID
    friendly_name: str | None
    factor_type: str
    status: str
    created_at: datetime
    updated_at: datetime
    secret: str | None
    phone: str | None
    last_challenged_at: datetime | None
    web_authn_credential: dict[str, Any] | None
    web_authn_aaguid: UUID | None
    last_webauthn_challenge_data: dict[str, Any] | None

    @classmethod
    def from_row(cls, row: Any) -> Factor:
        """Read a row of auth.mfa_factors."""
        return record_from(cls, row)

    @property
    def is_verified(self) -> bool:
        """Whether the factor counts."""
        return self.status == "verified"


@dataclass(frozen=True, slots=True)
class User:
    """A user with identities and factors; text that is NULL in the row is "" here."""

    id: UUID
    aud: str
    role: str
    email: str
    encrypted_password: str
    email_confirmed_at: datetime | None
    invited_at: datetime | None
    confirmation_token: str
    confirmation_sent_at: datetime | None
    recovery_token: str
    recovery_sent_at: datetime | None
    email_change_token_new: str
    email_change: str
    email_change_sent_at: datetime | None
    last_sign_in_at: datetime | None
    raw_app_meta_data: Mapping[str, Any]
    raw_user_meta_data: Mapping[str, Any]
    created_at: datetime | None
    updated_at: datetime | None
    phone: str
    phone_confirmed_at: datetime | None
    phone_change: str
    phone_change_token: str
    phone_change_sent_at: datetime | None
    confirmed_at: datetime | None
    email_change_token_current: str
    email_change_confirm_status: int
    banned_until: datetime | None
    reauthentication_token: str
    reauthentication_sent_at: datetime | None
    is_sso_user: bool
    deleted_at: datetime | None
    is_anonymous: bool
    identities: tuple[Identity, ...] = ()
    factors: tuple[Factor, ...] = ()

    @classmethod
    def from_row(cls, row: Any) -> User:
        """Read a row of auth.users with its `identity_rows` and `factor_rows`."""
        return record_from(
            cls,
            row,
            **{name: row[name] or "" for name in _TEXTS},
            raw_app_meta_data=object_column(row["raw_app_meta_data"]),
            raw_user_meta_data=object_column(row["raw_user_meta_data"]),
            email_change_confirm_status=row["email_change_confirm_status"] or 0,
            identities=tuple(map(Identity.from_row, row["identity_rows"])),
            factors=tuple(map(Factor.from_row, row["factor_rows"])),
        )

    @property
    def is_confirmed(self) -> bool:
        """Whether the e-mail address is confirmed."""
        return self.email_confirmed_at is not None

    @property
    def is_phone_confirmed(self) -> bool:
        """Whether the phone number is confirmed."""
        return self.phone_confirmed_at is not None

    @property
    def has_password(self) -> bool:
        """Whether a password is set: "" and NULL mean none."""
        return self.encrypted_password != ""

    @property
    def has_verified_factor(self) -> bool:
        """Whether the user can reach aal2."""
        return any(factor.is_verified for factor in self.factors)

    def is_banned(self, now: datetime) -> bool:
        """Whether the ban still runs."""
        return self.banned_until is not None and now < self.banned_until

    def identity_of(self, provider: str) -> Identity | None:
        """The user's identity with a provider whose id is the user's own (email, phone)."""
        for identity in self.identities:
            if identity.provider == provider and identity.provider_id == str(self.id):
                return identity
        return None


_TEXTS = (
    "aud", "role", "email", "encrypted_password", "confirmation_token", "recovery_token",
    "email_change_token_new", "email_change", "phone", "phone_change", "phone_change_token",
    "email_change_token_current", "reauthentication_token",
)  # fmt: skip
