"""Clock and random source: the only module that reads either from the machine.

Code that decides takes moments and random values as arguments; shells take a `World`.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol
from uuid import UUID


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The present moment, in UTC, with its zone."""
        ...

    def monotonic(self) -> float:
        """Seconds of a clock that never goes back, from an arbitrary start."""
        ...


class Entropy(Protocol):
    """Gives unpredictable values."""

    def bytes(self, count: int) -> bytes:
        """Random bytes."""
        ...

    def uuid(self) -> UUID:
        """A random UUID, version 4."""
        ...

    def text(self, length: int, alphabet: str) -> str:
        """Random text of symbols drawn evenly from the alphabet."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now(self) -> datetime:
        """The present moment, in UTC, with its zone."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds of the machine's monotonic clock."""
        return time.monotonic()


class SystemEntropy:
    """The machine's cryptographic source."""

    def bytes(self, count: int) -> bytes:
        """Random bytes."""
        return secrets.token_bytes(count)

    def uuid(self) -> UUID:
        """A random UUID, version 4."""
        return UUID(bytes=secrets.token_bytes(16), version=4)

    def text(self, length: int, alphabet: str) -> str:
        """Random text of symbols drawn evenly from the alphabet, which has at most 256."""
        # A byte is taken only below the last multiple of the alphabet's size: so all are as likely
        end = 256 - 256 % len(alphabet)
        symbols: list[str] = []
        while len(symbols) < length:
            drawn = secrets.token_bytes(length + length // 4)
            symbols += [alphabet[byte % len(alphabet)] for byte in drawn if byte < end]
        return "".join(symbols[:length])


@dataclass(frozen=True, slots=True)
class World:
    """The clock and the entropy a shell works with."""

    clock: Clock
    entropy: Entropy


def real_world() -> World:
    """The machine's own clock and entropy."""
    return World(SystemClock(), SystemEntropy())
