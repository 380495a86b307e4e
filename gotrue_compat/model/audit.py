"""Audit actions and entries (auth reference 15.4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

from gotrue_compat.model.rows import record_from


class Action(Enum):
    """What happened: the entry's action and its log_type."""

    LOGIN = ("login", "account")
    LOGOUT = ("logout", "account")
    INVITE_ACCEPTED = ("invite_accepted", "account")
    USER_SIGNED_UP = ("user_signedup", "team")
    USER_INVITED = ("user_invited", "team")
    USER_DELETED = ("user_deleted", "team")
    TOKEN_REVOKED = ("token_revoked", "token")
    TOKEN_REFRESHED = ("token_refreshed", "token")
    USER_MODIFIED = ("user_modified", "user")
    RECOVERY_REQUESTED = ("user_recovery_requested", "user")
    REAUTHENTICATION_REQUESTED = ("user_reauthenticate_requested", "user")
    CONFIRMATION_REQUESTED = ("user_confirmation_requested", "user")
    REPEATED_SIGNUP = ("user_repeated_signup", "user")
    PASSWORD_UPDATED = ("user_updated_password", "user")
    IDENTITY_LINKED = ("identity_linked", "user")
    IDENTITY_UNLINKED = ("identity_unlinked", "user")
    PASSKEY_CREATED = ("passkey_created", "user")
    PASSKEY_UPDATED = ("passkey_updated", "user")
    PASSKEY_DELETED = ("passkey_deleted", "user")
    FACTOR_ENROLLED = ("factor_in_progress", "factor")
    FACTOR_UNENROLLED = ("factor_unenrolled", "factor")
    CHALLENGE_CREATED = ("challenge_created", "factor")
    VERIFICATION_ATTEMPTED = ("verification_attempted", "factor")
    FACTOR_DELETED = ("factor_deleted", "factor")
    FACTOR_UPDATED = ("factor_updated", "factor")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry as stored."""

    id: UUID
    payload: dict[str, Any] | None
    created_at: datetime | None
    ip_address: str

    @classmethod
    def from_row(cls, row: Any) -> AuditEntry:
        """Read a row of auth.audit_log_entries."""
        return record_from(cls, row)
