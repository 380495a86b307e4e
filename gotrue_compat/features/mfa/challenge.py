"""Challenges of second factors (auth reference 8)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import audit, hooks, one_time_tokens
from gotrue_compat.core.passwords import encrypt_secret
from gotrue_compat.core.results import Json
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.mfa import errors as mfa_errors
from gotrue_compat.features.mfa.bodies import ChallengeBody, FactorRequest, challenge_body
from gotrue_compat.features.mfa.enroll import find_factor
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import Factor
from gotrue_compat.ports import DeliveryError, HookPoint, SmsMessage
from gotrue_compat.rules import webauthn
from gotrue_compat.rules.otp import check_gap
from gotrue_compat.rules.shapes import user_shape
from gotrue_compat.store import factors as store


async def challenge(deps: Dependencies, context: RequestContext, body: FactorRequest) -> Json:
    """Create a challenge for a factor."""
    factor = find_factor(context.user, body.factor_id)
    mfa = deps.settings.mfa
    kinds = {
        "totp": (mfa.totp, mfa_errors.TOTP_VERIFY_DISABLED),
        "phone": (mfa.phone, mfa_errors.PHONE_VERIFY_DISABLED),
        "webauthn": (mfa.webauthn, mfa_errors.WEBAUTHN_VERIFY_DISABLED),
    }
    kind, off = kinds[factor.factor_type]
    if not kind.verify:
        raise ApiError.of(off)
    sent = ChallengeBody()
    if factor.factor_type != "totp":
        sent = challenge_body(body)
    challenge_id = deps.world.entropy.uuid()
    expires = context.now + timedelta(seconds=mfa.challenge_seconds)
    async with unit_of_work(deps, context) as work:
        factor = await store.lock(work.tx, factor.id) or factor
        values: dict[str, Any] = {
            "id": challenge_id, "factor_id": factor.id, "created_at": context.now,
            "ip_address": context.ip or "0.0.0.0",  # noqa: S104 — an unknown address
            "otp_code": "",
        }  # fmt: skip
        shape: dict[str, Any] = {}
        if factor.factor_type == "phone":
            values["otp_code"] = await _send_code(work, factor, sent, challenge_id)
        elif factor.factor_type == "webauthn":
            shape, values["web_authn_session_data"] = _ceremony(work, factor, sent)
        await store.create_challenge(work.tx, values)
        await store.update(work.tx, factor.id, context.now, last_challenged_at=context.now)
        if factor.factor_type != "webauthn":  # of which the original records nothing
            facts = {"factor_id": str(factor.id), "factor_status": factor.status}
            await audit.record(work, context.user, Action.CHALLENGE_CREATED, facts)
    expires_at = int(expires.timestamp())
    return Json({"id": challenge_id, "type": factor.factor_type, "expires_at": expires_at, **shape})


def party_of(deps: Dependencies, rp_id: str, origins: tuple[str, ...]) -> webauthn.RelyingParty:
    """The relying party of a ceremony: the configured one, else the one the client names."""
    known = deps.settings.webauthn
    party = webauthn.RelyingParty(
        known.rp_id or rp_id, known.rp_name or rp_id, known.origins or origins
    )
    if not party.id or not party.origins:
        raise ApiError.of(mfa_errors.WEBAUTHN_NOT_CONFIGURED)
    return party if party.name else replace(party, name=party.id)


async def _send_code(
    work: UnitOfWork, factor: Factor, body: ChallengeBody, challenge_id: UUID
) -> str:
    deps, mfa = work.deps, work.deps.settings.mfa
    channel = one_time_tokens.check_channel(deps, body.channel)
    gap = mfa.phone_gap_seconds
    check_gap(factor.last_challenged_at, gap, work.now, errors.TOO_SOON_SMS)
    phone = factor.phone or ""
    otp = one_time_tokens.test_otp(deps, work.context, phone)
    if otp is None:
        otp = one_time_tokens.new_otp(deps, mfa.phone_otp_length)
        text = one_time_tokens.message_text(mfa.phone_template, otp)
        await _deliver(work, SmsMessage(phone, text, channel, otp))
    return encrypt_secret(deps, otp, str(challenge_id))


async def _deliver(work: UnitOfWork, message: SmsMessage) -> None:
    """Hand a code to the hook, else to the provider; 500 where it is not taken."""
    deps, context = work.deps, work.context
    if deps.hooks.has(HookPoint.SEND_SMS):
        sms = {"otp": message.otp, "sms_type": "mfa", "phone": message.phone}
        shape = user_shape(context.user)
        try:
            await hooks.call(deps, context, HookPoint.SEND_SMS, work.tx, user=shape, sms=sms)
        except ApiError as error:
            raise ApiError.of(mfa_errors.CODE_HOOK_FAILED) from error
        return
    if deps.sms is None:
        raise ApiError.of(mfa_errors.CODE_NO_PROVIDER)
    try:
        await deps.sms.send(message)
    except DeliveryError as error:
        raise ApiError.of(mfa_errors.CODE_NOT_SENT) from error


def _ceremony(
    work: UnitOfWork, factor: Factor, body: ChallengeBody
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options a browser needs, and the session data that its response is checked by."""
    party = party_of(work.deps, body.rp_id, body.rp_origins)
    proof = work.deps.world.entropy.bytes(webauthn.CHALLENGE_LENGTH)
    user = work.context.user
    known = [
        webauthn.Credential.from_json(other.web_authn_credential).id
        for other in user.factors
        if other.web_authn_credential and other.is_verified
    ]
    if factor.is_verified and factor.web_authn_credential:
        kind = "request"
        own = webauthn.Credential.from_json(factor.web_authn_credential)
        options = webauthn.request_options(party, proof, [own])
    else:
        kind = "create"
        holder = webauthn.UserEntity(
            str(user.id).encode(), user.email or user.phone or str(user.id)
        )
        options = webauthn.creation_options(party, holder, proof, known, discoverable=False)
    session_data = {
        "challenge": options["challenge"], "rp_id": party.id, "origins": list(party.origins),
        "rp_name": party.name, "kind": kind,
    }  # fmt: skip
    return {"webauthn": {"type": kind, "credential_options": {"publicKey": options}}}, session_data
