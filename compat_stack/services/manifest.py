"""The manifest: one row a service.

A further service is one more row, and an opener in a module of this package.
"""

from __future__ import annotations

from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_stack.services.service import MigrationSet, Pool, Service, Takes
from compat_stack.services.variables import (
    auth_variables,
    realtime_variables,
    rest_variables,
    storage_variables,
)

AUTH = Service(
    name="auth",
    prefix="/auth/v1",
    opener="compat_stack.services.auth:open_auth",
    connections="compat_stack.services.auth:most_connections",
    role="supabase_auth_admin",
    pools=(Pool("GOTRUE_DB_MAX_POOL_SIZE", 10),),
    defaults=auth_variables,
    takes=Takes(("GOTRUE_",), frozenset({"API_EXTERNAL_URL", "REQUEST_ID_HEADER"})),
    # The gateway removes all other forwarding headers; without this one, limits could not count
    fixed=(("GOTRUE_RATE_LIMIT_HEADER", "x-forwarded-for"),),
    migrations=MigrationSet("auth", SQL_FOLDER / "auth", "setting up sign-in"),
    # What a person's browser or an identity provider opens without a key: links out of mails,
    # redirects back, and published keys.
    open_paths=(
        "/verify",
        "/callback",
        "/authorize",
        "/.well-known/",
        "/sso/saml/",
        "/oauth/",
        "/health",
    ),
)
REST = Service(
    name="rest",
    prefix="/rest/v1",
    opener="compat_stack.services.rest:open_rest",
    connections="compat_stack.services.rest:most_connections",
    role="authenticator",
    pools=(Pool("PGRST_DB_POOL", 10),),
    defaults=rest_variables,
    takes=Takes(("PGRST_",)),
    # Its cached preambles are keyed by all headers: an id in them is a fifth more work, and nobody
    # reads it while there is no access log.
    reads_request_ids=False,
)
REALTIME = Service(
    name="realtime",
    prefix="/realtime/v1",
    opener="compat_stack.services.realtime:open_realtime",
    connections="compat_stack.services.realtime:most_connections",
    role="supabase_realtime_admin",
    shared_connections=2,  # the stream and its standby slot
    pools=(
        Pool("DB_POOL_SIZE", 10, least=3),
        Pool("REALTIME_VISIBILITY_POOL", 4, least=1),
        Pool("REALTIME_SLOW_CALLERS_POOL", 2, least=1),
    ),
    defaults=realtime_variables,
    takes=Takes(
        ("API_JWT_", "REALTIME_", "TENANT_"),
        # Not METRICS_JWT_SECRET: where it is JWT_SECRET, the public key would open the metrics
        frozenset({"DB_POOL_SIZE", "JWT_CLAIM_VALIDATORS", "REDIS_URL", "REGION"}),
    ),
    migrations=MigrationSet("realtime", SQL_FOLDER / "realtime", "setting up live changes"),
)  # fmt: skip

STORAGE = Service(
    name="storage",
    prefix="/storage/v1",
    opener="compat_stack.services.storage:open_storage",
    connections="compat_stack.services.storage:most_connections",
    role="supabase_storage_admin",
    pools=(Pool("DATABASE_MAX_CONNECTIONS", 20),),
    defaults=storage_variables,
    takes=Takes(
        (
            "STORAGE_",
            "UPLOAD_",
            "TUS_",
            "S3_PROTOCOL_",
            "IMAGE_",
            "IMGPROXY_",
            "DATABASE_M",
            "GOOGLE_",
            "AZURE_",
        ),
        frozenset(
            {
                "FILE_SIZE_LIMIT",
                "DATABASE_STATEMENT_TIMEOUT",
                "DATABASE_CONNECTION_TIMEOUT",
                "REQUEST_HARD_LIMITS_ENABLED",
                "REQUEST_ETAG_HEADERS",
                "RESPONSE_S_MAXAGE",
                "AWS_ACCESS_KEY_ID",
                "AWS_SECRET_ACCESS_KEY",
            }
        ),
    ),
    migrations=MigrationSet("storage", SQL_FOLDER / "storage", "setting up files"),
    # Public and signed URLs need no key; one that is sent still counts
    needs_key=False,
)

SERVICES = (AUTH, REST, REALTIME, STORAGE)
"""In the order in which they are migrated and opened."""
