"""Providers that administrators add (auth reference 9.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compat_base.values.errors import ApiError
from gotrue_compat import errors
from gotrue_compat.features.custom_providers import rules, store
from gotrue_compat.flows.passwords import sealed
from gotrue_compat.flows.results import Done, Json
from gotrue_compat.model.federation import CustomProvider
from gotrue_compat.ports import Deps, Visit

_URLS = (
    "issuer", "discovery_url", "authorization_url", "token_url", "userinfo_url", "jwks_uri",
)  # fmt: skip
_CHANGEABLE = (
    "name", "client_id", "acceptable_client_ids", "scopes", "pkce_enabled", "attribute_mapping",
    "custom_claims_allowlist", "authorization_params", "enabled", "email_optional",
    "skip_nonce_check", *_URLS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProviderRecord:
    """What is sent of a provider: members as columns, absent ones not given."""

    provider_type: str
    identifier: str
    client_secret: str
    members: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ProviderChange:
    """A change of one provider."""

    identifier: str
    record: ProviderRecord


async def list_providers(deps: Deps, _visit: Visit, kind: str) -> Json:
    """Every provider of a kind, or of both."""
    if kind:
        rules.check_kind(kind, "type")
    async with deps.database.acquire() as connection:
        found = await store.list_all(connection, kind)
    return Json({"providers": [_shape(provider) for provider in found]})


async def get_provider(deps: Deps, _visit: Visit, identifier: str) -> Json:
    """One provider."""
    rules.check_identifier(identifier)
    return Json(_shape(await _find(deps, identifier)))


async def create_provider(deps: Deps, visit: Visit, ask: ProviderRecord) -> Json:
    """Add a provider."""
    members = {name: ask.members[name] for name in _CHANGEABLE if name in ask.members}
    given = {**members, "client_secret": ask.client_secret}
    rules.check_new(ask.provider_type, ask.identifier, given, deps.settings.external.permitted)
    members = rules.of_kind(ask.provider_type, {"scopes": (), **members})
    provider_id = deps.world.entropy.uuid()
    values = {
        **members, "id": provider_id, "provider_type": ask.provider_type,
        "identifier": ask.identifier, "created_at": visit.now, "updated_at": visit.now,
        "client_secret": sealed(deps, ask.client_secret, str(provider_id)),
    }  # fmt: skip
    async with deps.database.transaction() as tx:
        limit = deps.settings.external.custom_limit
        if limit and await store.count(tx) >= limit:
            raise ApiError.of(errors.CUSTOM_PROVIDER_QUOTA)
        if await store.find(tx, ask.identifier) is not None:
            raise ApiError.of(errors.CUSTOM_PROVIDER_EXISTS)
        provider = await store.create(tx, values)
    return Json(_shape(provider), 201)


async def update_provider(deps: Deps, visit: Visit, ask: ProviderChange) -> Json:
    """Change what is given of a provider."""
    members = {name: ask.record.members[name] for name in _CHANGEABLE if name in ask.record.members}
    rules.check_identifier(ask.identifier)
    rules.check_members(members)
    provider = await _find(deps, ask.identifier)
    rules.check_urls(provider.provider_type, members, deps.settings.external.permitted)
    members = rules.of_kind(provider.provider_type, members)
    if ask.record.client_secret:
        members["client_secret"] = sealed(deps, ask.record.client_secret, str(provider.id))
    async with deps.database.transaction() as tx:
        changed = await store.update(tx, provider.id, visit.now, members)
    return Json(_shape(changed or provider))


async def delete_provider(deps: Deps, _visit: Visit, identifier: str) -> Done:
    """Delete a provider; users keep their identities."""
    rules.check_identifier(identifier)
    async with deps.database.transaction() as tx:
        if not await store.delete(tx, identifier):
            raise ApiError.of(errors.CUSTOM_PROVIDER_NOT_FOUND)
    return Done()


async def _find(deps: Deps, identifier: str) -> CustomProvider:
    async with deps.database.acquire() as connection:
        provider = await store.find(connection, identifier)
    if provider is None:
        raise ApiError.of(errors.CUSTOM_PROVIDER_NOT_FOUND)
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
