"""Sessions and their tokens (auth reference 2.4, 5)."""

from __future__ import annotations

import base64
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import audit, hooks
from gotrue_compat.core.passwords import decrypt_secret, encrypt_secret
from gotrue_compat.core.results import SignedIn
from gotrue_compat.core.unit_of_work import UnitOfWork
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action, AuditEntry
from gotrue_compat.model.rows import json_object
from gotrue_compat.model.session import AmrClaim, Session, SessionUse
from gotrue_compat.model.user import User
from gotrue_compat.ports import HookPoint
from gotrue_compat.rules import refresh
from gotrue_compat.rules.claims import Issue, access_claims
from gotrue_compat.rules.claims_schema import problems_of
from gotrue_compat.store import sessions as store
from gotrue_compat.urls import links

COUNTED = 2  # the algorithm version of tokens without rows
_HMAC_KEY = 32
TOKEN_PREFIX = 5  # characters of a refresh token that logs may contain


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a session is opened beyond its method.

    `password` is the stored one that was checked, `flow_id` names the flow that is exchanged.
    """

    password: str | None = None
    flow_id: UUID | None = None
    not_after: Any = None
    client_id: UUID | None = None
    scopes: str | None = None


async def open_session(
    work: UnitOfWork,
    user: User,
    method: str,
    options: SessionOptions | None = None,
    audit_entries: tuple[AuditEntry, ...] = (),
) -> SignedIn:
    """Open a session for the user and issue its first tokens, in one statement."""
    options = options or SessionOptions()
    session_id = work.deps.world.entropy.uuid()
    session = new_session(work.deps, work.context, (session_id, user.id), method, options)
    counter = session.refresh_token_counter
    token = new_token(work.deps) if counter is None else counted_token(work.deps, session, counter)
    row = token if counter is None else None
    claim_id = work.deps.world.entropy.uuid()
    opening = store.NewSession(session, claim_id, row, options.password, options.flow_id)
    with errors.unexpected_as(errors.DATABASE_ERROR, doing="granting user"):
        user = await store.open_for(work.tx, opening, audit_entries)
    with named_refusal(session, token, counter):
        issued = await issue(work, user, session, token, method)
    return replace(issued, counter=counter)


@contextmanager
def named_refusal(
    session: Session, token: str, counter: int | None, *more: tuple[str, str]
) -> Generator[None]:
    """If a hook refuses, the answer has the headers of the session that would have been opened.

    The original has set them by then.
    """
    try:
        yield
    except ApiError as error:
        named = (
            ("Sb-Auth-Refresh-Token-Prefix", token[:TOKEN_PREFIX])
            if counter is None
            else ("Sb-Auth-Refresh-Token-Counter", str(counter))
        )
        headers = (
            ("Sb-Auth-User-Id", str(session.user_id)), ("Sb-Auth-Session-Id", str(session.id)),
            named, *more,
        )  # fmt: skip
        raise ApiError(replace(error.problem, headers=headers)) from error


async def issue(
    work: UnitOfWork,
    user: User,
    session: Session,
    refresh_token: str,
    method: str,
) -> SignedIn:
    """Sign an access token for a session and pair it with a refresh token."""
    issued = Issue(user, session, work.now)
    deps = work.deps
    claims = access_claims(issued, deps.settings.jwt, deps.settings.sessions)
    expires_at = int(claims["exp"])  # whatever a hook makes of the claim, as the original
    claims = await _customized(work, user, claims, method)
    return _signed_in(deps, issued, claims, expires_at, refresh_token)


def issue_without_hook(deps: Dependencies, issued: Issue, refresh_token: str) -> SignedIn:
    """Sign an access token and pair it with a refresh token; no hook changes the claims."""
    claims = access_claims(issued, deps.settings.jwt, deps.settings.sessions)
    return _signed_in(deps, issued, claims, int(claims["exp"]), refresh_token)


def _signed_in(
    deps: Dependencies,
    issued: Issue,
    claims: Mapping[str, Any],
    expires_at: int,
    refresh_token: str,
) -> SignedIn:
    return SignedIn(
        access_token=jwt.sign(claims, deps.settings.jwt.signing_key),
        expires_in=expires_at - int(issued.now.timestamp()),
        expires_at=expires_at,
        refresh_token=refresh_token,
        shown=issued.user,
        session_id=str(issued.session.id),
    )


async def next_token(work: UnitOfWork, user: User, session: Session) -> str:
    """A refresh token that replaces whatever the session has.

    A counted one skips a step, so that the token before is not taken for one that a client lost.
    """
    if session.refresh_token_counter is not None:
        counter = session.refresh_token_counter + 2
        await store.update(work.tx, session.id, work.now, refresh_token_counter=counter)
        return counted_token(work.deps, session, counter)
    token = new_token(work.deps)
    active = await store.active_token(work.tx, session.id)
    if active is None:
        await store.create_token(work.tx, token, user.id, session.id, work.now)
    else:
        await audit.record(work, user, Action.TOKEN_REVOKED)
        use = replace(session_use(work.context), is_refresh=False)
        await store.rotate(work.tx, active, token, session.id, use)
    return token


def new_token(deps: Dependencies) -> str:
    """A version-1 refresh token."""
    return deps.world.entropy.text(refresh.LENGTH, refresh.ALPHABET)


def counted_token(deps: Dependencies, session: Session, counter: int) -> str:
    """A version-2 refresh token of a session."""
    return refresh.encode(session.id, counter, hmac_key(deps, session))


def hmac_key(deps: Dependencies, session: Session) -> bytes:
    """The key that signs a session's version-2 tokens."""
    text = decrypt_secret(deps, session.refresh_token_hmac_key or "", str(session.id))
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def new_hmac_key(deps: Dependencies, session_id: UUID) -> str:
    """A fresh key as stored."""
    key = base64.urlsafe_b64encode(deps.world.entropy.bytes(_HMAC_KEY)).rstrip(b"=").decode()
    return encrypt_secret(deps, key, str(session_id))


