"""Challenges of second factors (auth reference 8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.features.mfa.enroll import find_factor
from gotrue_compat.flows import audit, one_time_tokens
from gotrue_compat.flows.passwords import sealed
from gotrue_compat.flows.results import Json
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.mail.gotemplate import render
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import Factor
from gotrue_compat.ports import Deps, SmsMessage, Visit
from gotrue_compat.rules import webauthn
from gotrue_compat.rules.otp import check_gap
from gotrue_compat.store import factors as store


@dataclass(frozen=True, slots=True)
class ChallengeAsk:
    """What a client sends; `webauthn` may name the relying party."""

    factor_id: UUID
    channel: str = ""
    rp_id: str = ""
    rp_origins: tuple[str, ...] = ()


async def challenge(deps: Deps, visit: Visit, ask: ChallengeAsk) -> Json:
    """Begin the proof of a factor."""
    factor = find_factor(visit.user, ask.factor_id)
    mfa = deps.settings.mfa
    kinds = {
        "totp": (mfa.totp, errors.TOTP_VERIFY_DISABLED),
        "phone": (mfa.phone, errors.PHONE_VERIFY_DISABLED),
        "webauthn": (mfa.webauthn, errors.WEBAUTHN_VERIFY_DISABLED),
    }
    kind, off = kinds[factor.factor_type]
    if not kind.verify:
        raise ApiError.of(off)
    challenge_id = deps.world.entropy.uuid()
    expires = visit.now + timedelta(seconds=mfa.challenge_seconds)
    async with working(deps, visit) as work:
        factor = await store.lock(work.tx, factor.id) or factor
        values: dict[str, Any] = {
            "id": challenge_id, "factor_id": factor.id, "created_at": visit.now,
            "ip_address": visit.ip or "0.0.0.0",  # noqa: S104 — an unknown address
        }  # fmt: skip
        shape: dict[str, Any] = {}
        if factor.factor_type == "phone":
            values["otp_code"] = await _send_code(work, factor, ask, challenge_id)
        elif factor.factor_type == "webauthn":
            shape, values["web_authn_session_data"] = _ceremony(work, factor, ask)
        await store.create_challenge(work.tx, values)
        await store.update(work.tx, factor.id, visit.now, last_challenged_at=visit.now)
        facts = {"factor_id": str(factor.id), "factor_status": factor.status}
        await audit.note(work, visit.user, Action.CHALLENGE_CREATED, **facts)
    expires_at = int(expires.timestamp())
    return Json({"id": challenge_id, "type": factor.factor_type, "expires_at": expires_at, **shape})


def party_of(deps: Deps, rp_id: str, origins: tuple[str, ...]) -> webauthn.Party:
    """The relying party of a ceremony: the configured one, else the one the client names."""
    known = deps.settings.webauthn
    party = webauthn.Party(known.rp_id or rp_id, known.rp_name or rp_id, known.origins or origins)
    if not party.id or not party.origins:
        raise ApiError.of(errors.WEBAUTHN_NOT_CONFIGURED)
    return party if party.name else replace(party, name=party.id)


async def _send_code(work: Work, factor: Factor, ask: ChallengeAsk, challenge_id: UUID) -> str:
    deps, mfa = work.deps, work.deps.settings.mfa
    channel = one_time_tokens.check_channel(deps, ask.channel)
    gap = mfa.phone_gap_seconds
    check_gap(factor.last_challenged_at, gap, work.now, errors.TOO_SOON_SMS)
    phone = factor.phone or ""
    otp = one_time_tokens.test_otp(deps, work.visit, phone)
    if otp is None:
        otp = one_time_tokens.new_otp(deps, mfa.phone_otp_length)
        text = render(mfa.phone_template, {"Code": otp}, escape=False)
        message = SmsMessage(phone, text, channel, otp)
        await one_time_tokens.deliver_sms(work, work.visit.user, message, "mfa")
    return sealed(deps, otp, str(challenge_id))


def _ceremony(
    work: Work, factor: Factor, ask: ChallengeAsk
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options a browser needs, and what must be remembered until its response."""
    party = party_of(work.deps, ask.rp_id, ask.rp_origins)
    proof = work.deps.world.entropy.bytes(webauthn.CHALLENGE_LENGTH)
    user = work.visit.user
    known = [
        webauthn.Credential.from_json(other.web_authn_credential).id
        for other in user.factors
        if other.web_authn_credential and other.is_verified
    ]
    if factor.is_verified and factor.web_authn_credential:
        kind = "request"
        own = webauthn.Credential.from_json(factor.web_authn_credential).id
        options = webauthn.request_options(party, proof, [own])
    else:
        kind = "create"
        holder = webauthn.Holder(str(user.id).encode(), user.email or user.phone or str(user.id))
        options = webauthn.creation_options(party, holder, proof, known, discoverable=False)
    remembered = {
        "challenge": options["challenge"], "rp_id": party.id, "origins": list(party.origins),
        "rp_name": party.name, "kind": kind,
    }  # fmt: skip
    return {"webauthn": {"type": kind, "credential_options": {"publicKey": options}}}, remembered
