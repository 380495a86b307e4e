"""Requests of OAuth clients, and users' consent to them (auth reference 11)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from compat_base.values.errors import ApiError, Row
from gotrue_compat import errors
from gotrue_compat.features.oauth_server import rules, store
from gotrue_compat.flows.results import Done, Json, Redirect
from gotrue_compat.flows.transaction import Work, working
from gotrue_compat.model.federation import Authorization, Consent, OAuthClient
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import urls
from gotrue_compat.rules.redirects import followed, is_allowed
from gotrue_compat.store import sessions as session_store

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_ID_LENGTH = 32


@dataclass(frozen=True, slots=True)
class AuthorizeAsk:
    """A client's request, as the browser brings it."""

    client_id: str = ""
    redirect_uri: str = ""
    response_type: str = ""
    scope: str = ""
    state: str = ""
    resource: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class ConsentAsk:
    """A user's decision; the action is `approve` or `deny`."""

    authorization_id: str
    origin: str
    action: str


async def authorize(deps: Deps, visit: Visit, ask: AuthorizeAsk) -> Redirect:
    """Keep a request and send the browser to the application's page that asks the user."""
    client = await _client_of(deps, ask)
    server = deps.settings.oauth_server
    scope = ask.scope or server.default_scope
    problem = _problem(ask, scope)
    if problem:
        return _refusal(ask, "invalid_request", problem)
    authorization_id = deps.world.entropy.text(_ID_LENGTH, _ALPHABET)
    values = {
        "id": deps.world.entropy.uuid(), "authorization_id": authorization_id,
        "client_id": client.id, "redirect_uri": ask.redirect_uri, "scope": scope,
        "state": ask.state or None, "resource": ask.resource or None,
        "code_challenge": ask.code_challenge, "nonce": ask.nonce or None,
        "code_challenge_method": ask.code_challenge_method.lower(), "status": "pending",
        "created_at": visit.now,
        "expires_at": visit.now + timedelta(seconds=server.authorization_seconds),
    }  # fmt: skip
    async with deps.database.transaction() as tx:
        await store.create_authorization(tx, values)
    if not server.authorization_path:
        text = "oauth authorization path not configured"
        return _refusal(ask, "server_error", text)
    page = f"{deps.settings.site_url.rstrip('/')}/{server.authorization_path.lstrip('/')}"
    return Redirect(f"{page}?authorization_id={authorization_id}", 302)


async def details(deps: Deps, visit: Visit, authorization_id: str) -> Json:
    """What is asked for; who allowed as much before is sent on at once."""
    client = None
    async with working(deps, visit) as work:
        found = await _pending(work, authorization_id, errors.OAUTH_AUTHORIZATION_PROCESSED)
        if found is not None:
            consent = await store.find_consent(work.tx, visit.user.id, found.client_id)
            await store.update_authorization(work.tx, found.id, user_id=visit.user.id)
            if consent is not None and rules.covers(consent.scopes, found.scope):
                return Json({"redirect_url": await _approve(work, found)})
            client = await store.find_client(work.tx, found.client_id)
    if found is None or client is None:
        raise ApiError.of(errors.OAUTH_AUTHORIZATION_NOT_FOUND)
    user = visit.user
    return Json(
        {
            "authorization_id": found.authorization_id,
            "redirect_uri": found.redirect_uri,
            "client": _client_shape(client),
            "user": {"id": user.id, "email": user.email},
            "scope": found.scope,
        }
    )


async def decide(deps: Deps, visit: Visit, ask: ConsentAsk) -> Json:
    """Take a user's decision, and give the address to send the browser to."""
    settings = deps.settings
    if ask.origin and not is_allowed(ask.origin, settings.site_url, settings.allow_list):
        raise ApiError.of(errors.OAUTH_ORIGIN)
    if ask.action not in {"approve", "deny"}:
        raise ApiError.of(errors.OAUTH_ACTION)
    async with working(deps, visit) as work:
        found = await _pending(work, ask.authorization_id, errors.OAUTH_NOT_PENDING)
        if found is not None and found.user_id == visit.user.id:
            if ask.action == "deny":
                await store.update_authorization(work.tx, found.id, status="denied")
                text = "User denied the request"
                return Json({"redirect_url": _error_url(found, "access_denied", text)})
            consent = Consent(
                deps.world.entropy.uuid(), visit.user.id, found.client_id,
                " ".join(found.scope.split()), visit.now, None,
            )  # fmt: skip
            await store.put_consent(work.tx, consent)
            return Json({"redirect_url": await _approve(work, found)})
    raise ApiError.of(errors.OAUTH_AUTHORIZATION_NOT_FOUND)


