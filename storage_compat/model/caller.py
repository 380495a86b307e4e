"""The caller of a request, and the settings that policies read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Caller:
    """A token's role and claims; `subject` becomes the owner of new objects."""

    role: str
    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    token: str = ""

    @property
    def subject(self) -> str | None:
        """The claim `sub`, where it is text."""
        subject = self.claims.get("sub")
        return subject if isinstance(subject, str) and subject else None


@dataclass(frozen=True, slots=True)
class Facts:
    """What policies read about the request: `headers` is JSON, `path` has the query."""

    method: str
    path: str
    headers: str
    operation: str
