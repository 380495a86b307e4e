"""Passkeys: registered by users, used to sign in without a name (auth reference 8)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from webauthn.helpers import base64url_to_bytes

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.core import accounts, audit, session_tokens
from gotrue_compat.core.results import Done, Json, SignedIn
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.errors import database_errors
from gotrue_compat.features.admin.users import find_user
from gotrue_compat.features.passkeys import errors as passkeys_errors
from gotrue_compat.features.passkeys import store
from gotrue_compat.features.passkeys.authenticators import name_of
from gotrue_compat.features.passkeys.bodies import (
    CeremonyResponse,
    PasskeyChange,
    UserPasskey,
    passkey_id,
    registration,
)
from gotrue_compat.features.passkeys.model import Passkey
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.rows import json_object
from gotrue_compat.model.user import User
from gotrue_compat.rules import webauthn, webauthn_response
from gotrue_compat.rules.claims import aal_of
from gotrue_compat.rules.webauthn_response import MalformedError, RefusedError

_LONGEST_NAME = 120  # bytes


async def registration_options(deps: Dependencies, context: RequestContext, _body: None) -> Json:
    """Begin a registration: the creation options."""
    user = context.user
    _check_may_register(context)
    async with deps.database.acquire() as connection:
        known = await store.list_of_user(connection, user.id)
    _check_room(deps, known)
    proof = deps.world.entropy.bytes(webauthn.CHALLENGE_LENGTH)
    name, shown = user.email or user.phone, user.raw_user_meta_data.get("name")
    holder = webauthn.UserEntity(
        str(user.id).encode(), name or str(user.id), shown if isinstance(shown, str) else ""
    )
    exclude = [passkey.credential_id for passkey in known]
    options = webauthn.creation_options(_party(deps), holder, proof, exclude, discoverable=True)
    return await _stored_challenge(deps, context, "registration", user.id, options)


async def register(deps: Dependencies, context: RequestContext, _body: None) -> Json:
    """Finish a registration."""
    _check_may_register(context)
    body = registration(context.incoming)
    proof = await _take_challenge(deps, context, body, "registration", context.user.id)
    try:
        response = webauthn_response.read_registration(body.credential or {})
        made = webauthn.verify_registration(_party(deps), proof, response)
    except RefusedError as error:
        raise _refusal(error) from error
    async with unit_of_work(deps, context) as work:
        user = await accounts.lock(work.tx, context.user.id) or context.user
        _check_room(deps, await store.list_of_user(work.tx, user.id))
        values = {
            "id": deps.world.entropy.uuid(), "user_id": user.id, "credential_id": made.id,
            "public_key": made.public_key, "attestation_type": response.attestation_format,
            "aaguid": UUID(made.aaguid), "sign_count": made.sign_count,
            "transports": list(made.transports), "backup_eligible": made.backup_eligible,
            "backed_up": made.backed_up, "friendly_name": name_of(made.aaguid),
            "created_at": context.now, "updated_at": context.now,
        }  # fmt: skip
        with database_errors("creating passkey"):
            passkey = await store.create(work.tx, values)
        await audit.record(work, user, Action.PASSKEY_CREATED, passkey_id=str(passkey.id))
    return Json(_shape(passkey, with_use=False))


async def authentication_options(deps: Dependencies, context: RequestContext, _body: None) -> Json:
    """Begin a sign-in by a discoverable passkey."""
    proof = deps.world.entropy.bytes(webauthn.CHALLENGE_LENGTH)
    options = webauthn.request_options(_party(deps), proof, ())
    return await _stored_challenge(deps, context, "authentication", None, options)


async def authenticate(
    deps: Dependencies, context: RequestContext, body: CeremonyResponse
) -> SignedIn:
    """Finish a sign-in."""
    proof = await _take_challenge(deps, context, body, "authentication", None)
    try:
        response = webauthn_response.read_use(body.credential or {})
    except RefusedError as error:
        raise _refusal(error) from error
    async with unit_of_work(deps, context) as work:
        passkey = await store.lock_by_credential(work.tx, response.credential_id)
        if passkey is None or response.user_handle != str(passkey.user_id).encode():
            raise ApiError.of(passkeys_errors.PASSKEY_VERIFICATION)
        try:
            used = webauthn.verify_authentication(
                _party(deps), proof, response, _credential(passkey)
            )
        except RefusedError as error:
            raise _refusal(error) from error
        user = await accounts.lock(work.tx, passkey.user_id)
        if user is None:
            raise ApiError.of(passkeys_errors.PASSKEY_VERIFICATION)
        _check_may_sign_in(context, user)
        await store.update(
            work.tx, passkey.id, context.now,
            sign_count=used.sign_count, backed_up=used.backed_up, last_used_at=context.now,
        )  # fmt: skip
        await audit.record(work, user, Action.LOGIN, passkey_id=str(passkey.id))
        return await session_tokens.open_session(work, user, "passkey")


async def list_own(deps: Dependencies, context: RequestContext, _body: None) -> Json:
    """The user's passkeys."""
    async with deps.database.acquire() as connection:
        found = await store.list_of_user(connection, context.user.id)
    return Json([_shape(passkey) for passkey in found])