def session_use(context: RequestContext) -> SessionUse:
    """The client that uses a session in this request."""
    return SessionUse(context.now, context.user_agent or None, context.ip or None)


def new_session(
    deps: Dependencies,
    context: RequestContext,
    ids: tuple[UUID, UUID],
    method: str,
    options: SessionOptions,
) -> Session:
    """A session that is to be opened now by its one method; `ids` are its own and its user's."""
    session_id, user_id = ids
    is_counted = deps.settings.security.algorithm == COUNTED
    return Session(
        id=session_id, user_id=user_id, created_at=context.now, updated_at=context.now,
        factor_id=None, aal="aal1", not_after=options.not_after, refreshed_at=None,
        user_agent=context.user_agent or None, ip=context.ip or None, tag=None,
        oauth_client_id=options.client_id, scopes=options.scopes,
        refresh_token_hmac_key=new_hmac_key(deps, session_id) if is_counted else None,
        refresh_token_counter=0 if is_counted else None,
        amr=(AmrClaim(method, context.now),),
    )  # fmt: skip


async def _customized(
    work: UnitOfWork, user: User, claims: dict[str, Any], method: str
) -> dict[str, Any]:
    """The claims after the deployment's hook; they must still be valid (auth reference 12)."""
    if not work.deps.hooks.has(HookPoint.CUSTOM_ACCESS_TOKEN):
        return claims
    answer = await hooks.call(
        work.deps, work.context, HookPoint.CUSTOM_ACCESS_TOKEN, work.tx,
        user_id=str(user.id), claims=claims, authentication_method=method,
    )  # fmt: skip
    if "claims" not in answer:
        raise errors.worded_by_hook(errors.HOOK_NO_CLAIMS)
    changed: Any = answer["claims"]
    if changed is not None and not isinstance(changed, Mapping):
        raise ApiError.of(errors.HOOK_ANSWER)
    problems = problems_of(json_object(changed) if changed is not None else None)
    if problems:
        reason = "".join(f"- {problem}\n" for problem in problems)
        raise errors.worded_by_hook(errors.HOOK_CLAIMS, reason=reason)
    return json_object(changed)


def session_redirect(url: str, signed_in: SignedIn, **more: str) -> str:
    """A redirect with a session in its fragment."""
    values = {
        "access_token": signed_in.access_token, "token_type": "bearer",
        "expires_in": str(signed_in.expires_in), "expires_at": str(signed_in.expires_at),
        "refresh_token": signed_in.refresh_token, **more,
    }  # fmt: skip
    return links.with_session(url, values)