async def list_grants(deps: Deps, visit: Visit, _ask: None) -> Json:
    """What the user allows, newest first."""
    shapes: list[dict[str, object]] = []
    async with deps.database.acquire() as connection:
        for consent in await store.list_consents(connection, visit.user.id):
            client = await store.find_client(connection, consent.client_id)
            if client is not None:
                shapes.append(
                    {
                        "client": _client_shape(client),
                        "scopes": consent.scopes.split(),
                        "granted_at": consent.granted_at,
                    }
                )
    return Json(shapes)


async def revoke_grant(deps: Deps, visit: Visit, client_id: str) -> Done:
    """Take back what the user allowed a client; its sessions end."""
    if not client_id:
        raise ApiError.of(errors.OAUTH_CLIENT_ID_REQUIRED)
    wanted = _client_uuid(client_id, errors.OAUTH_CLIENT_ID_FORM)
    async with deps.database.transaction() as tx:
        if not await store.revoke_consent(tx, visit.user.id, wanted, visit.now):
            raise ApiError.of(errors.OAUTH_CONSENT_NOT_FOUND)
        await session_store.delete_of_client(tx, visit.user.id, wanted)
    return Done()


def _client_uuid(text: str, malformed: Row) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise ApiError.of(malformed) from error


async def _client_of(deps: Deps, ask: AuthorizeAsk) -> OAuthClient:
    """The client of a request whose redirect address is exactly a registered one."""
    for name, value in (("client_id", ask.client_id), ("redirect_uri", ask.redirect_uri)):
        if not value:
            raise ApiError.of(errors.OAUTH_CLIENT_INVALID, text=f"{name} is required")
    wanted = _client_uuid(ask.client_id, errors.OAUTH_AUTHORIZE_ID_FORM)
    async with deps.database.acquire() as connection:
        client = await store.find_client(connection, wanted)
    if client is None:
        raise ApiError.of(errors.OAUTH_CLIENT_UNKNOWN)
    # a row may be older than the rules of registration
    if ask.redirect_uri not in client.redirect_uris or rules.redirects_problem((ask.redirect_uri,)):
        raise ApiError.of(errors.OAUTH_CLIENT_INVALID, text="invalid redirect_uri")
    return client


def _problem(ask: AuthorizeAsk, scope: str) -> str:
    if ask.response_type not in {"", "code"}:
        return "only response_type=code is supported"
    return (
        rules.scopes_problem(scope)
        or rules.resource_problem(ask.resource)
        or rules.challenge_problem(ask.code_challenge, ask.code_challenge_method)
    )


async def _pending(work: Work, authorization_id: str, decided: Row) -> Authorization | None:
    """A request that this user may decide; None (kept: that it expired) where there is none."""
    found = await store.lock_authorization(work.tx, authorization_id)
    if found is None:
        return None
    if work.now > found.expires_at:
        await store.update_authorization(work.tx, found.id, status="expired")
        return None
    if found.status != "pending":
        raise ApiError.of(decided)
    return found if found.user_id in {None, work.visit.user.id} else None


async def _approve(work: Work, found: Authorization) -> str:
    """Give the request a code; the address that carries it to the client."""
    code = str(work.deps.world.entropy.uuid())
    await store.update_authorization(
        work.tx, found.id,
        status="approved", authorization_code=code, approved_at=work.now,
        user_id=work.visit.user.id,
    )  # fmt: skip
    state = {"state": found.state} if found.state else {}
    return _back(found.redirect_uri, {"code": code, **state})


def _error_url(found: Authorization, error: str, text: str) -> str:
    state = {"state": found.state} if found.state else {}
    return _back(found.redirect_uri, {"error": error, "error_description": text, **state})


def _refusal(ask: AuthorizeAsk, error: str, text: str) -> Redirect:
    values = {"error": error, "error_description": text}
    values |= {"state": ask.state} if ask.state else {}
    return Redirect(_back(ask.redirect_uri, values), 302)


def _back(redirect_uri: str, values: dict[str, str]) -> str:
    """The client's address in its parsed form, with what it is told."""
    url = followed(redirect_uri)
    if url is None:
        raise ApiError.of(errors.OAUTH_CLIENT_INVALID, text="invalid redirect_uri")
    return urls.with_query(url.text, values)


def _client_shape(client: OAuthClient) -> dict[str, object]:
    return {
        "id": client.id, "name": client.client_name or "", "uri": client.client_uri or "",
        "logo_uri": client.logo_uri or "",
    }  # fmt: skip
