"""Passkeys: registered by users, used to sign in without a name (auth reference 8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.errors import database_errors
from gotrue_compat.features.admin.users import find_user
from gotrue_compat.features.passkeys import store
from gotrue_compat.features.passkeys.authenticators import name_of
from gotrue_compat.features.passkeys.model import Passkey
from gotrue_compat.flows import accounts, audit, session_tokens
from gotrue_compat.flows.results import Done, Json, SignedIn
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.rows import json_object
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import webauthn
from gotrue_compat.rules.claims import aal_of

_LONGEST_NAME = 120  # bytes


@dataclass(frozen=True, slots=True)
class CeremonyProof:
    """What a browser's authenticator answered."""

    challenge_id: str = ""
    credential: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PasskeyAsk:
    """A user's passkey, and its new name."""

    passkey_id: UUID
    friendly_name: str = ""


@dataclass(frozen=True, slots=True)
class AdminPasskeyAsk:
    """A passkey of any user."""

    user_id: UUID
    passkey_id: UUID


async def registration_options(deps: Deps, visit: Visit, _ask: None) -> Json:
    """Begin a registration."""
    user = visit.user
    _check_may_manage(visit)
    async with deps.database.acquire() as connection:
        known = await store.list_of_user(connection, user.id)
    _check_room(deps, known)
    proof = deps.world.entropy.bytes(webauthn.CHALLENGE_LENGTH)
    holder = webauthn.Holder(str(user.id).encode(), user.email or user.phone or str(user.id))
    exclude = [passkey.credential_id for passkey in known]
    options = webauthn.creation_options(_party(deps), holder, proof, exclude, discoverable=True)
    return await _begun(deps, visit, "registration", user.id, options)


async def register(deps: Deps, visit: Visit, ask: CeremonyProof) -> Json:
    """Finish a registration."""
    _check_may_manage(visit)
    proof = await _take_challenge(deps, visit, ask, "registration", visit.user.id)
    try:
        made = webauthn.registered(_party(deps), proof, ask.credential or {})
    except webauthn.RefusedError as error:
        raise _refusal(error) from error
    async with working(deps, visit) as work:
        user = await accounts.lock(work.tx, visit.user.id) or visit.user
        _check_room(deps, await store.list_of_user(work.tx, user.id))
        values = {
            "id": deps.world.entropy.uuid(), "user_id": user.id, "credential_id": made.id,
            "public_key": made.public_key, "attestation_type": "none",
            "aaguid": UUID(made.aaguid), "sign_count": made.sign_count,
            "transports": list(made.transports), "backup_eligible": made.backup_eligible,
            "backed_up": made.backed_up, "friendly_name": name_of(made.aaguid),
            "created_at": visit.now, "updated_at": visit.now,
        }  # fmt: skip
        with database_errors("creating passkey"):
            passkey = await store.create(work.tx, values)
        await audit.note(work, user, Action.PASSKEY_CREATED, passkey_id=str(passkey.id))
    return Json(_shape(passkey, with_use=False))


async def authentication_options(deps: Deps, visit: Visit, _ask: None) -> Json:
    """Begin a sign-in by whatever passkey the browser offers."""
    proof = deps.world.entropy.bytes(webauthn.CHALLENGE_LENGTH)
    options = webauthn.request_options(_party(deps), proof, ())
    return await _begun(deps, visit, "authentication", None, options)


async def authenticate(deps: Deps, visit: Visit, ask: CeremonyProof) -> SignedIn:
    """Finish a sign-in."""
    proof = await _take_challenge(deps, visit, ask, "authentication", None)
    response = ask.credential or {}
    try:
        webauthn.check_use(response)
    except webauthn.RefusedError as error:
        raise _refusal(error) from error
    async with working(deps, visit) as work:
        passkey = await store.lock_by_credential(work.tx, webauthn.credential_id_of(response))
        handle = webauthn.user_handle_of(response)
        if passkey is None or handle not in {b"", str(passkey.user_id).encode()}:
            raise ApiError.of(errors.PASSKEY_VERIFICATION)
        try:
            used = webauthn.used(_party(deps), proof, response, _credential(passkey))
        except webauthn.RefusedError as error:
            raise _refusal(error) from error
        user = await accounts.lock(work.tx, passkey.user_id)
        if user is None:
            raise ApiError.of(errors.PASSKEY_VERIFICATION)
        _check_may_enter(visit, user)
        await store.update(
            work.tx, passkey.id, visit.now,
            sign_count=used.sign_count, backed_up=used.backed_up, last_used_at=visit.now,
        )  # fmt: skip
        await audit.note(work, user, Action.LOGIN, passkey_id=str(passkey.id))
        return await session_tokens.open_session(work, user, "passkey")


async def list_own(deps: Deps, visit: Visit, _ask: None) -> Json:
    """The user's passkeys."""
    async with deps.database.acquire() as connection:
        found = await store.list_of_user(connection, visit.user.id)
    return Json([_shape(passkey) for passkey in found])


