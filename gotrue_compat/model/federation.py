"""Providers and clients that administrators add (auth reference 9.3, 9.7, 11)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from gotrue_compat.model.rows import json_object, record_from


@dataclass(frozen=True, slots=True)
class CustomProvider:
    """An OAuth 2 or OpenID Connect provider; `identifier` starts with `custom:`."""

    id: UUID
    provider_type: str
    identifier: str
    name: str
    client_id: str
    client_secret: str
    acceptable_client_ids: tuple[str, ...]
    scopes: tuple[str, ...]
    pkce_enabled: bool
    attribute_mapping: dict[str, Any]
    authorization_params: dict[str, Any]
    enabled: bool
    email_optional: bool
    issuer: str | None
    discovery_url: str | None
    skip_nonce_check: bool
    authorization_url: str | None
    token_url: str | None
    userinfo_url: str | None
    jwks_uri: str | None
    custom_claims_allowlist: tuple[str, ...]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def from_row(cls, row: Any) -> CustomProvider:
        """Read a row of auth.custom_oauth_providers."""
        return record_from(
            cls,
            row,
            acceptable_client_ids=tuple(row["acceptable_client_ids"]),
            scopes=tuple(row["scopes"]),
            attribute_mapping=json_object(row["attribute_mapping"]),
            authorization_params=json_object(row["authorization_params"]),
            custom_claims_allowlist=tuple(row["custom_claims_allowlist"] or ()),
        )


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """A client of the OAuth server; lists are stored with commas."""

    id: UUID
    client_secret_hash: str | None
    registration_type: str
    redirect_uris: tuple[str, ...]
    grant_types: tuple[str, ...]
    client_name: str | None
    client_uri: str | None
    logo_uri: str | None
    created_at: datetime
    updated_at: datetime
    client_type: str
    token_endpoint_auth_method: str

    @classmethod
    def from_row(cls, row: Any) -> OAuthClient:
        """Read a row of auth.oauth_clients."""
        return record_from(
            cls,
            row,
            redirect_uris=_listed(row["redirect_uris"]),
            grant_types=_listed(row["grant_types"]),
        )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)


@dataclass(frozen=True, slots=True)
class Authorization:
    """A client's request for a user's consent."""

    id: UUID
    authorization_id: str
    client_id: UUID
    user_id: UUID | None
    redirect_uri: str
    scope: str
    state: str | None
    resource: str | None
    code_challenge: str | None
    code_challenge_method: str | None
    status: str
    authorization_code: str | None
    created_at: datetime
    expires_at: datetime
    approved_at: datetime | None
    nonce: str | None

    @classmethod
    def from_row(cls, row: Any) -> Authorization:
        """Read a row of auth.oauth_authorizations."""
        return record_from(cls, row)


@dataclass(frozen=True, slots=True)
class Consent:
    """What a user allowed a client; scopes with blanks between."""

    id: UUID
    user_id: UUID
    client_id: UUID
    scopes: str
    granted_at: datetime
    revoked_at: datetime | None

    @classmethod
    def from_row(cls, row: Any) -> Consent:
        """Read a row of auth.oauth_consents."""
        return record_from(cls, row)


@dataclass(frozen=True, slots=True)
class SamlProvider:
    """A SAML identity provider with the domains that lead to it."""

    id: UUID
    resource_id: str | None
    disabled: bool | None
    created_at: datetime | None
    updated_at: datetime | None
    saml_id: UUID
    entity_id: str
    metadata_xml: str
    metadata_url: str | None
    attribute_mapping: dict[str, Any]
    name_id_format: str | None
    metadata_updated_at: datetime | None
    domains: tuple[str, ...]

    @classmethod
    def from_row(cls, row: Any) -> SamlProvider:
        """Read a row of the joined tables."""
        return record_from(
            cls,
            row,
            attribute_mapping=json_object(row["attribute_mapping"]),
            domains=tuple(row["domains"]),
        )
