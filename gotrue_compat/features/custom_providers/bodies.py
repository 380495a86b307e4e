"""Request bodies and queries of custom providers: records, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gotrue_compat.http.incoming import Incoming


@dataclass(frozen=True, slots=True)
class ProviderChange:
    """A change of one provider."""

    identifier: str
    record: ProviderRecord


@dataclass(frozen=True, slots=True)
class ProviderRecord:
    """What is sent of a provider: members as columns, absent ones not given."""

    provider_type: str
    identifier: str
    client_secret: str
    members: Mapping[str, Any]


def custom_provider(incoming: Incoming) -> ProviderRecord:
    """POST /admin/custom-providers."""
    body = incoming.json
    texts = (
        "name", "client_id", "issuer", "discovery_url", "authorization_url", "token_url",
        "userinfo_url", "jwks_uri",
    )  # fmt: skip
    lists = ("acceptable_client_ids", "scopes", "custom_claims_allowlist")
    flags = ("pkce_enabled", "enabled", "email_optional", "skip_nonce_check")
    objects = ("attribute_mapping", "authorization_params")
    members = {
        **{name: body.text(name) for name in texts if body.text(name)},
        **{name: list(body.texts(name) or ()) for name in lists if name in body},
        **{name: body.flag(name) for name in flags if name in body},
        **{name: body.object(name) for name in objects if name in body},
    }
    return ProviderRecord(
        provider_type=body.text("provider_type"),
        identifier=body.text("identifier"),
        client_secret=body.text("client_secret"),
        members=members,
    )


def custom_identifier(incoming: Incoming) -> str:
    """Paths below /admin/custom-providers/{identifier}."""
    return incoming.path["identifier"]


def custom_provider_change(incoming: Incoming) -> ProviderChange:
    """PUT /admin/custom-providers/{identifier}."""
    return ProviderChange(custom_identifier(incoming), custom_provider(incoming))


def custom_kind(incoming: Incoming) -> str:
    """GET /admin/custom-providers."""
    return incoming.query.get("type", "")
