"""Secrets compared in constant time."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


def find_secret(known: Mapping[bytes, T], given: bytes) -> T | None:
    """The value of a secret in a table; all entries are compared, each in constant time."""
    found: T | None = None
    for secret, meaning in known.items():
        if hmac.compare_digest(secret, given):
            found = meaning
    return found
