"""Passkeys (auth reference 8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from gotrue_compat.model.rows import record_from


@dataclass(frozen=True, slots=True)
class Passkey:
    """A discoverable credential."""

    id: UUID
    user_id: UUID
    credential_id: bytes
    public_key: bytes
    aaguid: UUID | None
    sign_count: int
    transports: Any
    backup_eligible: bool
    backed_up: bool
    friendly_name: str
    created_at: datetime
    last_used_at: datetime | None

    @classmethod
    def from_row(cls, row: Any) -> Passkey:
        """Read a row of auth.webauthn_credentials."""
        return record_from(cls, row)
