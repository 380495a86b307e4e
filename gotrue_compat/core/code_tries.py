"""Tries of one-time codes, counted: after so many wrong ones a code is dead.

Source: auth reference 4.1.

Tries are counted by kind of code and recipient, not by user: an address without an account is
counted by the same statement, and so answered alike. A new code resets the count. A try is counted
before it is judged, in a transaction of its own, so that concurrent tries count each and a rollback
takes none back.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from uuid import UUID

from compat_base.postgres.database import Connection
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.one_time_token import TokenKind
from gotrue_compat.store import tokens as store


def subject_of(kind: TokenKind, recipient: str) -> UUID:
    """The key of the count, for a kind of code sent to an address or number."""
    text = f"{kind.value}\0{recipient}".encode("utf-8", "surrogatepass")
    return UUID(bytes=blake2b(text, digest_size=16).digest())


async def count(
    deps: Dependencies, connection: Connection, kinds: Sequence[TokenKind], recipient: str
) -> frozenset[TokenKind]:
    """Count one try of each kind; gives the kinds whose code is still alive."""
    subjects = {subject_of(kind, recipient): kind for kind in kinds}
    alive = await count_subjects(deps, connection, tuple(subjects))
    return frozenset(subjects[subject] for subject in alive)


async def count_subjects(
    deps: Dependencies, connection: Connection, subjects: Sequence[UUID]
) -> frozenset[UUID]:
    """Count one try of each; gives those within the limit."""
    limit = deps.settings.limits.code_tries
    if not limit:
        return frozenset(subjects)
    return await store.count_tries(connection, subjects, limit)


async def forget(connection: Connection, kinds: Sequence[TokenKind], recipient: str) -> None:
    """Reset the count: a code was right."""
    await store.forget_tries(connection, [subject_of(kind, recipient) for kind in kinds])
