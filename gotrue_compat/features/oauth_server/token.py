"""Tokens for OAuth clients, and what they may know (auth reference 11)."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from compat_base.values import jwt
from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.errors import oauth_error
from gotrue_compat.features.oauth_server import rules, store
from gotrue_compat.flows import audit, session_tokens
from gotrue_compat.flows.refresh import RefreshAsk, refresh
from gotrue_compat.flows.results import Json, SignedIn
from gotrue_compat.flows.transaction import working
from gotrue_compat.model.audit import Action
from gotrue_compat.model.federation import Authorization, OAuthClient
from gotrue_compat.model.user import User
from gotrue_compat.ports import Deps, Visit
from gotrue_compat.rules import pkce
from gotrue_compat.store import users as user_store


@dataclass(frozen=True, slots=True)
class TokenAsk:
    """What a client sends; `authorization` is its header of that name.

    `is_json` tells that the body says of itself that it is.
    """

    grant_type: str = ""
    code: str = ""
    refresh_token: str = ""
    redirect_uri: str = ""
    client_id: str = ""
    client_secret: str = ""
    code_verifier: str = ""
    resource: str = ""
    authorization: str = ""
    is_readable: bool = True
    is_json: bool = False


async def token(deps: Deps, visit: Visit, ask: TokenAsk) -> Json:
    """Exchange a code or a refresh token."""
    client = await _authenticated(deps, ask)
    if not ask.is_readable:
        raise oauth_error("invalid_request", "Invalid JSON body")
    if not ask.grant_type:
        raise oauth_error("invalid_request", "grant_type is required")
    if ask.grant_type not in client.grant_types:
        text = f"Client is not allowed to use grant type: {ask.grant_type}"
        raise oauth_error("unsupported_grant_type", text)
    if ask.grant_type == "authorization_code":
        return await _exchange(deps, visit, ask, client)
    if not ask.refresh_token:
        text = "refresh_token is required for refresh_token grant"
        raise oauth_error("invalid_request", text)
    signed_in = await refresh(deps, visit, RefreshAsk(ask.refresh_token, client.id))
    return Json(_shape(signed_in))


async def user_info(_deps: Deps, visit: Visit, _ask: None) -> Json:
    """What the session's scopes tell of the user; a session of our own tells everything."""
    session = visit.session
    scope = session.scopes if session and session.oauth_client_id else " ".join(rules.SCOPES)
    return Json(rules.user_claims(visit.user, scope or ""))


async def _exchange(deps: Deps, visit: Visit, ask: TokenAsk, client: OAuthClient) -> Json:
    if not ask.code:
        raise oauth_error("invalid_request", "code is required for authorization_code grant")
    async with working(deps, visit) as work:
        found = await store.find_by_code(work.tx, ask.code)
        user = await _user_of(visit, ask, client, found, work.tx)
        if found is None or not await store.take_by_code(work.tx, ask.code):
            raise oauth_error("invalid_grant", "Invalid authorization code")
        await audit.note(work, user, Action.LOGIN, provider_type="oauth_provider")
        grant = session_tokens.Grant(client_id=client.id, scopes=found.scope)
        method = "oauth_provider/authorization_code"
        signed_in = await session_tokens.open_session(work, user, method, grant)
    shape = _shape(signed_in)
    if "openid" in found.scope.split() and deps.settings.jwt.signing_key.kty != "oct":
        shape["id_token"] = _id_token(deps, visit, user, client, found)
    return Json(shape)


async def _user_of(
    visit: Visit, ask: TokenAsk, client: OAuthClient, found: Authorization | None, tx: Any
) -> User:
    """The user of a code that this client may exchange; an OAuth error for any other."""
    problem = _code_problem(visit, ask, client, found)
    user_id = found.user_id if found else None
    if problem or user_id is None:
        text = problem or "Authorization code has no associated user"
        raise oauth_error("invalid_grant", text)
    user = await user_store.find(tx, user_id)
    if user is None:
        raise oauth_error("invalid_grant", "User not found for authorization code")
    if user.is_banned(visit.now):
        raise oauth_error("access_denied", "User is banned")
    return user


def _code_problem(
    visit: Visit, ask: TokenAsk, client: OAuthClient, found: Authorization | None
) -> str:
    if found is None:
        return "Invalid authorization code"
    if visit.now > found.expires_at:
        return "Authorization code has expired"
    if found.client_id != client.id:
        return "Authorization code was not issued for this client"
    if ask.resource and ask.resource != found.resource:
        return "Authorization code resource does not match the resource parameter"
    if ask.redirect_uri != found.redirect_uri:
        return "Invalid redirect_uri"
    method, challenge = found.code_challenge_method or "", found.code_challenge or ""
    if not pkce.is_answered(challenge, method, ask.code_verifier):
        return "PKCE verification failed: code challenge does not match"
    return ""


async def _authenticated(deps: Deps, ask: TokenAsk) -> OAuthClient:
    """The client that proved itself in its registered way (RFC 6749, section 2.3)."""
    client_id, secret, method = _credentials(ask)
    if not client_id:
        raise oauth_error("invalid_client", "Client authentication required")
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


def _credentials(ask: TokenAsk) -> tuple[str, str, str]:
    """The client's id, its secret, and how it sent them."""
    if ask.authorization.startswith("Basic "):
        try:
            text = base64.b64decode(ask.authorization[6:], validate=True).decode()
        except (binascii.Error, ValueError) as error:
            raise _refused("Invalid client credentials: invalid basic auth encoding") from error
        client_id, colon, secret = text.partition(":")
        if not colon:
            raise _refused("Invalid client credentials: invalid basic auth format")
        return client_id, secret, "client_secret_basic"
    if ask.is_json and not ask.is_readable:
        raise _refused("Invalid client credentials: failed to parse JSON body")
    if not ask.client_id:
        raise _refused("Invalid client credentials: client_id is required")
    method = "client_secret_post" if ask.client_secret else "none"
    return ask.client_id, ask.client_secret, method


def _refused(text: str) -> ApiError:
    return ApiError.of(errors.OAUTH_CREDENTIALS, text=text)


def _shape(signed_in: SignedIn) -> dict[str, Any]:
    return {
        "access_token": signed_in.access_token,
        "token_type": "bearer",
        "expires_in": signed_in.expires_in,
        "refresh_token": signed_in.refresh_token,
    }


def _id_token(
    deps: Deps, visit: Visit, user: User, client: OAuthClient, found: Authorization
) -> str:
    settings = deps.settings.jwt
    end = visit.now + timedelta(seconds=settings.expiry)
    claims = {
        "iss": settings.issuer,
        "aud": str(client.id),
        "exp": int(end.timestamp()),
        "iat": int(visit.now.timestamp()),
        "auth_time": int((found.approved_at or visit.now).timestamp()),
        **({"nonce": found.nonce} if found.nonce else {}),
        **rules.user_claims(user, found.scope),
    }
    return jwt.sign(claims, settings.signing_key)
