"""Identity providers by name: authorize URL, and the exchange of a code."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from compat_base.values.errors import ApiError
from compat_base.values.events import Observation, Severity
from gotrue_compat.core.passwords import decrypt_secret
from gotrue_compat.features.custom_providers import store
from gotrue_compat.features.external import errors as external_errors
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.external_identity import ExternalIdentity
from gotrue_compat.model.rows import json_object
from gotrue_compat.ports import HttpCall, HttpPort, IdTokens, ProviderError, UnreachableError
from gotrue_compat.providers.custom import custom_definition, custom_settings
from gotrue_compat.providers.definition import Access, Definition, ProviderSettings, TokenResponse
from gotrue_compat.providers.oidc import readable
from gotrue_compat.providers.registry import PROVIDERS
from gotrue_compat.providers.transport import Api
from gotrue_compat.providers.twitter import Twitter
from gotrue_compat.urls.links import extended

CUSTOM = "custom:"
_BAD_STATUS = 300
_SHOWN = 4  # characters of a code that an error shows


@dataclass(frozen=True, slots=True)
class ConfiguredProvider:
    """A provider ready for use; `twitter` in place of a definition where it speaks OAuth 1.

    It is called by `http`, and its id tokens are judged by `id_tokens`.
    """

    name: str
    settings: ProviderSettings
    http: HttpPort
    id_tokens: IdTokens
    definition: Definition | None = None
    twitter: Twitter | None = None


async def find_provider(deps: Dependencies, name: str) -> ConfiguredProvider:
    """The configured and enabled provider of a name; ApiError for any other."""
    name = name.lower()
    if name.startswith(CUSTOM):
        return await _find_custom(deps, name)
    settings = deps.settings.external.providers.get(name)
    if settings is None:
        raise _unsupported(f"Provider {name} could not be found")
    missing = _missing(settings)
    if missing:
        raise _unsupported(missing)
    define, discovery = PROVIDERS[name].define, PROVIDERS[name].discovery
    if discovery:
        await _check_discovery(deps, settings.url or discovery)
    if define is None:
        twitter = Twitter(settings, deps.http)
        return ConfiguredProvider(name, settings, deps.http, deps.id_tokens, twitter=twitter)
    return ConfiguredProvider(name, settings, deps.http, deps.id_tokens, define(settings))


def authorize_url(
    provider: Definition, settings: ProviderSettings, state: str, scopes: str,
    more: Mapping[str, str],
) -> str:  # fmt: skip
    """The authorize URL, its parameters sorted by name as the original's are."""
    pairs = {
        "client_id": settings.client_ids[0],
        "redirect_uri": settings.redirect_uri,
        "response_type": "code",
        "scope": " ".join(_scopes(provider, scopes)),
        "state": state,
    }
    pairs = {name: value for name, value in pairs.items() if value}
    pairs |= {**more, **dict(provider.parameters)}
    return extended(provider.authorize_url, sorted(pairs.items()))


def _scopes(provider: Definition, requested: str) -> list[str]:
    """The provider's own scopes and the caller's, which have commas between them.

    Those of a custom provider, with blanks between them, stand in place of its own, but for
    `openid`, without which no id token is given.
    """
    own = list(provider.scopes)
    if not provider.takes_scopes or not requested.strip():
        return own
    if not provider.replaces_scopes:
        return [*own, *requested.split(",")]
    needed = [scope for scope in own if scope == "openid" and scope not in requested.split()]
    return [*needed, *requested.split()]


