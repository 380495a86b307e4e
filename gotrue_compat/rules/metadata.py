"""Merging metadata, and what remains of a soft-deleted user (auth reference 3.4, 7)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from compat_base.values import jsontext

_DELETED_PHONE = 15


def merged(old: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Merge key by key, not deeply; null deletes a key."""
    whole = {**jsontext.members(old), **jsontext.members(changes)}
    for key, value in jsontext.members(changes).items():
        if value is None:
            del whole[key]
    return whole


def obfuscated(user_id: UUID, value: str) -> str:
    """A value that is unique, reveals nothing and stays the same for the user."""
    digest = hashlib.sha256((str(user_id) + value).encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def obfuscated_phone(user_id: UUID, phone: str) -> str:
    """An anonymised value as short as a phone number."""
    return obfuscated(user_id, phone)[:_DELETED_PHONE]