async def rename(deps: Deps, visit: Visit, ask: PasskeyAsk) -> Json:
    """Give a passkey a name."""
    if not ask.friendly_name:
        raise ApiError.of(errors.PASSKEY_NO_NAME)
    if len(ask.friendly_name.encode()) > _LONGEST_NAME:
        raise ApiError.of(errors.PASSKEY_LONG_NAME)
    async with working(deps, visit) as work:
        found = await store.find(work.tx, ask.passkey_id, visit.user.id)
        if found is None:
            raise ApiError.of(errors.PASSKEY_NOT_FOUND)
        changed = await store.update(work.tx, found.id, visit.now, friendly_name=ask.friendly_name)
        await audit.note(work, visit.user, Action.PASSKEY_UPDATED, passkey_id=str(found.id))
    return Json(_shape(changed or found))


async def delete_own(deps: Deps, visit: Visit, ask: PasskeyAsk) -> Done:
    """Delete one of the user's passkeys."""
    _check_may_manage(visit)
    async with working(deps, visit) as work:
        await _delete(work, visit.user, ask.passkey_id, visit.user)
    return Done()


async def admin_list(deps: Deps, _visit: Visit, user_id: UUID) -> Json:
    """Any user's passkeys."""
    user = await find_user(deps, user_id)
    async with deps.database.acquire() as connection:
        found = await store.list_of_user(connection, user.id)
    return Json([_shape(passkey) for passkey in found])


async def admin_delete(deps: Deps, visit: Visit, ask: AdminPasskeyAsk) -> Done:
    """Delete any user's passkey."""
    user = await find_user(deps, ask.user_id)
    async with working(deps, visit) as work:
        await _delete(work, user, ask.passkey_id, None)
    return Done()


async def _delete(work: Work, user: User, passkey_id: UUID, actor: User | None) -> None:
    if not await store.delete(work.tx, passkey_id, user.id):
        raise ApiError.of(errors.PASSKEY_NOT_FOUND)
    facts = {"passkey_id": str(passkey_id)} | ({} if actor else {"user_id": str(user.id)})
    await audit.note(work, actor, Action.PASSKEY_DELETED, **facts)


async def _begun(
    deps: Deps, visit: Visit, kind: str, user_id: UUID | None, options: dict[str, Any]
) -> Json:
    challenge_id = deps.world.entropy.uuid()
    expires = visit.now + timedelta(seconds=deps.settings.webauthn.challenge_seconds)
    async with deps.database.transaction() as tx:
        values = {
            "id": challenge_id, "user_id": user_id, "challenge_type": kind,
            "session_data": {"challenge": options["challenge"]}, "created_at": visit.now,
            "expires_at": expires,
        }  # fmt: skip
        await store.create_challenge(tx, values)
    expires_at = int(expires.timestamp())
    return Json({"challenge_id": challenge_id, "options": options, "expires_at": expires_at})


async def _take_challenge(
    deps: Deps, visit: Visit, ask: CeremonyProof, kind: str, user_id: UUID | None
) -> bytes:
    if not ask.challenge_id:
        raise ApiError.of(errors.PASSKEY_CREDENTIAL_REQUIRED, what="challenge_id")
    if ask.credential is None:
        raise ApiError.of(errors.PASSKEY_CREDENTIAL_REQUIRED, what="credential")
    try:
        challenge_id = UUID(ask.challenge_id)
    except ValueError as error:
        raise ApiError.of(errors.PASSKEY_CHALLENGE_FORM) from error
    async with deps.database.transaction() as tx:
        row = await store.take_challenge(tx, challenge_id, kind, user_id)
    if row is None:
        raise ApiError.of(errors.PASSKEY_CHALLENGE)
    if visit.now > row["expires_at"]:
        raise ApiError.of(errors.PASSKEY_CHALLENGE_EXPIRED)
    return webauthn.decoded(json_object(row["session_data"]).get("challenge"))


def _refusal(error: webauthn.RefusedError) -> ApiError:
    is_malformed = isinstance(error, webauthn.MalformedError)
    return ApiError.of(errors.PASSKEY_RESPONSE if is_malformed else errors.PASSKEY_VERIFICATION)


def _check_may_manage(visit: Visit) -> None:
    user = visit.user
    if user.is_sso_user:
        raise ApiError.of(errors.PASSKEY_SSO)
    is_low = visit.session is None or aal_of(visit.session.amr) == "aal1"
    if user.has_verified_factor and is_low:
        raise ApiError.of(errors.PASSKEY_NEEDS_AAL2)


def _check_may_enter(visit: Visit, user: User) -> None:
    if user.email and not user.is_confirmed:
        raise ApiError.of(errors.PASSKEY_EMAIL_NOT_CONFIRMED)
    if user.phone and not user.is_phone_confirmed:
        raise ApiError.of(errors.PASSKEY_PHONE_NOT_CONFIRMED)
    if user.is_banned(visit.now):
        raise ApiError.of(errors.USER_BANNED)


def _check_room(deps: Deps, known: tuple[Passkey, ...]) -> None:
    if len(known) >= deps.settings.webauthn.max_passkeys:
        raise ApiError.of(errors.TOO_MANY_PASSKEYS)


def _party(deps: Deps) -> webauthn.Party:
    known = deps.settings.webauthn
    return webauthn.Party(known.rp_id, known.rp_name, known.origins)


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
