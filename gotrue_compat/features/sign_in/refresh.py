"""The refresh grant: rotation, reuse, families (auth reference 3.3, 5)."""

from __future__ import annotations

import asyncio
import zlib
from dataclasses import replace

from compat_base.values.errors import ApiError, Row
from gotrue_compat import errors
from gotrue_compat.core import audit, session_tokens
from gotrue_compat.core.results import SignedIn
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.sign_in import errors as sign_in_errors
from gotrue_compat.features.sign_in.bodies import RefreshRequest
from gotrue_compat.features.sign_in.refresh_lookup import (
    RefreshRefusal,
    TokenLockedError,
    TokenOwner,
    find_locked,
    names_of,
)
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.session import RefreshToken, Rotation, Session
from gotrue_compat.ports import HookPoint
from gotrue_compat.rules import refresh as rules
from gotrue_compat.rules import sessions as session_rules
from gotrue_compat.rules.claims import Issue
from gotrue_compat.store import sessions as store

_TIMEOUT_SECONDS = 5
_SHORTEST_PAUSE, _PAUSE_SPREAD = 0.010, 0.020
_COUNTED = 2
_NOTES = 2  # entries of the audit: a refresh, and the revocation of what it replaced


async def refresh(deps: Dependencies, context: RequestContext, body: RefreshRequest) -> SignedIn:
    """Exchange a refresh token for new tokens.

    Requests with one token queue in this process. The usual case is one statement, which rotates an
    active token; every other one is judged under locks. Between processes, locks are not waited
    for: a request that finds one returns its connection and retries, for five seconds (auth
    reference 5.6).
    """
    refusal = sign_in_errors.REFRESH_NOT_FOUND if body.client_id else errors.REFRESH_MALFORMED
    parsed = rules.parse(body.refresh_token, refusal)
    async with deps.locks.hold(f"refresh {body.refresh_token}"):
        outcome = await _outcome(deps, context, body, parsed)
    if isinstance(outcome, RefreshRefusal):
        raise ApiError.of(outcome.row, headers=outcome.headers)
    return outcome


async def _outcome(
    deps: Dependencies,
    context: RequestContext,
    body: RefreshRequest,
    parsed: str | rules.CountedToken,
) -> SignedIn | RefreshRefusal:
    if isinstance(parsed, str):
        rotated = await _rotate_at_once(deps, context, body, parsed)
        if rotated is not None:
            return rotated
    deadline = deps.world.clock.monotonic() + _TIMEOUT_SECONDS
    while deps.world.clock.monotonic() < deadline:
        try:
            return await _attempt(deps, context, body, parsed)
        except TokenLockedError:
            jitter = deps.world.entropy.bytes(1)[0] / 255
            await asyncio.sleep(_SHORTEST_PAUSE + _PAUSE_SPREAD * jitter)
    return RefreshRefusal(sign_in_errors.REFRESH_CONFLICT)


async def _attempt(
    deps: Dependencies,
    context: RequestContext,
    body: RefreshRequest,
    parsed: str | rules.CountedToken,
) -> SignedIn | RefreshRefusal:
    """Find, judge and rotate under locks; TokenLockedError where another request holds them."""
    async with unit_of_work(deps, context) as work:
        found = await find_locked(work, parsed)
        if isinstance(found, RefreshRefusal):
            return found
        row = await _refusal(work, found, body)
        if row is not None:
            return RefreshRefusal.of(row, found)
        if found.token is not None:
            return await _refresh_row(work, found, found.token)
        if isinstance(parsed, rules.CountedToken):
            return await _refresh_counted(work, found, parsed)
        raise ApiError.of(errors.REFRESH_MALFORMED)


async def _rotate_at_once(
    deps: Dependencies, context: RequestContext, body: RefreshRequest, text: str
) -> SignedIn | None:
    """Rotate an active token by one statement; None, and nothing done, in every other case.

    Refreshes that come at one time share it, unless a hook customizes the claims: it must see
    what the request wrote.
    """
    limits = deps.settings.sessions
    is_counted = deps.settings.security.algorithm == _COUNTED
    if is_counted or limits.single_per_user or limits.low_aal is not None:
        return None
    rotation = Rotation(
        text, session_tokens.new_token(deps), session_tokens.session_use(context), body.client_id,
        session_rules.earliest(limits.timebox, context.now),
        session_rules.earliest(limits.inactivity, context.now),
        audit.notes(deps, _NOTES),
    )  # fmt: skip
    if deps.hooks.has(HookPoint.CUSTOM_ACCESS_TOKEN):
        async with unit_of_work(deps, context) as work:
            [found] = await store.rotate_active(work.tx, [rotation])
            if found is None or found.session is None:
                return None
            return await _issue(work, TokenOwner(found.user, found.session, None), rotation.child)
    found = await deps.rotations.load(rotation)
    if found is None or found.session is None:
        return None
    issue = Issue(found, found.session, context.now)
    return replace(session_tokens.issue_without_hook(deps, issue, rotation.child), is_rotated=True)


