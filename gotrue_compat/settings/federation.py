"""Identities from elsewhere and identities for elsewhere (auth reference 9, 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compat_base.values.networks import Permitted, permitted
from compat_base.values.settings import Reader, Secret
from gotrue_compat.providers.definition import ProviderSettings
from gotrue_compat.providers.registry import PROVIDERS
from gotrue_compat.urls.links import web_address


@dataclass(frozen=True, slots=True)
class ExternalSettings:
    """External providers and what they share; times in seconds.

    `permitted` are hosts and networks that administrators' addresses may lead to though they are
    not public.
    """

    providers: Mapping[str, ProviderSettings]
    allowed_issuers: tuple[str, ...]
    ios_bundle_id: str
    flow_state_seconds: float
    discovery_seconds: float
    custom: bool
    custom_limit: int
    permitted: Permitted
    linking_domains: Mapping[str, str]
    own_linking_domain: frozenset[str]


@dataclass(frozen=True, slots=True)
class Web3Settings:
    """Which chains may sign in, and how old a signed message may be in seconds."""

    solana: bool
    solana_seconds: float
    ethereum: bool
    ethereum_seconds: float


@dataclass(frozen=True, slots=True)
class SamlSettings:
    """The service provider's key; times in seconds."""

    enabled: bool
    private_key: Secret
    next_private_key: Secret
    encrypted_assertions: bool
    relay_seconds: float
    external_url: str


@dataclass(frozen=True, slots=True)
class OAuthServerSettings:
    """Being an OAuth 2.1 server; `authorization_seconds` is the life of a request for consent.

    At most `max_dynamic_clients` may register themselves, 0 for any number.
    """

    enabled: bool
    dynamic_registration: bool
    max_dynamic_clients: int
    authorization_path: str
    authorization_seconds: float
    default_scope: str


def read_external(reader: Reader) -> ExternalSettings:
    """Read GOTRUE_EXTERNAL_<NAME>_* and their company."""
    domains = (p.partition("=") for p in reader.words("EXPERIMENTAL_PROVIDER_LINKING_DOMAINS"))
    return ExternalSettings(
        providers={name: _read_provider(reader, name) for name in PROVIDERS},
        allowed_issuers=reader.words("EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS"),
        ios_bundle_id=reader.text("EXTERNAL_IOS_BUNDLE_ID"),
        flow_state_seconds=max(reader.seconds("EXTERNAL_FLOW_STATE_EXPIRY_DURATION", 300), 300),
        discovery_seconds=reader.seconds("EXTERNAL_OIDC_PROVIDER_CACHE_TTL", 3600),
        custom=reader.boolean("CUSTOM_OAUTH_ENABLED", default=True),
        custom_limit=reader.integer("CUSTOM_OAUTH_MAX_PROVIDERS", 0),
        permitted=_permitted(reader),
        linking_domains={name: domain for name, _, domain in domains},
        own_linking_domain=frozenset(
            reader.words("EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN")
        ),
    )


def _permitted(reader: Reader) -> Permitted:
    found, strange = permitted(reader.words("EGRESS_ALLOW_LIST"))
    for word in strange:
        reader.problem(
            f"GOTRUE_EGRESS_ALLOW_LIST: '{word}' is neither a host's name nor a network such as"
            " 10.0.0.0/8"
        )
    return found


def _read_provider(reader: Reader, name: str) -> ProviderSettings:
    prefix = f"EXTERNAL_{name.upper()}_"
    return ProviderSettings(
        enabled=reader.boolean(prefix + "ENABLED", default=False),
        client_ids=reader.words(prefix + "CLIENT_ID"),
        secret=reader.secret(prefix + "SECRET"),
        redirect_uri=reader.text(prefix + "REDIRECT_URI"),
        url=reader.text(prefix + "URL").rstrip("/"),
        api_url=reader.text(prefix + "API_URL").rstrip("/"),
        email_optional=reader.boolean(prefix + "EMAIL_OPTIONAL", default=False),
        skip_nonce_check=reader.boolean(prefix + "SKIP_NONCE_CHECK", default=False),
    )


def read_web3(reader: Reader) -> Web3Settings:
    """Read GOTRUE_EXTERNAL_WEB3_*."""
    return Web3Settings(
        solana=reader.boolean("EXTERNAL_WEB3_SOLANA_ENABLED", default=False),
        solana_seconds=reader.seconds("EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION", 600),
        ethereum=reader.boolean("EXTERNAL_WEB3_ETHEREUM_ENABLED", default=False),
        ethereum_seconds=reader.seconds("EXTERNAL_WEB3_ETHEREUM_MAXIMUM_VALIDITY_DURATION", 600),
    )


def read_saml(reader: Reader) -> SamlSettings:
    """Read GOTRUE_SAML_*."""
    enabled = reader.boolean("SAML_ENABLED", default=False)
    if enabled and not reader.optional("SAML_PRIVATE_KEY"):
        reader.problem("GOTRUE_SAML_PRIVATE_KEY must be set where SAML is enabled")
    external_url = reader.text("SAML_EXTERNAL_URL").strip()
    if external_url and web_address(external_url) is None:
        reader.problem(
            "GOTRUE_SAML_EXTERNAL_URL must be an address such as https://api.example.com"
        )
    return SamlSettings(
        enabled=enabled,
        private_key=reader.secret("SAML_PRIVATE_KEY"),
        next_private_key=reader.secret("SAML_PRIVATE_KEY_NEXT"),
        encrypted_assertions=reader.boolean("SAML_ALLOW_ENCRYPTED_ASSERTIONS", default=False),
        relay_seconds=reader.seconds("SAML_RELAY_STATE_VALIDITY_PERIOD", 120),
        external_url=external_url,
    )


def read_oauth_server(reader: Reader) -> OAuthServerSettings:
    """Read GOTRUE_OAUTH_SERVER_*."""
    prefix = "OAUTH_SERVER_"
    return OAuthServerSettings(
        enabled=reader.boolean(prefix + "ENABLED", default=False),
        dynamic_registration=reader.boolean(prefix + "ALLOW_DYNAMIC_REGISTRATION", default=False),
        max_dynamic_clients=reader.integer(prefix + "MAX_DYNAMIC_CLIENTS", 0, minimum=0),
        authorization_path=reader.text(prefix + "AUTHORIZATION_PATH"),
        authorization_seconds=reader.seconds(prefix + "AUTHORIZATION_TTL", 600),
        default_scope=reader.text(prefix + "DEFAULT_SCOPE", "email"),
    )
