"""Clients of the OAuth server, by administrators and by themselves (auth reference 11)."""

from __future__ import annotations

import base64
from typing import Any
from uuid import UUID

from compat_base.values.errors import ApiError
from gotrue_compat.core.results import Done, Json
from gotrue_compat.features.oauth_server import errors as oauth_server_errors
from gotrue_compat.features.oauth_server import rules, store
from gotrue_compat.features.oauth_server.bodies import ClientChange, ClientRecord, oauth_client
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.federation import OAuthClient

_SECRET = 32


async def create(deps: Dependencies, context: RequestContext, body: ClientRecord) -> Json:
    """Register a client by hand."""
    return await _register(deps, context, body, "manual")


async def register(deps: Dependencies, context: RequestContext, body: ClientRecord) -> Json:
    """A client registers itself (RFC 7591)."""
    if not deps.settings.oauth_server.dynamic_registration:
        raise ApiError.of(oauth_server_errors.OAUTH_REGISTRATION_DISABLED)
    most = deps.settings.oauth_server.max_dynamic_clients
    async with deps.database.acquire() as connection:
        if most and await store.count_dynamic_clients(connection) >= most:
            raise ApiError.of(oauth_server_errors.OAUTH_CLIENT_QUOTA)
    return await _register(deps, context, body, "dynamic")


async def list_clients(deps: Dependencies, _context: RequestContext, _body: None) -> Json:
    """Every client; the key is absent where there are none, as with the original."""
    async with deps.database.acquire() as connection:
        clients = await store.list_clients(connection)
    shapes = [client_shape(client) for client in clients]
    return Json({"clients": shapes} if shapes else {})


async def get_client(deps: Dependencies, _context: RequestContext, client_id: UUID) -> Json:
    """One client."""
    return Json(client_shape(await find(deps, client_id)))


async def update_client(deps: Dependencies, context: RequestContext, body: ClientChange) -> Json:
    """Change what is given of a client."""
    client = await find(deps, body.client_id)
    record = oauth_client(body.incoming)
    changes = _changes(client, record)
    if not changes:
        raise _invalid("No fields provided for update")
    async with deps.database.transaction() as tx:
        changed = await store.update_client(tx, client.id, context.now, **changes)
    return Json(client_shape(changed or client))


async def delete_client(deps: Dependencies, context: RequestContext, client_id: UUID) -> Done:
    """Delete a client; its row stays for those who refer to it."""
    client = await find(deps, client_id)
    async with deps.database.transaction() as tx:
        await store.update_client(tx, client.id, context.now, deleted_at=context.now)
    return Done()


async def regenerate_secret(deps: Dependencies, context: RequestContext, client_id: UUID) -> Json:
    """Give a client a new secret; the old one ends."""
    client = await find(deps, client_id)
    if client.client_type != "confidential":
        raise ApiError.of(oauth_server_errors.OAUTH_NO_SECRET)
    secret = _new_secret(deps)
    async with deps.database.transaction() as tx:
        await store.update_client(
            tx, client.id, context.now, client_secret_hash=rules.secret_hash(secret)
        )
    return Json(client_shape(client, secret))


async def find(deps: Dependencies, client_id: UUID) -> OAuthClient:
    """The client of a path, or ApiError."""
    async with deps.database.acquire() as connection:
        client = await store.find_client(connection, client_id)
    if client is None:
        raise ApiError.of(oauth_server_errors.OAUTH_CLIENT_NOT_FOUND)
    return client


def client_shape(client: OAuthClient, secret: str = "") -> dict[str, Any]:
    """A client as answers show it; the secret only where it was made just now."""
    shape: dict[str, Any] = {"client_id": client.id}
    shape |= {"client_secret": secret} if secret else {}
    shape |= {
        "client_type": client.client_type,
        "redirect_uris": client.redirect_uris,
        "token_endpoint_auth_method": client.token_endpoint_auth_method,
        "grant_types": client.grant_types,
        "response_types": ["code"],
    }
    texts = {
        "client_name": client.client_name, "client_uri": client.client_uri,
        "logo_uri": client.logo_uri,
    }  # fmt: skip
    shape |= {name: value for name, value in texts.items() if value}
    shape |= {
        "registration_type": client.registration_type,
        "created_at": client.created_at,
        "updated_at": client.updated_at,
    }
    return shape


async def _register(
    deps: Dependencies, context: RequestContext, body: ClientRecord, how: str
) -> Json:
    kind, method, problem = rules.client_kind(
        body.client_type, body.token_endpoint_auth_method or ""
    )
    grants = body.grant_types or rules.GRANTS
    texts = (body.client_name or "", body.client_uri or "", body.logo_uri or "")
    problem = (
        rules.redirects_problem(body.redirect_uris or None)
        or rules.grants_problem(grants)
        or rules.texts_problem(*texts)
        or problem
    )
    if problem:
        raise _invalid(f"400: {problem}")
    secret = _new_secret(deps) if kind == "confidential" else ""
    values = {
        "id": deps.world.entropy.uuid(), "registration_type": how, "client_type": kind,
        "client_secret_hash": rules.secret_hash(secret) if secret else "",
        "redirect_uris": ",".join(body.redirect_uris or ()), "grant_types": ",".join(grants),
        "client_name": body.client_name or None, "client_uri": body.client_uri or None,
        "logo_uri": body.logo_uri or None, "token_endpoint_auth_method": method,
        "created_at": context.now, "updated_at": context.now,
    }  # fmt: skip
    async with deps.database.transaction() as tx:
        client = await store.create_client(tx, values)
    return Json(client_shape(client, secret), 201)


def _changes(client: OAuthClient, record: ClientRecord) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    problem = ""
    if record.redirect_uris is not None:
        problem = rules.redirects_problem(record.redirect_uris)
        changes["redirect_uris"] = ",".join(record.redirect_uris)
    if record.grant_types is not None:
        problem = problem or rules.grants_problem(record.grant_types)
        changes["grant_types"] = ",".join(record.grant_types)
    texts = (record.client_name, record.client_uri, record.logo_uri)
    for name, value in zip(("client_name", "client_uri", "logo_uri"), texts, strict=True):
        if value is not None:
            changes[name] = value or None
    problem = problem or rules.texts_problem(*(text or "" for text in texts))
    if record.token_endpoint_auth_method is not None:
        method = record.token_endpoint_auth_method
        problem = problem or rules.method_problem(client.client_type, method)
        changes["token_endpoint_auth_method"] = method
    if problem:
        raise _invalid(problem)
    return changes


def _new_secret(deps: Dependencies) -> str:
    return base64.urlsafe_b64encode(deps.world.entropy.bytes(_SECRET)).rstrip(b"=").decode()


def _invalid(text: str) -> ApiError:
    return ApiError.of(oauth_server_errors.OAUTH_CLIENT_INVALID, text=text)
