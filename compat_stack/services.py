"""What each service reads, composed from the stack's settings; the user's own variables win."""

from __future__ import annotations

from dataclasses import dataclass

from compat_stack.keys import Keys
from compat_stack.migrate import role_url
from compat_stack.settings import Settings

Variables = dict[str, str]

_AUTH_NAMES = {"API_EXTERNAL_URL", "REQUEST_ID_HEADER"}
_REALTIME_PREFIXES = ("API_JWT_", "REALTIME_", "MAX_", "TENANT_")
_REALTIME_NAMES = {
    "DB_POOL_SIZE", "JWT_CLAIM_VALIDATORS", "METRICS_JWT_SECRET", "REDIS_URL", "REGION",
}  # fmt: skip


# By address, and for wrong passwords and factor codes by account too: docs/limits.md
LIMITS: Variables = {
    "GOTRUE_RATE_LIMIT_SIGN_UP": "150/5m",
    "GOTRUE_RATE_LIMIT_TOKEN_REFRESH": "600/5m",
    "GOTRUE_RATE_LIMIT_SEND": "30/5m",
    "GOTRUE_RATE_LIMIT_AUTHORIZE": "150/5m",
    "GOTRUE_RATE_LIMIT_CALLBACK": "150/5m",
    "GOTRUE_SAML_RATE_LIMIT_METADATA": "150/5m",
    "GOTRUE_RATE_LIMIT_PASSKEY_VERIFY": "30/5m",
    "GOTRUE_RATE_LIMIT_OAUTH_TOKEN": "600/5m",
    "GOTRUE_RATE_LIMIT_WRONG_CREDENTIALS": "30/5m",
    "GOTRUE_RATE_LIMIT_WRONG_PASSWORD": "10/5m",
    "GOTRUE_RATE_LIMIT_WRONG_PASSWORD_ACCOUNT": "60/15m",
    "GOTRUE_RATE_LIMIT_WRONG_FACTOR_CODE": "10/5m",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where this start runs; `passwords` is the secret that the roles' passwords come from."""

    url: str
    database_url: str
    passwords: bytes | None


def auth_variables(settings: Settings, place: Place, keys: Keys) -> Variables:
    """The variables of the auth service."""
    verify = "/auth/v1/verify"
    defaults = {
        "API_EXTERNAL_URL": place.url,
        "DATABASE_URL": role_url(place.database_url, "supabase_auth_admin", place.passwords),
        "GOTRUE_DB_DRIVER": "postgres",
        "GOTRUE_SITE_URL": place.url,
        "GOTRUE_URI_ALLOW_LIST": f"{place.url}/**",
        "GOTRUE_JWT_SECRET": keys.jwt_secret,
        "GOTRUE_JWT_KEYS": keys.jwt_keys(),
        "GOTRUE_JWT_VALID_METHODS": ",".join(keys.algorithms()),
        "GOTRUE_JWT_AUD": "authenticated",
        "GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated",
        "GOTRUE_JWT_ISSUER": f"{place.url}/auth/v1",
        "GOTRUE_MAILER_AUTOCONFIRM": "false" if settings.has_smtp else "true",
        "GOTRUE_MAILER_URLPATHS_INVITE": verify,
        "GOTRUE_MAILER_URLPATHS_CONFIRMATION": verify,
        "GOTRUE_MAILER_URLPATHS_RECOVERY": verify,
        "GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE": verify,
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "10",
        "REQUEST_ID_HEADER": "X-Request-Id",
        # What strangers leave behind goes after a day; whoever has no address yet stays
        "GOTRUE_DB_CLEANUP_ENABLED": "true",
        "GOTRUE_DB_CLEANUP_ANONYMOUS_USERS": "false",
        "GOTRUE_OAUTH_SERVER_MAX_DYNAMIC_CLIENTS": "10000",
        # Nodes on one server share what they count
        "GOTRUE_RATE_LIMIT_STORE": "database" if settings.database_url else "memory",
        **LIMITS,
    }
    own = {
        name: value
        for name, value in settings.environment.items()
        if name.startswith("GOTRUE_") or name in _AUTH_NAMES
    }
    # Not for the user to say: only this header is left of what names a caller, and without one no
    # limit would know any
    return defaults | own | {"GOTRUE_RATE_LIMIT_HEADER": "x-forwarded-for"}


def rest_variables(settings: Settings, place: Place, keys: Keys) -> Variables:
    """The variables of the REST service."""
    defaults = {
        "PGRST_DB_URI": role_url(place.database_url, "authenticator", place.passwords),
        "PGRST_DB_SCHEMAS": "public",
        "PGRST_DB_EXTRA_SEARCH_PATH": "public,extensions",
        "PGRST_DB_ANON_ROLE": "anon",
        "PGRST_DB_MAX_ROWS": "1000",
        "PGRST_JWT_SECRET": keys.verification_jwks(),
        "PGRST_SERVER_MAX_BODY_SIZE": "10485760",
    }
    return defaults | _own(settings, "PGRST_")


def realtime_variables(settings: Settings, place: Place, keys: Keys) -> Variables:
    """The variables of the realtime service."""
    defaults = {
        "DATABASE_URL": role_url(place.database_url, "supabase_realtime_admin", place.passwords),
        "API_JWT_SECRET": keys.jwt_secret,
        "API_JWT_JWKS": keys.public_jwks(),
    }
    own = {
        name: value
        for name, value in settings.environment.items()
        if name.startswith(_REALTIME_PREFIXES) or name in _REALTIME_NAMES
    }
    return defaults | own


def _own(settings: Settings, prefix: str) -> Variables:
    return {n: value for n, value in settings.environment.items() if n.startswith(prefix)}
