"""Providers that administrators add (auth reference 9.3)."""

from __future__ import annotations

from typing import Any

from compat_base.values.errors import ApiError
from gotrue_compat.core.passwords import encrypt_secret
from gotrue_compat.core.results import Done, Json
from gotrue_compat.features.custom_providers import errors as custom_providers_errors
from gotrue_compat.features.custom_providers import rules, store
from gotrue_compat.features.custom_providers.bodies import ProviderChange, ProviderRecord
from gotrue_compat.http.context import RequestContext
from gotrue_compat.http.dependencies import Dependencies
from gotrue_compat.model.federation import CustomProvider

_URLS = (
    "issuer", "discovery_url", "authorization_url", "token_url", "userinfo_url", "jwks_uri",
)  # fmt: skip
_CHANGEABLE = (
    "name", "client_id", "acceptable_client_ids", "scopes", "pkce_enabled", "attribute_mapping",
    "custom_claims_allowlist", "authorization_params", "enabled", "email_optional",
    "skip_nonce_check", *_URLS,
)  # fmt: skip


async def list_providers(deps: Dependencies, _context: RequestContext, kind: str) -> Json:
    """Every provider of a kind, or of both."""
    if kind:
        rules.check_kind(kind, "type")
    async with deps.database.acquire() as connection:
        found = await store.list_all(connection, kind)
    return Json({"providers": [_shape(provider) for provider in found]})


async def get_provider(deps: Dependencies, _context: RequestContext, identifier: str) -> Json:
    """One provider."""
    rules.check_identifier(identifier)
    return Json(_shape(await _find(deps, identifier)))


async def create_provider(
    deps: Dependencies, context: RequestContext, body: ProviderRecord
) -> Json:
    """Add a provider."""
    members = {name: body.members[name] for name in _CHANGEABLE if name in body.members}
    given = {**members, "client_secret": body.client_secret}
    rules.check_new(body.provider_type, body.identifier, given, deps.settings.external.permitted)
    members = rules.of_kind(body.provider_type, {"scopes": (), **members})
    provider_id = deps.world.entropy.uuid()
    values = {
        **members, "id": provider_id, "provider_type": body.provider_type,
        "identifier": body.identifier, "created_at": context.now, "updated_at": context.now,
        "client_secret": encrypt_secret(deps, body.client_secret, str(provider_id)),
    }  # fmt: skip
    async with deps.database.transaction() as tx:
        limit = deps.settings.external.custom_limit
        if limit and await store.count(tx) >= limit:
            raise ApiError.of(custom_providers_errors.CUSTOM_PROVIDER_QUOTA)
        if await store.find(tx, body.identifier) is not None:
            raise ApiError.of(custom_providers_errors.CUSTOM_PROVIDER_EXISTS)
        rules.check_columns(body.identifier, given)
        provider = await store.create(tx, values)
    return Json(_shape(provider), 201)


async def update_provider(
    deps: Dependencies, context: RequestContext, body: ProviderChange
) -> Json:
    """Change what is given of a provider."""
    members = {
        name: body.record.members[name] for name in _CHANGEABLE if name in body.record.members
    }
    rules.check_members(members)
    provider = await _find(deps, body.identifier)
    rules.check_urls(provider.provider_type, members, deps.settings.external.permitted)
    rules.check_lengths(members)
    members = rules.of_kind(provider.provider_type, members)
    if body.record.client_secret:
        members["client_secret"] = encrypt_secret(deps, body.record.client_secret, str(provider.id))
    async with deps.database.transaction() as tx:
        changed = await store.update(tx, provider.id, context.now, members)
    return Json(_shape(changed or provider))


async def delete_provider(deps: Dependencies, _context: RequestContext, identifier: str) -> Done:
    """Delete a provider; users keep their identities."""
    rules.check_identifier(identifier)
    async with deps.database.transaction() as tx:
        if not await store.delete(tx, identifier):
            raise ApiError.of(custom_providers_errors.CUSTOM_PROVIDER_NOT_FOUND)
    return Done()


async def _find(deps: Dependencies, identifier: str) -> CustomProvider:
    async with deps.database.acquire() as connection:
        provider = await store.find(connection, identifier)
    if provider is None:
        raise ApiError.of(custom_providers_errors.CUSTOM_PROVIDER_NOT_FOUND)
    return provider


def _shape(provider: CustomProvider) -> dict[str, Any]:
    """A provider without its secret."""
    shape: dict[str, Any] = {
        "id": provider.id, "provider_type": provider.provider_type,
        "identifier": provider.identifier, "name": provider.name,
        "client_id": provider.client_id,
        "acceptable_client_ids": provider.acceptable_client_ids, "scopes": provider.scopes,
        "pkce_enabled": provider.pkce_enabled,
        "attribute_mapping": provider.attribute_mapping,
        "custom_claims_allowlist": provider.custom_claims_allowlist,
        "authorization_params": provider.authorization_params, "enabled": provider.enabled,
        "email_optional": provider.email_optional,
    }  # fmt: skip
    shape |= {name: value for name in _URLS if (value := getattr(provider, name))}
    shape |= {
        "skip_nonce_check": provider.skip_nonce_check,
        "created_at": provider.created_at, "updated_at": provider.updated_at,
    }  # fmt: skip
    return shape
