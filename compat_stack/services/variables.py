"""The stack's defaults for each service's variables."""

from __future__ import annotations

import re

from compat_base.values import jsontext
from compat_stack.keys.installation import Keys
from compat_stack.keys.s3 import s3_key_pair
from compat_stack.services.service import Deployment, Variables
from compat_stack.settings import Settings

_CLIENT = re.compile(r"GOTRUE_EXTERNAL_(\w+)_CLIENT_ID")
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


def auth_variables(settings: Settings, deployment: Deployment, keys: Keys) -> Variables:
    """The auth service's defaults."""
    verify = "/auth/v1/verify"
    return {
        "API_EXTERNAL_URL": deployment.url,
        "DATABASE_URL": deployment.pooled_url,
        "GOTRUE_DB_DRIVER": "postgres",
        "GOTRUE_SITE_URL": deployment.url,
        "GOTRUE_URI_ALLOW_LIST": f"{deployment.url}/**",
        "GOTRUE_JWT_SECRET": keys.jwt_secret,
        "GOTRUE_JWT_KEYS": keys.jwt_keys(),
        "GOTRUE_JWT_VALID_METHODS": ",".join(keys.algorithms()),
        "GOTRUE_JWT_AUD": "authenticated",
        "GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated",
        "GOTRUE_JWT_ISSUER": f"{deployment.url}/auth/v1",
        "GOTRUE_MAILER_AUTOCONFIRM": "false" if settings.has_smtp else "true",
        "GOTRUE_MAILER_URLPATHS_INVITE": verify,
        "GOTRUE_MAILER_URLPATHS_CONFIRMATION": verify,
        "GOTRUE_MAILER_URLPATHS_RECOVERY": verify,
        "GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE": verify,
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "10",
        "REQUEST_ID_HEADER": "X-Request-Id",
        # What has expired is deleted; users are kept, also unconfirmed and anonymous ones
        "GOTRUE_DB_CLEANUP_ENABLED": "true",
        "GOTRUE_DB_CLEANUP_ANONYMOUS_USERS": "false",
        "GOTRUE_OAUTH_SERVER_MAX_DYNAMIC_CLIENTS": "10000",
        # Nodes of one database, and workers, share their counters
        "GOTRUE_RATE_LIMIT_STORE": "database" if _is_shared(settings) else "memory",
        **LIMITS,
        **_callbacks(settings, deployment),
    }


def _callbacks(settings: Settings, deployment: Deployment) -> Variables:
    """The callback address of each identity provider that the user configured."""
    named = [_CLIENT.fullmatch(name) for name in settings.environment]
    return {
        f"GOTRUE_EXTERNAL_{name[1]}_REDIRECT_URI": f"{deployment.url}/auth/v1/callback"
        for name in named
        if name is not None
    }


def _is_shared(settings: Settings) -> bool:
    return settings.database_url is not None or settings.workers > 1


def rest_variables(settings: Settings, deployment: Deployment, keys: Keys) -> Variables:
    """The REST service's defaults."""
    return {
        "PGRST_DB_URI": deployment.pooled_url,
        "PGRST_DB_LISTEN_URI": deployment.database_url,
        "PGRST_DB_READ_URI": deployment.read_url,
        "PGRST_DB_PREPARED_STATEMENTS": "false" if settings.pooled_url else "true",
        "PGRST_DB_SCHEMAS": "public",
        "PGRST_DB_EXTRA_SEARCH_PATH": "public,extensions",
        "PGRST_DB_ANON_ROLE": "anon",
        "PGRST_DB_MAX_ROWS": "1000",
        "PGRST_JWT_SECRET": keys.verification_jwks(),
        "PGRST_SERVER_MAX_BODY_SIZE": "10485760",
    }


def storage_variables(settings: Settings, deployment: Deployment, keys: Keys) -> Variables:
    """The storage service's defaults."""
    access_key, secret_key = s3_key_pair(keys.jwt_secret)
    defaults = {
        "DATABASE_URL": deployment.database_url,
        "AUTH_JWT_SECRET": keys.jwt_secret,
        "JWT_JWKS": keys.public_jwks(),
        "ANON_KEY": keys.anon,
        "TENANT_ID": "stub",
        "REGION": "local",
        "STORAGE_FILE_BACKEND_PATH": str(settings.data_dir / "storage"),
        "UPLOAD_FILE_SIZE_LIMIT": "52428800",
        "UPLOAD_SIGNED_URL_EXPIRATION_TIME": "7200",
        "IMAGE_TRANSFORMATION_ENABLED": "true",
        "S3_PROTOCOL_PREFIX": "/storage/v1",
        "S3_PROTOCOL_ACCESS_KEY_ID": access_key,
        "S3_PROTOCOL_ACCESS_KEY_SECRET": secret_key,
    }
    if settings.public_url is not None:
        defaults["STORAGE_PUBLIC_URL"] = f"{settings.public_url}/storage/v1"
    return defaults


def realtime_variables(_settings: Settings, deployment: Deployment, keys: Keys) -> Variables:
    """The realtime service's defaults."""
    return {
        "DATABASE_URL": deployment.database_url,
        "API_JWT_SECRET": keys.jwt_secret,
        "API_JWT_JWKS": keys.public_jwks(),
        # The gateway exchanges a retired key in a request; a socket's frames it does not read
        "REALTIME_RETIRED_KEYS": jsontext.encode(
            [
                {"key": each.key, "until": each.until.timestamp()}
                for each in keys.retired.api
                if not each.key.startswith("sb_")
            ]
        ),
    }
