"""A refresh token's user and session, found and locked; refusals that name them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from compat_base.postgres.database import Connection
from compat_base.values.errors import Row
from gotrue_compat.core import session_tokens
from gotrue_compat.core.unit_of_work import UnitOfWork
from gotrue_compat.features.sign_in import errors as sign_in_errors
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.session import RefreshToken, Session
from gotrue_compat.model.user import User
from gotrue_compat.rules import refresh as rules
from gotrue_compat.store import sessions as store
from gotrue_compat.store import users as user_store


@dataclass(frozen=True, slots=True)
class TokenOwner:
    """The user and session of a token; `token` None for a version-2 token."""

    user: User
    session: Session
    token: RefreshToken | None


@dataclass(frozen=True, slots=True)
class RefreshRefusal:
    """An error whose effects (a revoked family) are committed, and its headers."""

    row: Row
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, row: Row, found: TokenOwner, *, ends_session: bool = False) -> RefreshRefusal:
        """The refusal of a token whose user is known."""
        user, session = names_of(found)
        headers = [user]
        if row is not sign_in_errors.REFRESH_BANNED:
            headers.append(session)
        if ends_session:
            headers.append(("Sb-Auth-Refresh-Token-Rotated", "true"))
        return cls(row, tuple(headers))


class TokenLockedError(Exception):
    """Another request holds the token or its session."""


async def find_locked(
    work: UnitOfWork, parsed: str | rules.CountedToken
) -> TokenOwner | RefreshRefusal:
    """The token's user and session, locked; TokenLockedError where another request holds them."""
    token: RefreshToken | None = None
    if isinstance(parsed, str):
        known = await store.find_token(work.tx, parsed)
        if known is None:
            return RefreshRefusal(sign_in_errors.REFRESH_NOT_FOUND)
        if known.session_id is None:
            await store.delete_token(work.tx, known.id)
            headers = (("Sb-Auth-User-Id", str(known.user_id)),)
            return RefreshRefusal(sign_in_errors.REFRESH_NO_SESSION, headers)
        seen = await store.find(work.tx, known.session_id)
        # The user first, as everybody who changes one: nobody waits in a circle
        user = await user_store.lock(work.tx, seen.user_id) if seen else None
        locked = await store.lock_by_token(work.tx, parsed)
        if locked is None:
            raise TokenLockedError
        token, session = locked
    else:
        session = await _lock_session(work.tx, parsed.session_id)
        if session is None or not _is_ours(work.deps, session, parsed):
            return RefreshRefusal(sign_in_errors.REFRESH_NOT_FOUND)
        user = await user_store.find(work.tx, session.user_id)
    if user is None:
        return RefreshRefusal(sign_in_errors.REFRESH_NOT_FOUND)
    return TokenOwner(user, session, token)


async def _lock_session(tx: Connection, session_id: UUID) -> Session | None:
    session = await store.lock(tx, session_id)
    if session is None and await store.find(tx, session_id) is not None:
        raise TokenLockedError
    return session


def _is_ours(deps: Dependencies, session: Session, parsed: rules.CountedToken) -> bool:
    if session.refresh_token_hmac_key is None or session.refresh_token_counter is None:
        return False
    return rules.is_genuine(parsed, session_tokens.hmac_key(deps, session))


def names_of(found: TokenOwner) -> tuple[tuple[str, str], tuple[str, str]]:
    """The headers that name a token's user and session for logs."""
    user, session = str(found.user.id), str(found.session.id)
    return ("Sb-Auth-User-Id", user), ("Sb-Auth-Session-Id", session)
