"""SSO providers with their domains, and requests under way."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from compat_base.postgres.database import Connection, Record
from compat_base.postgres.queries import load_queries
from gotrue_compat.model.federation import SamlProvider
from gotrue_compat.store.statements import inserted, many, one, run, updated

_SQL = load_queries(__package__ or "", "store.sql")


async def list_all(connection: Connection, resource: str, prefix: str) -> tuple[SamlProvider, ...]:
    """Every provider, or the one of a resource, or those whose resource id starts so."""
    rows = await many(connection, _SQL["list"], resource, prefix)
    return tuple(map(SamlProvider.from_row, rows))


async def find(connection: Connection, provider_id: UUID) -> SamlProvider | None:
    """The provider with this id."""
    return _provider(await one(connection, _SQL["find"], provider_id))


async def find_by_resource(connection: Connection, resource: str) -> SamlProvider | None:
    """The provider with this resource id."""
    return _provider(await one(connection, _SQL["find_by_resource"], resource))


async def find_by_domain(connection: Connection, domain: str) -> SamlProvider | None:
    """The provider that a domain's users sign in by."""
    return _provider(await one(connection, _SQL["find_by_domain"], domain))


async def find_by_entity(connection: Connection, entity_id: str) -> SamlProvider | None:
    """The provider with this entity id."""
    return _provider(await one(connection, _SQL["find_by_entity"], entity_id))


async def create(connection: Connection, provider: dict[str, Any], saml: dict[str, Any]) -> None:
    """Add a provider."""
    await inserted(connection, "sso_providers", provider)
    await inserted(connection, "saml_providers", {**saml, "sso_provider_id": provider["id"]})


async def update(
    connection: Connection,
    found: SamlProvider,
    now: datetime,
    provider: dict[str, Any],
    saml: dict[str, Any],
) -> None:
    """Change columns of a provider."""
    await updated(connection, "sso_providers", found.id, {**provider, "updated_at": now})
    await updated(connection, "saml_providers", found.saml_id, {**saml, "updated_at": now})


async def set_domains(
    connection: Connection,
    provider_id: UUID,
    domains: Iterable[tuple[UUID, str]],
    now: datetime,
) -> None:
    """Give a provider these domains instead of those it has; each with the row's id."""
    await run(connection, _SQL["delete_domains"], provider_id)
    for domain_id, domain in domains:
        values = {
            "id": domain_id, "sso_provider_id": provider_id, "domain": domain,
            "created_at": now, "updated_at": now,
        }  # fmt: skip
        await inserted(connection, "sso_domains", values)


async def delete(connection: Connection, provider_id: UUID) -> None:
    """Delete a provider."""
    await run(connection, _SQL["delete"], provider_id)


async def create_relay(connection: Connection, values: dict[str, Any]) -> None:
    """Keep a request until its response."""
    await inserted(connection, "saml_relay_states", values)


async def take_relay(connection: Connection, relay_id: UUID) -> Record | None:
    """Delete a request and return it."""
    return await one(connection, _SQL["take_relay"], relay_id)


def _provider(row: Record | None) -> SamlProvider | None:
    return SamlProvider.from_row(row) if row else None
