"""Authorization requests of OAuth clients, and users' consent (auth reference 11)."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from compat_base.postgres.faults import PgFault
from compat_base.values.errors import ApiError, Row
from gotrue_compat.core import audit
from gotrue_compat.core.results import Done, Json, Redirect
from gotrue_compat.core.unit_of_work import UnitOfWork, unit_of_work
from gotrue_compat.features.oauth_server import errors as oauth_server_errors
from gotrue_compat.features.oauth_server import rules, store
from gotrue_compat.features.oauth_server.bodies import AuthorizeRequest, ConsentDecision
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.federation import Authorization, Consent, OAuthClient
from gotrue_compat.store import sessions as session_store
from gotrue_compat.urls import links
from gotrue_compat.urls.redirects import followed, is_allowed

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_ID_LENGTH = 32


async def authorize(
    deps: Dependencies, context: RequestContext, body: AuthorizeRequest
) -> Redirect:
    """Store a request and redirect to the application's consent page."""
    client = await _client_of(deps, body)
    server = deps.settings.oauth_server
    scope = body.scope or server.default_scope
    problem = _problem(body, scope)
    if problem:
        return _refusal(body, "invalid_request", problem)
    authorization_id = deps.world.entropy.text(_ID_LENGTH, _ALPHABET)
    values = {
        "id": deps.world.entropy.uuid(), "authorization_id": authorization_id,
        "client_id": client.id, "redirect_uri": body.redirect_uri, "scope": scope,
        "state": body.state or None, "resource": body.resource or None,
        "code_challenge": body.code_challenge, "nonce": body.nonce or None,
        "code_challenge_method": body.code_challenge_method.lower(), "status": "pending",
        "created_at": context.now,
        "expires_at": context.now + timedelta(seconds=server.authorization_seconds),
    }  # fmt: skip
    try:
        async with deps.database.transaction() as tx:
            await store.create_authorization(tx, values)
    except PgFault:  # a nonce longer than its column, for one
        return _refusal(body, "server_error", "error creating authorization")
    if not server.authorization_path:
        text = "oauth authorization path not configured"
        return _refusal(body, "server_error", text)
    page = f"{deps.settings.site_url.rstrip('/')}/{server.authorization_path.lstrip('/')}"
    return Redirect(f"{page}?authorization_id={authorization_id}", 302)


async def details(deps: Dependencies, context: RequestContext, body: ConsentDecision) -> Json:
    """The requested scopes; where consent exists, the redirect back at once."""
    _check_origin(deps, body)
    client = None
    async with unit_of_work(deps, context) as work:
        found = await _pending(
            work, body.authorization_id, oauth_server_errors.OAUTH_AUTHORIZATION_PROCESSED
        )
        if found is not None:
            consent = await store.find_consent(work.tx, context.user.id, found.client_id)
            await store.update_authorization(work.tx, found.id, user_id=context.user.id)
            if consent is not None and rules.covers(consent.scopes, found.scope):
                return Json({"redirect_url": await _approve(work, found)})
            client = await store.find_client(work.tx, found.client_id)
    if found is None or client is None:
        raise ApiError.of(oauth_server_errors.OAUTH_AUTHORIZATION_NOT_FOUND)
    user = context.user
    return Json(
        {
            "authorization_id": found.authorization_id,
            "redirect_uri": found.redirect_uri,
            "client": _client_shape(client),
            "user": {"id": user.id, **({"email": user.email} if user.email else {})},
            "scope": found.scope,
        }
    )


async def decide(deps: Dependencies, context: RequestContext, body: ConsentDecision) -> Json:
    """Store a user's decision, and give the redirect URL."""
    _check_origin(deps, body)
    action = body.action
    if action not in {"approve", "deny"}:
        raise ApiError.of(oauth_server_errors.OAUTH_ACTION)
    async with unit_of_work(deps, context) as work:
        found = await _pending(work, body.authorization_id, oauth_server_errors.OAUTH_NOT_PENDING)
        if found is not None and found.user_id == context.user.id:
            if action == "deny":
                await store.update_authorization(work.tx, found.id, status="denied")
                text = "User denied the request"
                return Json({"redirect_url": _error_url(found, "access_denied", text)})
            consent = Consent(
                deps.world.entropy.uuid(), context.user.id, found.client_id,
                " ".join(found.scope.split()), context.now, None,
            )  # fmt: skip
            await store.put_consent(work.tx, consent)
            return Json({"redirect_url": await _approve(work, found)})
    raise ApiError.of(oauth_server_errors.OAUTH_AUTHORIZATION_NOT_FOUND)


def _check_origin(deps: Dependencies, body: ConsentDecision) -> None:
    """Refuse a page that this service does not send browsers to; programs name none."""
    settings = deps.settings
    if body.origin and not is_allowed(body.origin, settings.site_url, settings.allow_list):
        raise ApiError.of(oauth_server_errors.OAUTH_ORIGIN)


