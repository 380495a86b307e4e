"""The token endpoint and userinfo (auth reference 11)."""

from __future__ import annotations

import base64
import binascii
from datetime import timedelta
from typing import Any
from uuid import UUID

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from gotrue_compat.core import audit, session_tokens
from gotrue_compat.core.results import Json, SignedIn
from gotrue_compat.core.unit_of_work import unit_of_work
from gotrue_compat.errors import oauth_error
from gotrue_compat.features.oauth_server import errors as oauth_server_errors
from gotrue_compat.features.oauth_server import rules, store
from gotrue_compat.features.oauth_server.bodies import TokenRequest
from gotrue_compat.features.sign_in.bodies import RefreshRequest
from gotrue_compat.features.sign_in.refresh import refresh
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.audit import Action
from gotrue_compat.model.federation import Authorization, OAuthClient
from gotrue_compat.model.user import User
from gotrue_compat.rules import pkce
from gotrue_compat.store import users as user_store

_ID_TOKEN_LIFE = timedelta(hours=1)  # whatever the life of access tokens
_UNPROVEN = "PKCE verification failed:"


async def token(deps: Dependencies, context: RequestContext, body: TokenRequest) -> Json:
    """Exchange a code or a refresh token."""
    client = await _authenticated(deps, body)
    if not body.is_whole:
        raise oauth_error("invalid_request", "Invalid JSON body")
    if not body.grant_type:
        raise oauth_error("invalid_request", "grant_type is required")
    if client is None:
        raise oauth_error("invalid_client", "Client authentication required")
    if body.grant_type not in client.grant_types:
        text = f"Client is not allowed to use grant type: {body.grant_type}"
        raise oauth_error("unsupported_grant_type", text)
    if body.grant_type == "authorization_code":
        return await _exchange(deps, context, body, client)
    if not body.refresh_token:
        text = "refresh_token is required for refresh_token grant"
        raise oauth_error("invalid_request", text)
    signed_in = await refresh(deps, context, RefreshRequest(body.refresh_token, client.id))
    return Json(_shape(signed_in), signed_in=signed_in)


async def user_info(_deps: Dependencies, context: RequestContext, _body: None) -> Json:
    """The claims of the session's scopes; a session of our own has none."""
    scope = (context.session.scopes if context.session else "") or ""
    return Json(rules.user_claims(context.user, scope))


async def _exchange(
    deps: Dependencies, context: RequestContext, body: TokenRequest, client: OAuthClient
) -> Json:
    if not body.code:
        raise oauth_error("invalid_request", "code is required for authorization_code grant")
    async with unit_of_work(deps, context) as work:
        found = await store.find_by_code(work.tx, body.code)
        user = await _user_of(context, body, client, found, work.tx)
        if found is None or not await store.take_by_code(work.tx, body.code):
            raise oauth_error("invalid_grant", "Invalid authorization code")
        facts = {
            "provider_type": "oauth_provider_authorization_code", "client_id": str(client.id),
        }  # fmt: skip
        await audit.record(work, user, Action.LOGIN, facts)
        grant = session_tokens.SessionOptions(client_id=client.id, scopes=found.scope)
        method = "oauth_provider/authorization_code"
        signed_in = await session_tokens.open_session(work, user, method, grant)
    shape = _shape(signed_in)
    if "openid" in found.scope.split() and deps.settings.jwt.signing_key.kty != "oct":
        shape["id_token"] = _id_token(deps, context, signed_in.user, client, found)
    return Json(shape, signed_in=signed_in)


async def _user_of(
    context: RequestContext,
    body: TokenRequest,
    client: OAuthClient,
    found: Authorization | None,
    tx: Any,
) -> User:
    """The user of a code issued to this client; an OAuth error for any other."""
    problem = _code_problem(context, body, client, found)
    user_id = found.user_id if found else None
    if problem or user_id is None:
        text = problem or "Authorization code has no associated user"
        raise oauth_error("invalid_grant", text)
    user = await user_store.find(tx, user_id)
    if user is None:
        raise oauth_error("invalid_grant", "User not found for authorization code")
    if user.is_banned(context.now):
        raise oauth_error("access_denied", "User is banned")
    return user


def _code_problem(
    context: RequestContext, body: TokenRequest, client: OAuthClient, found: Authorization | None
) -> str:
    if found is None:
        return "Invalid authorization code"
    if context.now > found.expires_at:
        return "Authorization code has expired"
    if found.client_id != client.id:
        return "Authorization code was not issued for this client"
    if body.resource and body.resource != found.resource:
        return "Authorization code resource does not match the resource parameter"
    if body.redirect_uri and body.redirect_uri != found.redirect_uri:
        return "Invalid redirect_uri"
    method, challenge = found.code_challenge_method or "", found.code_challenge or ""
    if challenge and not body.code_verifier:
        return f"{_UNPROVEN} code_verifier is required when PKCE challenge is present"
    if challenge and not pkce.is_answered(challenge, method, body.code_verifier):
        return f"{_UNPROVEN} code challenge does not match previously saved code verifier"
    return ""


async def _authenticated(deps: Dependencies, body: TokenRequest) -> OAuthClient | None:
    """The client that proved itself in its registered way (RFC 6749, section 2.3).

    None where the header names none, which is refused once the grant is known.
    """
    client_id, secret, method = _credentials(body)
    if not client_id:
        return None
    try:
        wanted = UUID(client_id)
    except ValueError as error:
        raise _refused("Invalid client_id format") from error
    async with deps.database.acquire() as connection:
        client = await store.find_client(connection, wanted)
    if client is None:
        raise _refused("Invalid client credentials")
    problem = rules.proof_problem(client, method, secret)
    if problem:
        raise _refused(problem)
    return client


def _credentials(body: TokenRequest) -> tuple[str, str, str]:
    """The client's id, its secret, and how it sent them."""
    if body.authorization.startswith("Basic "):
        try:
            text = base64.b64decode(body.authorization[6:], validate=True).decode()
        except (binascii.Error, ValueError) as error:
            raise _refused("Invalid client credentials: invalid basic auth encoding") from error
        client_id, colon, secret = text.partition(":")
        if not colon:
            raise _refused("Invalid client credentials: invalid basic auth format")
        return client_id, secret, "client_secret_basic"
    if body.is_json and not body.is_readable:
        raise _refused("Invalid client credentials: failed to parse JSON body")
    if not body.client_id:
        raise _refused("Invalid client credentials: client_id is required")
    method = "client_secret_post" if body.client_secret else "none"
    return body.client_id, body.client_secret, method


def _refused(text: str) -> ApiError:
    return ApiError.of(oauth_server_errors.OAUTH_CREDENTIALS, text=text)


def _shape(signed_in: SignedIn) -> dict[str, Any]:
    return {
        "access_token": signed_in.access_token,
        "token_type": "bearer",
        "expires_in": signed_in.expires_in,
        "refresh_token": signed_in.refresh_token,
    }


def _id_token(
    deps: Dependencies,
    context: RequestContext,
    user: User,
    client: OAuthClient,
    found: Authorization,
) -> str:
    settings = deps.settings.jwt
    claims = {
        **({"iss": settings.issuer} if settings.issuer else {}),
        "aud": str(client.id),
        "exp": int((context.now + _ID_TOKEN_LIFE).timestamp()),
        "iat": int(context.now.timestamp()),
        "auth_time": int((user.last_sign_in_at or context.now).timestamp()),
        **({"nonce": found.nonce} if found.nonce else {}),
        **rules.id_token_claims(user, found.scope),
        "client_id": str(client.id),
    }
    return jwt.sign(claims, settings.signing_key)
