"""Challenges answered: sessions reach aal2 (auth reference 8)."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from pyotp.totp import TOTP
from webauthn.helpers import base64url_to_bytes

from compat_base.values.errors import ApiError, Row
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit, code_tries, hooks, mail, session_tokens
from gotrue_compat.core.passwords import decrypt_secret
from gotrue_compat.core.rate_limits import Budget, is_replayed, limit_guesses, wrong_tries
from gotrue_compat.core.results import SignedIn
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.mfa import errors as mfa_errors
from gotrue_compat.features.mfa.bodies import FactorProof, FactorRequest, factor_proof
from gotrue_compat.features.mfa.enroll import find_factor
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.one_time_token import Challenge
from gotrue_compat.model.session import AmrClaim, Session
from gotrue_compat.model.user import Factor
from gotrue_compat.ports import HookPoint
from gotrue_compat.rules import webauthn, webauthn_response
from gotrue_compat.rules.claims import AMR_OF_FACTOR
from gotrue_compat.rules.otp import is_expired
from gotrue_compat.rules.webauthn_response import RefusedError
from gotrue_compat.store import factors as store
from gotrue_compat.store import sessions as session_store

_REJECTED = "Further MFA verification attempts will be rejected."
_STEPS = 1  # codes of the neighbouring steps pass too
_STEP_SECONDS = 30


async def verify_factor(
    deps: Dependencies, context: RequestContext, sent: FactorRequest
) -> SignedIn:
    """Verify a challenge; its session reaches aal2, lower ones of the user end."""
    factor = find_factor(context.user, sent.factor_id)
    body = factor_proof(sent)
    if factor.factor_type != "webauthn" and not body.code:
        raise ApiError.of(mfa_errors.CODE_EMPTY)
    _check_enabled(deps, factor)
    _check_form(factor, body)
    budgets = (*wrong_tries(context), Budget("wrong_factor", (str(factor.id),)))
    wrong = (mfa_errors.TOTP_WRONG, mfa_errors.MFA_REJECTED, mfa_errors.PHONE_CODE_REFUSED)
    async with limit_guesses(deps, budgets, *wrong):
        return await _verify(deps, context, factor, body)


async def _verify(
    deps: Dependencies, context: RequestContext, factor: Factor, body: FactorProof
) -> SignedIn:
    challenge = await _find_challenge(deps, context, factor, body)
    proof = await _judge(deps, context, factor, challenge, body)
    if proof.step is not None and factor.is_verified:
        # The code that verified the enrolment may be used once more, to sign in
        used = (str(factor.id), str(proof.step))
        if await is_replayed(deps, "totp", used, (2 * _STEPS + 1) * _STEP_SECONDS):
            proof = _Proof(mfa_errors.TOTP_WRONG)
    await _call_hook(deps, context, factor, is_valid=proof.wrong is None)
    if proof.wrong is not None:
        raise ApiError.of(proof.wrong)
    async with unit_of_work(deps, context) as work:
        signed_in = await _elevate_session(work, factor, challenge, proof.credential)
    if not factor.is_verified:
        email = signed_in.user.email
        await mail.notify(
            deps, context, signed_in.user, "mfa_factor_enrolled", email,
            factor_type=factor.factor_type,
        )  # fmt: skip
    return signed_in


@dataclass(frozen=True, slots=True)
class _Proof:
    """The result of a verification: `wrong` is the error's row where it failed.

    A code of TOTP is of a `step` of time, and counts once (RFC 6238, section 5.2).
    """

    wrong: Row | None = None
    step: int | None = None
    credential: webauthn.Credential | None = None


def _check_enabled(deps: Dependencies, factor: Factor) -> None:
    mfa = deps.settings.mfa
    kind, off = {
        "totp": (mfa.totp, mfa_errors.TOTP_VERIFY_DISABLED),
        "phone": (mfa.phone, mfa_errors.PHONE_VERIFY_DISABLED),
        "webauthn": (mfa.webauthn, mfa_errors.WEBAUTHN_PROOF_DISABLED),
    }[factor.factor_type]
    if not kind.verify:
        raise ApiError.of(off)


def _check_form(factor: Factor, body: FactorProof) -> None:
    if factor.factor_type != "webauthn":
        return
    if not body.has_webauthn:
        raise ApiError.of(mfa_errors.WEBAUTHN_REQUIRED)
    if body.webauthn_kind not in {"create", "request"}:
        raise ApiError.of(mfa_errors.WEBAUTHN_KIND)
    if body.webauthn_response is None:
        raise ApiError.of(mfa_errors.WEBAUTHN_NO_RESPONSE)


async def _find_challenge(
    deps: Dependencies, context: RequestContext, factor: Factor, body: FactorProof
) -> Challenge:
    if body.challenge_id is None:
        raise ApiError.of(mfa_errors.CHALLENGE_NOT_FOUND)
    async with deps.database.transaction() as tx:
        challenge = await store.find_challenge(tx, body.challenge_id, factor.id)
        if challenge is None:
            raise ApiError.of(mfa_errors.CHALLENGE_NOT_FOUND)
        life = deps.settings.mfa.challenge_seconds
        is_late = is_expired(challenge.created_at, life, context.now)
        if is_late:
            await store.delete_challenge(tx, challenge.id)
    address = context.ip or "0.0.0.0"  # noqa: S104 — an unknown address
    if challenge.verified_at is not None or str(challenge.ip_address) != address:
        raise ApiError.of(mfa_errors.CHALLENGE_MISMATCH)
    if is_late:
        raise ApiError.of(mfa_errors.CHALLENGE_EXPIRED, id=challenge.id)
    async with deps.database.acquire() as connection:
        if not await code_tries.count_subjects(deps, connection, (challenge.id,)):
            raise ApiError.of(mfa_errors.CHALLENGE_EXPIRED, id=challenge.id)
    return challenge


async def _judge(
    deps: Dependencies,
    context: RequestContext,
    factor: Factor,
    challenge: Challenge,
    body: FactorProof,
) -> _Proof:
    if factor.factor_type == "totp":
        secret = decrypt_secret(deps, factor.secret or "", str(factor.id))
        try:
            totp = TOTP(secret)
        except ValueError:  # the stored text is no TOTP secret, so no code is right
            return _Proof(mfa_errors.TOTP_WRONG)
        step = _step_of(totp, body.code.strip(), context.now)
        return _Proof(mfa_errors.TOTP_WRONG if step is None else None, step)
    if factor.factor_type == "phone":
        judged = await deps.sms.verify(factor.phone or "", body.code) if deps.sms else None
        if judged is False:  # the provider has decided: the hook is not called
            raise ApiError.of(mfa_errors.PHONE_CODE_REFUSED)
        if judged is None:
            code = decrypt_secret(deps, challenge.otp_code or "", str(challenge.id))
            judged = bool(code) and hmac.compare_digest(code.encode(), body.code.encode())
        return _Proof(None if judged else mfa_errors.MFA_PHONE_WRONG)
    return _judge_webauthn(factor, challenge, body)


def _step_of(totp: TOTP, code: str, now: datetime) -> int | None:
    """The step of time, about now, that a code is of; None for any other code."""
    current = int(now.timestamp()) // _STEP_SECONDS
    steps = range(current - _STEPS, current + _STEPS + 1)
    return next(
        (
            step
            for step in steps
            if hmac.compare_digest(totp.at(step * _STEP_SECONDS).encode(), code.encode())
        ),
        None,
    )


def _judge_webauthn(factor: Factor, challenge: Challenge, body: FactorProof) -> _Proof:
    known = challenge.web_authn_session_data or {}
    if not body.webauthn_response or body.webauthn_kind != known.get("kind"):
        return _Proof(mfa_errors.WEBAUTHN_RESPONSE)
    origins = tuple(map(str, known.get("origins", ())))
    party = webauthn.RelyingParty(known["rp_id"], known["rp_name"], origins)
    proof = base64url_to_bytes(known["challenge"])
    try:
        if known["kind"] == "create":
            response = webauthn_response.read_registration(body.webauthn_response)
            return _Proof(credential=webauthn.verify_registration(party, proof, response))
        own = webauthn.Credential.from_json(factor.web_authn_credential or {})
        used = webauthn_response.read_use(body.webauthn_response)
        is_own = used.user_handle in {b"", str(factor.user_id).encode()}
        if used.credential_id != own.id or not is_own:
            return _Proof(mfa_errors.WEBAUTHN_RESPONSE)
        return _Proof(credential=webauthn.verify_authentication(party, proof, used, own))
    except (RefusedError, KeyError):
        return _Proof(mfa_errors.WEBAUTHN_RESPONSE)


async def _call_hook(
    deps: Dependencies, context: RequestContext, factor: Factor, *, is_valid: bool
) -> None:
    answer = await hooks.call(
        deps, context, HookPoint.MFA_VERIFICATION_ATTEMPT, None,
        user_id=str(context.user.id), factor_id=str(factor.id),
        factor_type=factor.factor_type, valid=is_valid,
    )  # fmt: skip
    if answer.get("decision") != "reject":
        return
    async with deps.database.transaction() as tx:
        await session_store.delete_of_user(tx, context.user.id)
    raise ApiError.of(mfa_errors.MFA_REJECTED, text=str(answer.get("message") or _REJECTED))


async def _elevate_session(
    work: UnitOfWork, factor: Factor, challenge: Challenge, credential: webauthn.Credential | None
) -> SignedIn:
    session = work.context.session
    user = await accounts.lock(work.tx, work.context.user.id)
    if user is None or session is None:
        raise ApiError.of(errors.NO_SUCH_SESSION)
    if not await store.take_challenge(work.tx, challenge.id, work.now):
        raise ApiError.of(mfa_errors.CHALLENGE_MISMATCH)
    if credential is not None:  # of other kinds the original keeps the used one
        await store.delete_challenge(work.tx, challenge.id)
    facts = {
        "factor_id": str(factor.id), "challenge_id": str(challenge.id),
        "factor_type": factor.factor_type,
    }  # fmt: skip
    await audit.record(work, user, Action.VERIFICATION_ATTEMPTED, facts)
    changes: dict[str, Any] = {"status": "verified"}
    if credential is not None:
        changes["web_authn_credential"] = credential.to_json()
        changes["web_authn_aaguid"] = UUID(credential.aaguid)
    await store.update(work.tx, factor.id, work.now, **changes)
    signed_in = await _issue(work, session, factor)
    await session_store.delete_lower(work.tx, user.id, session.id)
    await store.delete_unverified(work.tx, user.id, factor.factor_type, factor.id)
    return replace(signed_in, is_named=False)  # with the factors that there were, as the original


async def _issue(work: UnitOfWork, session: Session, factor: Factor) -> SignedIn:
    """Fresh tokens for the session, which the factor has raised; older refresh tokens end."""
    method = AMR_OF_FACTOR[factor.factor_type]
    entropy = work.deps.world.entropy
    await session_store.add_method(work.tx, entropy.uuid(), session.id, method, work.now)
    await session_store.update(work.tx, session.id, work.now, aal="aal2", factor_id=factor.id)
    kept = tuple(claim for claim in session.amr if claim.method != method)
    session = replace(session, aal="aal2", amr=(*kept, AmrClaim(method, work.now)))
    user = await accounts.reload(work.tx, work.context.user)
    token = await session_tokens.next_token(work, user, session)
    return await session_tokens.issue(work, user, session, token, method)