async def list_grants(deps: Dependencies, context: RequestContext, _body: None) -> Json:
    """A user's consents, newest first."""
    shapes: list[dict[str, object]] = []
    async with deps.database.acquire() as connection:
        for consent in await store.list_consents(connection, context.user.id):
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


async def revoke_grant(deps: Dependencies, context: RequestContext, client_id: str) -> Done:
    """Revoke a user's consent; the client's sessions end, and its codes that it has not used."""
    if not client_id:
        raise ApiError.of(oauth_server_errors.OAUTH_CLIENT_ID_REQUIRED)
    wanted = _client_uuid(client_id, oauth_server_errors.OAUTH_CLIENT_ID_FORM)
    async with unit_of_work(deps, context) as work:
        if not await store.revoke_consent(work.tx, context.user.id, wanted, context.now):
            raise ApiError.of(oauth_server_errors.OAUTH_CONSENT_NOT_FOUND)
        # codes first: one that is being exchanged is waited for, and its session ends below
        await store.delete_codes(work.tx, context.user.id, wanted)
        await session_store.delete_of_client(work.tx, context.user.id, wanted)
        facts = {"oauth_client_id": str(wanted), "action": "revoke_oauth_grant"}
        await audit.record(work, context.user, Action.TOKEN_REVOKED, facts)
    return Done()


def _client_uuid(text: str, malformed: Row) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise ApiError.of(malformed) from error


async def _client_of(deps: Dependencies, body: AuthorizeRequest) -> OAuthClient:
    """The client of a request whose redirect address is exactly a registered one."""
    for name, value in (("client_id", body.client_id), ("redirect_uri", body.redirect_uri)):
        if not value:
            raise ApiError.of(oauth_server_errors.OAUTH_CLIENT_INVALID, text=f"{name} is required")
    wanted = _client_uuid(body.client_id, oauth_server_errors.OAUTH_AUTHORIZE_ID_FORM)
    async with deps.database.acquire() as connection:
        client = await store.find_client(connection, wanted)
    if client is None:
        raise ApiError.of(oauth_server_errors.OAUTH_CLIENT_UNKNOWN)
    # a row may be older than the rules of registration
    if body.redirect_uri not in client.redirect_uris or rules.redirects_problem(
        (body.redirect_uri,)
    ):
        raise ApiError.of(oauth_server_errors.OAUTH_CLIENT_INVALID, text="invalid redirect_uri")
    return client


def _problem(body: AuthorizeRequest, scope: str) -> str:
    if body.response_type not in {"", "code"}:
        return "only response_type=code is supported"
    return (
        rules.scopes_problem(scope)
        or rules.resource_problem(body.resource)
        or rules.challenge_problem(body.code_challenge, body.code_challenge_method)
    )


async def _pending(work: UnitOfWork, authorization_id: str, decided: Row) -> Authorization | None:
    """A request that this user may decide; None (its expiry is stored) without one."""
    found = await store.lock_authorization(work.tx, authorization_id)
    if found is None:
        return None
    if work.now > found.expires_at:
        await store.update_authorization(work.tx, found.id, status="expired")
        return None
    if found.status != "pending":
        raise ApiError.of(decided)
    return found if found.user_id in {None, work.context.user.id} else None


async def _approve(work: UnitOfWork, found: Authorization) -> str:
    """Issue an authorization code; the redirect URL with it."""
    code = str(work.deps.world.entropy.uuid())
    await store.update_authorization(
        work.tx, found.id,
        status="approved", authorization_code=code, approved_at=work.now,
        user_id=work.context.user.id,
    )  # fmt: skip
    state = {"state": found.state} if found.state else {}
    return _back(found.redirect_uri, {"code": code, **state})


def _error_url(found: Authorization, error: str, text: str) -> str:
    state = {"state": found.state} if found.state else {}
    return _back(found.redirect_uri, {"error": error, "error_description": text, **state})


def _refusal(body: AuthorizeRequest, error: str, text: str) -> Redirect:
    values = {"error": error, "error_description": text}
    values |= {"state": body.state} if body.state else {}
    return Redirect(_back(body.redirect_uri, values), 302)


def _back(redirect_uri: str, values: dict[str, str]) -> str:
    """The client's address in its parsed form, with query values."""
    url = followed(redirect_uri)
    if url is None:
        raise ApiError.of(oauth_server_errors.OAUTH_CLIENT_INVALID, text="invalid redirect_uri")
    return links.with_query(url.text, values)


def _client_shape(client: OAuthClient) -> dict[str, object]:
    shown = {"name": client.client_name, "uri": client.client_uri, "logo_uri": client.logo_uri}
    return {"id": client.id, **{name: value for name, value in shown.items() if value}}
