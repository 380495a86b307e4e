"""Secrets compared so that the time it takes tells nothing about them."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


def find_secret(known: Mapping[bytes, T], given: bytes) -> T | None:
    """What a secret stands for; every known one is compared, each in constant time."""
    found: T | None = None
    for secret, meaning in known.items():
        if hmac.compare_digest(secret, given):
            found = meaning
    return found