async def rename(deps: Dependencies, context: RequestContext, body: PasskeyChange) -> Json:
    """Give a passkey a name."""
    if not body.friendly_name:
        raise ApiError.of(passkeys_errors.PASSKEY_NO_NAME)
    if len(body.friendly_name.encode()) > _LONGEST_NAME:
        raise ApiError.of(passkeys_errors.PASSKEY_LONG_NAME)
    async with unit_of_work(deps, context) as work:
        found = await store.find(work.tx, body.passkey_id, context.user.id)
        if found is None:
            raise ApiError.of(passkeys_errors.PASSKEY_NOT_FOUND)
        changed = await store.update(
            work.tx, found.id, context.now, friendly_name=body.friendly_name
        )
        await audit.record(work, context.user, Action.PASSKEY_UPDATED, passkey_id=str(found.id))
    return Json(_shape(changed or found))


async def delete_own(deps: Dependencies, context: RequestContext, _body: None) -> Done:
    """Delete one of the user's passkeys."""
    _check_level(context)
    wanted = passkey_id(context.incoming)
    async with unit_of_work(deps, context) as work:
        await _delete(work, context.user, wanted, context.user)
    return Done()


async def admin_list(deps: Dependencies, _context: RequestContext, user_id: UUID) -> Json:
    """Any user's passkeys."""
    user = await find_user(deps, user_id)
    async with deps.database.acquire() as connection:
        found = await store.list_of_user(connection, user.id)
    return Json([_shape(passkey) for passkey in found])


async def admin_delete(deps: Dependencies, context: RequestContext, body: UserPasskey) -> Done:
    """Delete any user's passkey."""
    user = await find_user(deps, body.user_id)
    wanted = passkey_id(body.incoming)
    async with unit_of_work(deps, context) as work:
        await _delete(work, user, wanted, None)
    return Done()


async def _delete(work: UnitOfWork, user: User, wanted: UUID, actor: User | None) -> None:
    if not await store.delete(work.tx, wanted, user.id):
        raise ApiError.of(passkeys_errors.PASSKEY_NOT_FOUND)
    facts = {"passkey_id": str(wanted)} | ({} if actor else {"user_id": str(user.id)})
    await audit.record(work, actor, Action.PASSKEY_DELETED, facts)


