"""Sessions and their tokens (auth reference 2.4, 5)."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.flows import hooks
from gotrue_compat.flows.passwords import sealed, unsealed
from gotrue_compat.flows.results import SignedIn
from gotrue_compat.flows.transaction import Work
from gotrue_compat.model.audit import AuditEntry
from gotrue_compat.model.session import AmrClaim, Session
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import refresh
from gotrue_compat.rules.claims import Issue, access_claims, missing_claims
from gotrue_compat.settings.hooks import HookPoint
from gotrue_compat.store import sessions as store

_COUNTED = 2  # the algorithm version of tokens without rows
_HMAC_KEY = 32


@dataclass(frozen=True, slots=True)
class Grant:
    """How a session is opened beyond its method; `password` is the stored one that was checked."""

    password: str | None = None
    not_after: Any = None
    client_id: UUID | None = None
    scopes: str | None = None


async def open_session(
    work: Work,
    user: User,
    method: str,
    grant: Grant | None = None,
    noting: tuple[AuditEntry, ...] = (),
) -> SignedIn:
    """Open a session for the user and issue its first tokens, in one statement."""
    grant = grant or Grant()
    session = _new_session(work, user, method, grant)
    counter = session.refresh_token_counter
    token = new_token(work.deps) if counter is None else counted_token(work.deps, session, counter)
    row = token if counter is None else None
    opening = store.Opening(session, work.deps.world.entropy.uuid(), row, grant.password)
    user = await store.open_for(work.tx, opening, noting)
    issued = await issue(work, user, session, token, method)
    return replace(issued, counter=counter)


async def issue(
    work: Work,
    user: User,
    session: Session,
    refresh_token: str,
    method: str,
) -> SignedIn:
    """Sign an access token for a session and pair it with a refresh token."""
    jwt_settings = work.deps.settings.jwt
    claims = access_claims(
        Issue(user, session, work.now), jwt_settings, work.deps.settings.sessions
    )
    claims = await _customized(work, user, claims, method)
    key = jwt_settings.signing_key
    return SignedIn(
        access_token=jwt.sign(claims, key),
        expires_in=jwt_settings.expiry,
        expires_at=int(claims["exp"]),
        refresh_token=refresh_token,
        user=user,
        session_id=str(session.id),
    )


async def next_token(work: Work, user: User, session: Session) -> str:
    """A refresh token that replaces whatever the session has."""
    if session.refresh_token_counter is not None:
        counter = session.refresh_token_counter + 1
        await store.update(work.tx, session.id, work.now, refresh_token_counter=counter)
        return counted_token(work.deps, session, counter)
    token = new_token(work.deps)
    active = await store.active_token(work.tx, session.id)
    if active is None:
        await store.create_token(work.tx, token, user.id, session.id, work.now)
    else:
        await store.rotate(work.tx, active, token, session.id, use_of(work.visit))
    return token


def new_token(deps: Deps) -> str:
    """A version-1 refresh token."""
    return deps.world.entropy.text(refresh.LENGTH, refresh.ALPHABET)


def counted_token(deps: Deps, session: Session, counter: int) -> str:
    """A version-2 refresh token of a session."""
    return refresh.encode(session.id, counter, hmac_key(deps, session))


def hmac_key(deps: Deps, session: Session) -> bytes:
    """The key that signs a session's version-2 tokens."""
    text = unsealed(deps, session.refresh_token_hmac_key or "", str(session.id))
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def new_hmac_key(deps: Deps, session_id: UUID) -> str:
    """A fresh key as stored."""
    key = base64.urlsafe_b64encode(deps.world.entropy.bytes(_HMAC_KEY)).rstrip(b"=").decode()
    return sealed(deps, key, str(session_id))


def use_of(visit: Visit) -> store.Use:
    """Who uses a session in this request."""
    return store.Use(visit.now, visit.user_agent, visit.ip or None)


def _new_session(work: Work, user: User, method: str, grant: Grant) -> Session:
    session_id = work.deps.world.entropy.uuid()
    is_counted = work.deps.settings.security.algorithm == _COUNTED
    return Session(
        id=session_id, user_id=user.id, created_at=work.now, updated_at=work.now,
        factor_id=None, aal="aal1", not_after=grant.not_after, refreshed_at=None,
        user_agent=work.visit.user_agent, ip=work.visit.ip or None, tag=None,
        oauth_client_id=grant.client_id, scopes=grant.scopes,
        refresh_token_hmac_key=new_hmac_key(work.deps, session_id) if is_counted else None,
        refresh_token_counter=0 if is_counted else None,
        amr=(AmrClaim(method, work.now),),
    )  # fmt: skip


async def _customized(
    work: Work, user: User, claims: dict[str, Any], method: str
) -> dict[str, Any]:
    """The claims as the deployment's hook wants them; it may not drop the required ones (12)."""
    if not work.deps.hooks.has(HookPoint.CUSTOM_ACCESS_TOKEN):
        return claims
    answer = await hooks.call(
        work.deps, work.visit, HookPoint.CUSTOM_ACCESS_TOKEN, work.tx,
        user_id=str(user.id), claims=claims, authentication_method=method,
    )  # fmt: skip
    changed = answer.get("claims")
    if not isinstance(changed, dict):
        raise ApiError.of(errors.HOOK_CLAIMS, reason="claims are missing")
    told: dict[str, Any] = changed  # pyright: ignore[reportUnknownVariableType] — decoded JSON
    missing = missing_claims(told)
    if missing or not isinstance(told["exp"], int | float):
        raise ApiError.of(errors.HOOK_CLAIMS, reason=f"{', '.join(missing) or 'exp'} is required")
    return told
