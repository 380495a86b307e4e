"""How many control frames (RFC 6455, section 5.5) a client may send.

Each costs as much as a message, and nobody but the server sees it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many more control frames a client may send, as of a moment."""

    left: float
    at: float


def spend(allowance: Allowance, now: float, most: int, per_second: float) -> Allowance:
    """Take one off, after what has come back meanwhile; below zero it was one too many."""
    left = min(float(most), allowance.left + (now - allowance.at) * per_second)
    return Allowance(left - 1, now)
