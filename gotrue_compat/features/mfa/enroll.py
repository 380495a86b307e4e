"""Adding and removing second factors (auth reference 8)."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from typing import Any
from uuid import UUID

import segno

from compat_base.values.errors import ApiError, Row
from compat_base.values.urls import parse_url
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit, mail
from gotrue_compat.core.passwords import encrypt_secret
from gotrue_compat.core.results import Json
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.errors import database_errors
from gotrue_compat.features.mfa import errors as mfa_errors
from gotrue_compat.features.mfa.bodies import Enrollment, enrollment
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.user import Factor, User
from gotrue_compat.rules.addresses import phone_from
from gotrue_compat.rules.claims import AMR_OF_FACTOR, aal_of
from gotrue_compat.rules.totp_uri import totp_uri
from gotrue_compat.store import factors as store
from gotrue_compat.store import sessions as session_store

_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_SECRET_LENGTH = 32


async def enroll(deps: Dependencies, context: RequestContext, _body: None) -> Json:
    """Add an unverified factor and give what its holder needs to set it up."""
    if context.session is None:
        raise ApiError.of(mfa_errors.ENROLL_NEEDS_SESSION)
    body = enrollment(context.incoming)
    mfa = deps.settings.mfa
    kinds = {
        "totp": (mfa.totp, mfa_errors.TOTP_ENROLL_DISABLED),
        "phone": (mfa.phone, mfa_errors.PHONE_ENROLL_DISABLED),
        "webauthn": (mfa.webauthn, mfa_errors.WEBAUTHN_ENROLL_DISABLED),
    }
    if body.factor_type not in kinds:
        raise ApiError.of(mfa_errors.FACTOR_TYPE)
    kind, off = kinds[body.factor_type]
    if not kind.enroll:
        raise ApiError.of(off)
    phone = _phone(body)
    async with unit_of_work(deps, context) as work:
        user = await _lock_user(work, body, phone)
        factor_id = deps.world.entropy.uuid()
        secret = ""
        if body.factor_type == "totp":
            secret = deps.world.entropy.text(_SECRET_LENGTH, _BASE32)
        values = {
            "id": factor_id, "user_id": user.id, "friendly_name": body.friendly_name,
            "factor_type": body.factor_type, "status": "unverified", "phone": phone,
            "secret": encrypt_secret(deps, secret, str(factor_id)) if secret else "",
            "created_at": context.now, "updated_at": context.now,
        }  # fmt: skip
        with database_errors("", name=body.friendly_name):
            await store.create(work.tx, values)
        facts = {"factor_id": str(factor_id)}
        if body.factor_type != "totp":
            facts["factor_type"] = body.factor_type
        await audit.record(work, user, Action.FACTOR_ENROLLED, facts)
    return Json(_shape(deps, user, body, factor_id, secret))


async def unenroll(deps: Dependencies, context: RequestContext, factor_id: UUID) -> Json:
    """Remove a factor; a verified one only from a session that reached aal2."""
    user = context.user
    factor = find_factor(user, factor_id)
    if context.session is None:
        raise ApiError.of(mfa_errors.UNENROLL_NEEDS_SESSION)
    if factor.is_verified and aal_of(context.session.amr) == "aal1":
        raise ApiError.of(mfa_errors.UNENROLL_NEEDS_AAL2)
    async with unit_of_work(deps, context) as work:
        method = AMR_OF_FACTOR[factor.factor_type]
        await session_store.downgrade(work.tx, factor.id, method, context.now)
        await store.delete(work.tx, factor.id)
        facts = {
            "factor_id": str(factor.id), "factor_status": factor.status,
            "session_id": str(context.session.id),
        }  # fmt: skip
        await audit.record(work, user, Action.FACTOR_UNENROLLED, facts)
    await mail.notify(
        deps, context, user, "mfa_factor_unenrolled", user.email, factor_type=factor.factor_type
    )
    return Json({"id": factor.id})


async def find_own(_deps: Dependencies, context: RequestContext, factor_id: UUID) -> Factor:
    """The factor of a path, or ApiError."""
    return find_factor(context.user, factor_id)


def find_factor(user: User, factor_id: UUID, row: Row = errors.FACTOR_NOT_FOUND) -> Factor:
    """The user's factor with this id, or ApiError."""
    for factor in user.factors:
        if factor.id == factor_id:
            return factor
    raise ApiError.of(row)


def _phone(body: Enrollment) -> str | None:
    if body.factor_type != "phone":
        return None
    if not body.phone:
        raise ApiError.of(mfa_errors.FACTOR_NEEDS_PHONE)
    return phone_from(body.phone)


async def _lock_user(work: UnitOfWork, body: Enrollment, phone: str | None) -> User:
    """The user, locked, below the limit of factors; ApiError beyond it."""
    user = await accounts.lock(work.tx, work.context.user.id) or work.context.user
    mfa = work.deps.settings.mfa
    before = work.now - timedelta(seconds=mfa.factor_seconds)
    await store.delete_expired(work.tx, user.id, before)
    for factor in user.factors:
        if phone is not None and factor.phone == phone:
            if factor.is_verified:
                raise ApiError.of(mfa_errors.VERIFIED_PHONE_FACTOR)
            await store.delete(work.tx, factor.id)
    user = await accounts.reload(work.tx, user)
    if any((factor.friendly_name or "") == body.friendly_name for factor in user.factors):
        raise ApiError.of(errors.FACTOR_NAME_CONFLICT, name=body.friendly_name)
    verified = sum(factor.is_verified for factor in user.factors)
    if len(user.factors) >= mfa.max_enrolled or verified >= mfa.max_verified:
        raise ApiError.of(mfa_errors.TOO_MANY_FACTORS)
    session = work.context.session
    if verified and session is not None and aal_of(session.amr) == "aal1":
        raise ApiError.of(mfa_errors.ENROLL_NEEDS_AAL2)
    return user


def _shape(
    deps: Dependencies, user: User, body: Enrollment, factor_id: UUID, secret: str
) -> dict[str, Any]:
    shape: dict[str, Any] = {"id": factor_id, "type": body.factor_type}
    shape["friendly_name"] = body.friendly_name
    if body.factor_type == "totp":
        site = parse_url(deps.settings.site_url)
        issuer = body.issuer or (site.authority if site is not None else "")
        name = user.email or user.phone or str(user.id)
        uri = totp_uri(secret, issuer, name)
        shape["totp"] = {"qr_code": _qr_code(uri), "secret": secret, "uri": uri}
    if body.factor_type == "phone":
        shape["phone"] = body.phone
    return shape


def _qr_code(text: str) -> str:
    """A QR code as SVG text."""
    out = BytesIO()
    segno.make(text, error="h", micro=False).save(out, kind="svg", scale=5, xmldecl=False)
    return out.getvalue().decode()
