"""Who an identity provider says somebody is (auth reference 9.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ExternalEmail:
    """An address as a provider reports it."""

    email: str
    verified: bool
    primary: bool = False


@dataclass(frozen=True, slots=True)
class ExternalIdentity:
    """Who a provider says somebody is; `data` becomes identity_data and user metadata."""

    provider_id: str
    emails: tuple[ExternalEmail, ...]
    data: dict[str, Any]

    @property
    def email(self) -> ExternalEmail | None:
        """The primary address, else the last one."""
        chosen = None
        for candidate in self.emails:
            chosen = candidate
            if candidate.primary:
                break
        return chosen