async def _stored_challenge(
    deps: Dependencies,
    context: RequestContext,
    kind: str,
    user_id: UUID | None,
    options: dict[str, Any],
) -> Json:
    challenge_id = deps.world.entropy.uuid()
    expires = context.now + timedelta(seconds=deps.settings.webauthn.challenge_seconds)
    async with deps.database.transaction() as tx:
        values = {
            "id": challenge_id, "user_id": user_id, "challenge_type": kind,
            "session_data": {"challenge": options["challenge"]}, "created_at": context.now,
            "expires_at": expires,
        }  # fmt: skip
        await store.create_challenge(tx, values)
    expires_at = int(expires.timestamp())
    return Json({"challenge_id": challenge_id, "options": options, "expires_at": expires_at})


async def _take_challenge(
    deps: Dependencies,
    context: RequestContext,
    body: CeremonyResponse,
    kind: str,
    user_id: UUID | None,
) -> bytes:
    if not body.challenge_id:
        raise ApiError.of(passkeys_errors.PASSKEY_CREDENTIAL_REQUIRED, what="challenge_id")
    if body.credential is None:
        raise ApiError.of(passkeys_errors.PASSKEY_CREDENTIAL_REQUIRED, what="credential")
    try:
        challenge_id = UUID(body.challenge_id)
    except ValueError as error:
        raise ApiError.of(passkeys_errors.PASSKEY_CHALLENGE_FORM) from error
    async with deps.database.transaction() as tx:
        row = await store.take_challenge(tx, challenge_id, kind, user_id)
    if row is None:
        raise ApiError.of(passkeys_errors.PASSKEY_CHALLENGE)
    if context.now > row["expires_at"]:
        raise ApiError.of(passkeys_errors.PASSKEY_CHALLENGE_EXPIRED)
    return base64url_to_bytes(json_object(row["session_data"])["challenge"])


def _refusal(error: RefusedError) -> ApiError:
    is_malformed = isinstance(error, MalformedError)
    return ApiError.of(
        passkeys_errors.PASSKEY_RESPONSE if is_malformed else passkeys_errors.PASSKEY_VERIFICATION
    )


def _check_may_register(context: RequestContext) -> None:
    if context.user.is_sso_user:
        raise ApiError.of(passkeys_errors.PASSKEY_SSO)
    _check_level(context)


def _check_level(context: RequestContext) -> None:
    user = context.user
    is_low = context.session is None or aal_of(context.session.amr) == "aal1"
    if user.has_verified_factor and is_low:
        raise ApiError.of(passkeys_errors.PASSKEY_NEEDS_AAL2)


def _check_may_sign_in(context: RequestContext, user: User) -> None:
    if user.email and not user.is_confirmed:
        raise ApiError.of(passkeys_errors.PASSKEY_EMAIL_NOT_CONFIRMED)
    if user.phone and not user.is_phone_confirmed:
        raise ApiError.of(passkeys_errors.PASSKEY_PHONE_NOT_CONFIRMED)
    if user.is_banned(context.now):
        raise ApiError.of(errors.USER_BANNED)


def _check_room(deps: Dependencies, known: tuple[Passkey, ...]) -> None:
    if len(known) >= deps.settings.webauthn.max_passkeys:
        raise ApiError.of(passkeys_errors.TOO_MANY_PASSKEYS)


def _party(deps: Dependencies) -> webauthn.RelyingParty:
    known = deps.settings.webauthn
    return webauthn.RelyingParty(known.rp_id, known.rp_name, known.origins)


def _credential(passkey: Passkey) -> webauthn.Credential:
    return webauthn.Credential(
        passkey.credential_id, passkey.public_key, passkey.sign_count,
        str(passkey.aaguid or UUID(int=0)), (), passkey.backup_eligible, passkey.backed_up,
    )  # fmt: skip


def _shape(passkey: Passkey, *, with_use: bool = True) -> dict[str, Any]:
    shape: dict[str, Any] = {"id": passkey.id}
    if passkey.friendly_name:
        shape["friendly_name"] = passkey.friendly_name
    shape["created_at"] = passkey.created_at
    if with_use and passkey.last_used_at is not None:
        shape["last_used_at"] = passkey.last_used_at
    return shape
