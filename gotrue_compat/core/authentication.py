"""The principal of a request, by its bearer token (auth reference 1.12)."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from compat_base.values.errors import ApiError, Row
from compat_base.values.http import HttpRequest
from compat_base.values.jwt import Claims
from gotrue_compat import errors
from gotrue_compat.core.access_tokens import TokenReader
from gotrue_compat.http.context import Principal
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.http.incoming import Incoming
from gotrue_compat.http.route import Guard
from gotrue_compat.rules.sessions import expired
from gotrue_compat.store.statements import NIL

# Exactly one blank, as in the original; trailing white space is not part of a header's value
_BEARER = re.compile(r"bearer (\S+)[ \t]*", re.IGNORECASE)
_NIL = str(NIL)


class Authenticator:
    """Verifies tokens, and finds the users and sessions that they name."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._tokens = TokenReader(deps.settings.jwt)

    async def principal(self, incoming: Incoming, guard: Guard, now: datetime) -> Principal | None:
        """The principal that the guard requires; ApiError for another."""
        if guard is Guard.PUBLIC:
            return None
        if guard is Guard.MAYBE and not incoming.asks_to_link:
            return None
        if guard is Guard.MAYBE and not incoming.request.header("authorization"):
            reason = "Linking requires a valid user access token in Authorization"
            raise errors.oauth_error("invalid request", reason)
        claims = self.claims(incoming.request, now)
        if guard is Guard.ADMIN:
            await self._check_session(claims, now)
            if claims.get("role") not in self._deps.settings.jwt.admin_roles:
                raise ApiError.of(errors.NOT_ADMIN)
            return Principal(claims, is_admin=True)
        principal = await self._user_of(claims, now)
        if guard is Guard.PERSON and claims.get("is_anonymous") is True:
            raise ApiError.of(errors.ANONYMOUS_NOT_ALLOWED)
        return principal

    async def _check_session(self, claims: Claims, now: datetime) -> None:
        """Refuse a session that ended, or that an OAuth client holds; servers have none."""
        if claims.get("session_id") in {None, "", _NIL}:
            return
        found = (await self._user_of(claims, now)).current
        if found and found.is_client:
            raise ApiError.of(errors.NOT_FOR_CLIENTS)
        limits = self._deps.settings.sessions
        if found and found.session and expired(found.session, found.user, limits, now):
            raise ApiError.of(errors.SESSION_OVER)

    def claims(self, request: HttpRequest, now: datetime) -> Claims:
        """The claims of a request's bearer token; ApiError without a valid one."""
        found = _BEARER.fullmatch(request.header("authorization") or "")
        if found is None:
            raise ApiError.of(errors.NO_BEARER)
        return self._tokens.read(found.group(1), now)

    async def _user_of(self, claims: Claims, now: datetime) -> Principal:
        """The user and session of a user's token, both still there and not banned.

        Source: auth reference 1.12.
        """
        user_id = _uuid(claims.get("sub"), errors.NO_SUB, errors.SUB_NOT_UUID)
        named = claims.get("session_id")
        session_id = _uuid_or_none(named)
        found = await self._deps.current_users.load((user_id, session_id))
        if found is None:
            raise ApiError.of(errors.NO_SUCH_SUB)
        if named and session_id is None:  # judged after the user, as by the original
            raise ApiError.of(errors.SESSION_ID_FORM)
        if session_id is not None and session_id.int and not found.has_session:
            raise ApiError.of(errors.NO_SUCH_SESSION)
        if found.is_banned(now):
            raise ApiError.of(errors.USER_BANNED)
        jwt = self._deps.settings.jwt
        is_admin = (found.row["role"], found.row["aud"]) == (jwt.admin_group, jwt.aud)
        return Principal(claims, found, is_admin and not found.is_client)


def _uuid(value: object, absent: Row, malformed: Row) -> UUID:
    if not isinstance(value, str) or not value:
        raise ApiError.of(absent)
    found = _uuid_or_none(value)
    if found is None:
        raise ApiError.of(malformed)
    return found


def _uuid_or_none(value: object) -> UUID | None:
    return _read_uuid(value) if isinstance(value, str) else None


@lru_cache(maxsize=8192)
def _read_uuid(text: str) -> UUID | None:
    """Cached, because a client sends one token many times; only signed claims come here."""
    try:
        return UUID(text)
    except ValueError:
        return None
