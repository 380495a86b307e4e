"""Twitter by OAuth 1.0a: requests are signed, the state travels in the callback's address."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.model.rows import json_object
from gotrue_compat.ports import HttpAnswer, HttpCall, HttpPort, ProviderError, UnreachableError
from gotrue_compat.providers.definition import ProviderSettings, base, identity, only_email
from gotrue_compat.providers.transport import fetch_json

_PROFILE = "/1.1/account/verify_credentials.json"
_PROFILE_QUERY = (("include_entities", "false"), ("include_email", "true"), ("skip_status", "true"))
_BAD_STATUS = 300


@dataclass(frozen=True, slots=True)
class OAuthNonce:
    """What a signature needs besides the request: a nonce and the time in Unix seconds."""

    nonce: str
    timestamp: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A token and its secret."""

    token: str = ""
    secret: str = ""


@dataclass(frozen=True, slots=True)
class Twitter:
    """Twitter's three calls in the name of one application."""

    settings: ProviderSettings
    http: HttpPort

    async def request_token(self, state: str, nonce: OAuthNonce) -> Pair:
        """A token to send the user with."""
        callback = f"{self.settings.redirect_uri}?{urlencode({'state': state})}"
        url = f"{self._host()}/oauth/request_token"
        more = {"oauth_callback": callback}
        return _pair(await self._post(url, Pair(), more, nonce))

    def authorize_url(self, token: str) -> str:
        """Where to send the user."""
        return f"{self._host()}/oauth/authenticate?{urlencode({'oauth_token': token})}"

    async def access_token(self, request: Pair, verifier: str, nonce: OAuthNonce) -> Pair:
        """The token that the user granted."""
        url = f"{self._host()}/oauth/access_token"
        return _pair(await self._post(url, request, {"oauth_verifier": verifier}, nonce))

    async def identity(self, granted: Pair, nonce: OAuthNonce) -> ExternalIdentity:
        """The identity of the user who granted the token."""
        url = f"{self._host()}{_PROFILE}"
        header = self._authorization("GET", url, granted, {}, nonce, _PROFILE_QUERY)
        call = HttpCall("GET", f"{url}?{urlencode(_PROFILE_QUERY)}", {"authorization": header})
        user = json_object(await fetch_json(self.http, call))
        claims = {
            "name": user.get("name"), "full_name": user.get("name"),
            "picture": user.get("profile_image_url_https"),
            "avatar_url": user.get("profile_image_url_https"),
            "preferred_username": user.get("screen_name"), "user_name": user.get("screen_name"),
        }  # fmt: skip
        emails = only_email(user.get("email"), verified=True)
        return identity(user.get("id_str"), emails, url, **claims)

    def _host(self) -> str:
        return base(self.settings.url, "api.twitter.com")

    async def _post(
        self, url: str, pair: Pair, more: Mapping[str, str], nonce: OAuthNonce
    ) -> HttpAnswer:
        header = self._authorization("POST", url, pair, more, nonce)
        try:
            answer = await self.http.send(HttpCall("POST", url, {"authorization": header}))
        except UnreachableError as error:
            raise ProviderError(str(error)) from error
        if answer.status >= _BAD_STATUS:
            raise ProviderError(f"status {answer.status}")
        return answer

    def _authorization(  # noqa: PLR0913, PLR0917 — what RFC 5849 signs
        self, method: str, url: str, pair: Pair, more: Mapping[str, str], nonce: OAuthNonce,
        query: Sequence[tuple[str, str]] = (),
    ) -> str:  # fmt: skip
        """The Authorization header of a signed request (RFC 5849, section 3)."""
        values = {
            "oauth_consumer_key": self.settings.client_ids[0],
            "oauth_nonce": nonce.nonce,
            "oauth_signature_method": "HMAC-SHA1",
            "oauth_timestamp": str(nonce.timestamp),
            "oauth_version": "1.0",
            **({"oauth_token": pair.token} if pair.token else {}),
            **more,
        }
        pairs = sorted((_escaped(k), _escaped(v)) for k, v in [*values.items(), *query])
        normal = "&".join(f"{k}={v}" for k, v in pairs)
        signed = "&".join(map(_escaped, (method, url, normal)))
        key = f"{_escaped(self.settings.secret.reveal())}&{_escaped(pair.secret)}"
        digest = hmac.new(key.encode(), signed.encode(), hashlib.sha1).digest()
        values["oauth_signature"] = base64.b64encode(digest).decode()
        return "OAuth " + ", ".join(f'{k}="{_escaped(v)}"' for k, v in sorted(values.items()))


def _pair(answer: HttpAnswer) -> Pair:
    values: dict[str, Any] = dict(parse_qsl(answer.body.decode("utf-8", "replace")))
    if "oauth_token" not in values:
        raise ProviderError("twitter gave no token")
    return Pair(values["oauth_token"], values.get("oauth_token_secret", ""))


def _escaped(text: str) -> str:
    return quote(text, safe="~")