async def _refusal(work: UnitOfWork, found: TokenOwner, body: RefreshRequest) -> Row | None:
    """Why a token may not be exchanged, whatever it was used for before."""
    if found.user.is_banned(work.now):
        return sign_in_errors.REFRESH_BANNED
    limits = work.deps.settings.sessions
    token_time = found.token.updated_at if found.token else None
    row = session_rules.expired(found.session, found.user, limits, work.now, token_time)
    if row is None and (reason := session_rules.client_problem(found.session, body.client_id)):
        problem = errors.oauth_error("invalid_client", reason).problem
        raise ApiError(replace(problem, headers=names_of(found)))
    if row is None and limits.single_per_user:
        row = await _check_single(work, found)
    return row


async def _check_single(work: UnitOfWork, found: TokenOwner) -> Row | None:
    limits = work.deps.settings.sessions
    valid = [
        other
        for other in await store.list_of_user(work.tx, found.user.id)
        if session_rules.expired(other, found.user, limits, work.now) is None
    ]
    last_used = found.session.last_refreshed(found.token.updated_at if found.token else None)
    is_replaced = session_rules.is_replaced(found.session, last_used, valid, limits.tags)
    return sign_in_errors.SESSION_REPLACED if is_replaced else None


async def _refresh_row(
    work: UnitOfWork, found: TokenOwner, token: RefreshToken
) -> SignedIn | RefreshRefusal:
    active = await store.active_token(work.tx, found.session.id) if token.revoked else None
    decision = rules.decide(token, active, work.deps.settings.security, work.now)
    if isinstance(decision, rules.Refuse):
        if decision.ends_family:
            await store.revoke_family(work.tx, found.session.id, work.now)
        return RefreshRefusal.of(sign_in_errors.REFRESH_ALREADY_USED, found)
    await audit.record(work, found.user, Action.TOKEN_REFRESHED)
    if isinstance(decision, rules.Reuse):
        await store.touch(work.tx, found.session.id, session_tokens.session_use(work.context))
        return await _issue(work, found, decision.token, is_rotated=False)
    await audit.record(work, found.user, Action.TOKEN_REVOKED)
    child = session_tokens.new_token(work.deps)
    await store.rotate(
        work.tx, token, child, found.session.id, session_tokens.session_use(work.context)
    )
    found = replace(found, user=replace(found.user, updated_at=work.now))
    if _is_upgraded(work.deps, found.session):
        return await _upgrade(work, found, child)
    return await _issue(work, found, child)


def _is_upgraded(deps: Dependencies, session: Session) -> bool:
    """Whether this session is among the percentage that moves to version 2 (deterministic)."""
    security = deps.settings.security
    if security.algorithm != _COUNTED:
        return False
    return zlib.crc32(session.id.bytes) % 100 < security.upgrade_percentage


async def _upgrade(work: UnitOfWork, found: TokenOwner, child: str) -> SignedIn:
    session = found.session
    if session.refresh_token_hmac_key is None or session.refresh_token_counter is None:
        session = replace(
            session,
            refresh_token_hmac_key=session_tokens.new_hmac_key(work.deps, session.id),
            refresh_token_counter=0,
        )
    else:
        session = replace(session, refresh_token_counter=session.refresh_token_counter + 1)
    counter = session.refresh_token_counter or 0
    await store.update(
        work.tx, session.id, work.now,
        refresh_token_hmac_key=session.refresh_token_hmac_key, refresh_token_counter=counter,
    )  # fmt: skip
    await store.revoke_token(work.tx, child, work.now)
    text = session_tokens.counted_token(work.deps, session, counter)
    issued = await _issue(work, replace(found, session=session), text)
    return replace(issued, counter=counter, is_upgraded=True)


async def _refresh_counted(
    work: UnitOfWork, found: TokenOwner, parsed: rules.CountedToken
) -> SignedIn | RefreshRefusal:
    session = found.session
    current = session.refresh_token_counter or 0
    decision = rules.decide_counted(
        parsed.counter, current, session.last_refreshed(None), work.deps.settings.security, work.now
    )
    if isinstance(decision, rules.Refuse):
        if decision.ends_family:
            await store.delete(work.tx, session.id)
        row = sign_in_errors.REFRESH_ALREADY_USED
        return RefreshRefusal.of(row, found, ends_session=decision.ends_family)
    await audit.record(work, found.user, Action.TOKEN_REFRESHED)
    counter = current + 1 if isinstance(decision, rules.Rotate) else current
    await store.update(work.tx, session.id, work.now, refresh_token_counter=counter)
    await store.touch(work.tx, session.id, session_tokens.session_use(work.context))
    text = session_tokens.counted_token(work.deps, session, counter)
    is_rotated = isinstance(decision, rules.Rotate)
    issued = await _issue(work, found, text, is_rotated=is_rotated)
    cause = decision.cause if isinstance(decision, rules.Reuse) else ""
    return replace(issued, counter=counter, reuse=cause)


async def _issue(
    work: UnitOfWork, found: TokenOwner, text: str, *, is_rotated: bool = True
) -> SignedIn:
    reuse = (("Sb-Auth-Refresh-Token-Reuse", "false"),) if is_rotated else ()
    counter = found.session.refresh_token_counter
    with session_tokens.named_refusal(found.session, text, counter, *reuse):
        issued = await session_tokens.issue(work, found.user, found.session, text, "token_refresh")
    return replace(issued, is_rotated=is_rotated)
