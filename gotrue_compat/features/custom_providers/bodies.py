"""Request bodies and queries of custom providers: records, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gotrue_compat.features.custom_providers.rules import check_identifier
from gotrue_compat.http.go_struct import TEXTS_POINTER, go_struct
from gotrue_compat.http.incoming import Incoming

_TEXTS = "name client_id issuer discovery_url authorization_url token_url userinfo_url jwks_uri"
_LISTS = "acceptable_client_ids scopes custom_claims_allowlist"
_FLAGS = "pkce_enabled enabled email_optional skip_nonce_check"
_OBJECTS = "attribute_mapping authorization_params"
_PROVIDER = go_struct(
    "AdminCustomOAuthProviderParams", f"provider_type identifier client_secret {_TEXTS}",
    **dict.fromkeys(_LISTS.split(), TEXTS_POINTER), flags=_FLAGS, objects=_OBJECTS,
)  # fmt: skip


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
    body = incoming.json_of(_PROVIDER)
    members = {
        **{name: body.text(name) for name in _TEXTS.split() if body.text(name)},
        **{name: list(body.texts(name) or ()) for name in _LISTS.split() if name in body},
        **{name: body.flag(name) for name in _FLAGS.split() if name in body},
        **{name: body.object(name) for name in _OBJECTS.split() if name in body},
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
    """PUT /admin/custom-providers/{identifier}: the path is judged before the body is read."""
    identifier = custom_identifier(incoming)
    check_identifier(identifier)
    return ProviderChange(identifier, custom_provider(incoming))


def custom_kind(incoming: Incoming) -> str:
    """GET /admin/custom-providers."""
    return incoming.query.get("type", "")