async def identity_for_code(
    deps: Dependencies,
    provider: ConfiguredProvider,
    code: str,
    verifier: str,
    form: Mapping[str, str],
) -> tuple[ExternalIdentity, TokenResponse]:
    """Exchange a code for identity and tokens; ApiError where the provider refuses."""
    definition, settings = provider.definition, provider.settings
    if definition is None:
        raise ApiError.of(external_errors.EXCHANGE_FAILED, code=code[:_SHOWN])
    try:
        granted = await _exchange(provider.http, definition, settings, code, verifier)
    except ProviderError as error:
        _observe(deps, provider.name, error)
        raise ApiError.of(external_errors.EXCHANGE_FAILED, code=code[:_SHOWN]) from error
    try:
        api = Api(provider.http, granted.access_token)
        access = Access(settings, granted, api, provider.id_tokens, form)
        return await definition.read(access), granted
    except (ProviderError, KeyError, IndexError, TypeError, ValueError) as error:
        _observe(deps, provider.name, error)
        raise ApiError.of(external_errors.PROFILE_FAILED) from error


async def _exchange(
    http: HttpPort, definition: Definition, settings: ProviderSettings, code: str, verifier: str
) -> TokenResponse:
    form = {
        "grant_type": "authorization_code", "code": code, "redirect_uri": settings.redirect_uri,
    }  # fmt: skip
    headers = {"accept": "application/json", "content-type": "application/x-www-form-urlencoded"}
    client_id, secret = settings.client_ids[0], settings.secret.reveal()
    if verifier:
        form["code_verifier"] = verifier
    if definition.basic:
        pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
        headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    else:
        form |= {"client_id": client_id, "client_secret": secret}
    sent = urlencode(sorted(form.items())).encode()
    call = HttpCall("POST", definition.token_url, headers, sent)
    try:
        answer = await http.send(call)
    except UnreachableError as error:
        raise ProviderError(str(error)) from error
    fields = json_object(readable(answer.body.decode("utf-8", "replace")))
    token = fields.get("access_token")
    if answer.status >= _BAD_STATUS or not isinstance(token, str):
        raise ProviderError(f"status {answer.status}, {fields.get('error') or 'no access token'}")
    return TokenResponse(
        access_token=token,
        refresh_token=str(fields.get("refresh_token") or ""),
        id_token=str(fields.get("id_token") or ""),
        answer=fields,
    )


async def _find_custom(deps: Dependencies, name: str) -> ConfiguredProvider:
    if not deps.settings.external.custom:
        raise _unsupported("custom OAuth providers are disabled")
    async with deps.database.acquire() as connection:
        custom = await store.find(connection, name)
    if custom is None:
        raise _unsupported(f"custom provider {name} not found")
    if not custom.enabled:
        raise _unsupported(f"custom provider {name} is disabled")
    secret = decrypt_secret(deps, custom.client_secret, str(custom.id))
    root = deps.settings.external.custom_url or deps.settings.api.external_url
    settings = custom_settings(custom, secret, f"{root.rstrip('/')}/callback")
    id_tokens = deps.guarded_id_tokens
    try:
        definition = await custom_definition(custom, id_tokens)
        return ConfiguredProvider(name, settings, deps.guarded_http, id_tokens, definition)
    except ProviderError as error:
        _observe(deps, name, error)
        raise _unsupported(f"error creating OIDC provider: {error}") from error


async def _check_discovery(deps: Dependencies, issuer: str) -> None:
    """ApiError where an issuer has no discovery document."""
    try:
        await deps.id_tokens.metadata(issuer)
    except ProviderError as error:
        raise _unsupported(str(error)) from error


def _missing(settings: ProviderSettings) -> str:
    if not settings.enabled:
        return "provider is not enabled"
    if not settings.client_ids:
        return "missing OAuth client ID"
    if not settings.secret:
        return "missing OAuth secret"
    return "" if settings.redirect_uri else "missing redirect URI"


def _unsupported(reason: str) -> ApiError:
    return ApiError.of(external_errors.UNSUPPORTED_PROVIDER, reason=reason)


def _observe(deps: Dependencies, name: str, error: Exception) -> None:
    facts = {"provider": name, "error": f"{type(error).__name__}: {error}"}
    deps.observer(Observation("provider_failed", Severity.WARNING, facts))
