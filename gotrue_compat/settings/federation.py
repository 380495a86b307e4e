"""External providers, SAML, Web3, and the OAuth server (auth reference 9, 11)."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_der_private_key

from compat_base.values import setting_kinds as kinds
from compat_base.values.networks import Permitted, permitted
from compat_base.values.setting_rows import read_rows, section, setting
from compat_base.values.settings import Reader, Secret
from gotrue_compat.providers.definition import ProviderSettings
from gotrue_compat.providers.registry import PROVIDERS
from gotrue_compat.urls.links import web_address

_SHORTEST_KEY, _EXPONENT = 2048, 65537


def _permitted(reader: Reader, name: str) -> Permitted:
    found, unknown = permitted(reader.words(name))
    for word in unknown:
        reader.problem(
            f"GOTRUE_{name}: '{word}' is neither a host's name nor a network such as 10.0.0.0/8"
        )
    return found


def _read_providers(reader: Reader) -> Mapping[str, ProviderSettings]:
    return {name: _read_provider(reader, name) for name in PROVIDERS}


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


def _flow_state_seconds(reader: Reader, name: str) -> float:
    return max(reader.seconds(name, 300), 300)


def _domains(reader: Reader, name: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for part in reader.words(name):
        provider, _, domain = (side.strip() for side in part.partition("="))
        if not (provider and domain):
            reader.problem(f"GOTRUE_{name}: '{part}' must be a pair such as google=social")
        found[provider] = domain
    return found


def _address(reader: Reader, name: str) -> str:
    address = reader.text(name).strip()
    if address and web_address(address) is None:
        reader.problem(f"GOTRUE_{name} must be an address such as https://api.example.com")
    return address


def _check_key(reader: Reader, name: str, text: str) -> None:
    """Report a key that is not the RSA key that SAML needs."""
    try:
        key = load_der_private_key(base64.b64decode(text, validate=True), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPrivateKey):
        reader.problem(f"GOTRUE_{name} must be base64 of an RSA key in PKCS#1")
    elif key.key_size < _SHORTEST_KEY:
        reader.problem(f"GOTRUE_{name} must be of {_SHORTEST_KEY} bits at least")
    elif key.private_numbers().public_numbers.e != _EXPONENT:
        reader.problem(f"GOTRUE_{name} must have the public exponent {_EXPONENT}")


def _names(reader: Reader, name: str) -> frozenset[str]:
    return frozenset(reader.words(name))


@dataclass(frozen=True, slots=True)
class ExternalSettings:
    """External providers and what they share; times in seconds.

    `permitted` are hosts and networks that administrators' addresses may lead to though they are
    not public.
    """

    providers: Mapping[str, ProviderSettings] = section(_read_providers)
    allowed_issuers: tuple[str, ...] = setting("EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS", kinds.words())
    ios_bundle_id: str = setting("EXTERNAL_IOS_BUNDLE_ID", kinds.text())
    flow_state_seconds: float = setting("EXTERNAL_FLOW_STATE_EXPIRY_DURATION", _flow_state_seconds)
    discovery_seconds: float = setting("EXTERNAL_OIDC_PROVIDER_CACHE_TTL", kinds.seconds(3600))
    custom: bool = setting("CUSTOM_OAUTH_ENABLED", kinds.boolean(default=True))
    custom_url: str = setting("CUSTOM_OAUTH_EXTERNAL_URL", _address)
    redirect_url: str = setting("EXTERNAL_REDIRECTURL", kinds.text())
    custom_limit: int = setting("CUSTOM_OAUTH_MAX_PROVIDERS", kinds.integer(0))
    permitted: Permitted = setting("EGRESS_ALLOW_LIST", _permitted)
    linking_domains: Mapping[str, str] = setting("EXPERIMENTAL_PROVIDER_LINKING_DOMAINS", _domains)
    own_linking_domain: frozenset[str] = setting(
        "EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN", _names
    )


@dataclass(frozen=True, slots=True)
class Web3Settings:
    """Which chains may sign in, and how old a signed message may be in seconds."""

    solana: bool = setting("EXTERNAL_WEB3_SOLANA_ENABLED", kinds.boolean(default=False))
    solana_seconds: float = setting(
        "EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION", kinds.seconds(600)
    )
    ethereum: bool = setting("EXTERNAL_WEB3_ETHEREUM_ENABLED", kinds.boolean(default=False))
    ethereum_seconds: float = setting(
        "EXTERNAL_WEB3_ETHEREUM_MAXIMUM_VALIDITY_DURATION", kinds.seconds(600)
    )


@dataclass(frozen=True, slots=True)
class SamlSettings:
    """The service provider's key; times in seconds."""

    enabled: bool = setting("SAML_ENABLED", kinds.boolean(default=False))
    private_key: Secret = setting("SAML_PRIVATE_KEY", kinds.secret)
    next_private_key: Secret = setting("SAML_PRIVATE_KEY_NEXT", kinds.secret)
    encrypted_assertions: bool = setting(
        "SAML_ALLOW_ENCRYPTED_ASSERTIONS", kinds.boolean(default=False)
    )
    relay_seconds: float = setting("SAML_RELAY_STATE_VALIDITY_PERIOD", kinds.seconds(120))
    external_url: str = setting("SAML_EXTERNAL_URL", _address)


@dataclass(frozen=True, slots=True)
class OAuthServerSettings:
    """Being an OAuth 2.1 server; `authorization_seconds` is the life of a request for consent.

    At most `max_dynamic_clients` may register themselves, 0 for any number.
    """

    enabled: bool = setting("OAUTH_SERVER_ENABLED", kinds.boolean(default=False))
    dynamic_registration: bool = setting(
        "OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION", kinds.boolean(default=False)
    )
    max_dynamic_clients: int = setting(
        "OAUTH_SERVER_MAX_DYNAMIC_CLIENTS", kinds.integer(0, minimum=0)
    )
    authorization_path: str = setting("OAUTH_SERVER_AUTHORIZATION_PATH", kinds.text())
    authorization_seconds: float = setting("OAUTH_SERVER_AUTHORIZATION_TTL", kinds.seconds(600))
    default_scope: str = setting("OAUTH_SERVER_DEFAULT_SCOPE", kinds.text("email"))


def read_saml(reader: Reader) -> SamlSettings:
    """Read GOTRUE_SAML_*."""
    settings = read_rows(SamlSettings, reader)
    if settings.enabled and not settings.private_key:
        reader.problem("GOTRUE_SAML_PRIVATE_KEY must be set where SAML is enabled")
    elif settings.enabled:
        _check_key(reader, "SAML_PRIVATE_KEY", settings.private_key.reveal())
    if settings.enabled and settings.next_private_key:
        _check_key(reader, "SAML_PRIVATE_KEY_NEXT", settings.next_private_key.reveal())
    return settings
