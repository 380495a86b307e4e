"""The settings of this service, read from the variables that the original reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from compat_base.values import jsontext, jwt
from compat_base.values.settings import Reader, Secret
from realtime_compat.auth import Keys, RetiredToken
from realtime_compat.protocol.limits import Limits

_COUNTS = {
    "connections": "TENANT_MAX_CONCURRENT_USERS",
    "joins_per_second": "TENANT_MAX_JOINS_PER_SECOND",
    "channels_per_connection": "TENANT_MAX_CHANNELS_PER_CLIENT",
    "events_per_second": "TENANT_MAX_EVENTS_PER_SECOND",
    "frames_per_second": "REALTIME_FRAMES_PER_SECOND",
    "bytes_per_second": "REALTIME_BYTES_PER_SECOND",
    "authorizations_per_second": "REALTIME_AUTHORIZATIONS_PER_SECOND",
    "sockets_per_address": "REALTIME_SOCKETS_PER_ADDRESS",
    "new_sockets_per_address": "REALTIME_NEW_SOCKETS_PER_ADDRESS",
    "presence_per_second": "TENANT_MAX_PRESENCE_EVENTS_PER_SECOND",
    "presence_calls": "REALTIME_PRESENCE_CALLS",
    "presence_bytes": "REALTIME_PRESENCE_BYTES",
    "join_bytes": "REALTIME_JOIN_BYTES",
    "queue_bytes": "REALTIME_QUEUE_BYTES",
}
"""Whole numbers of 1 or more, each limit's variable."""
_SECONDS = {
    "presence_window": "REALTIME_PRESENCE_WINDOW",
    "idle_seconds": "REALTIME_IDLE_TIMEOUT",
    "empty_seconds": "REALTIME_EMPTY_TIMEOUT",
    "queue_seconds": "REALTIME_QUEUE_SECONDS",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything this service can be told from outside."""

    database_url: str
    keys: Keys
    api_secret: Secret
    host: str = "127.0.0.1"
    port: int = 4000
    metrics_key: jwt.Key | None = None
    redis_url: str | None = None
    pool_size: int = 10
    visibility_pool: int = 4
    slow_callers_pool: int = 2
    private_only: bool = False
    region: str = "local"
    publication: str = "supabase_realtime"
    partitions: bool = True
    limits: Limits = field(default_factory=Limits)


def read_settings(values: Mapping[str, str]) -> Settings:
    """Read and check the variables; SettingsError names every problem at once."""
    reader = Reader(values)
    secret = reader.required("API_JWT_SECRET")
    record = Settings(
        database_url=reader.optional("DATABASE_URL") or _database_url(reader),
        keys=Keys(
            jwt.secret_key(secret), _key_set(reader), _expected_claims(reader), _retired(reader)
        ),
        api_secret=Secret(secret),
        host=reader.text("HOST", "127.0.0.1"),
        port=reader.integer("PORT", 4000, minimum=0),
        metrics_key=_metrics_key(reader),
        redis_url=reader.optional("REDIS_URL"),
        pool_size=reader.integer("DB_POOL_SIZE", 10, minimum=3),
        visibility_pool=reader.integer("REALTIME_VISIBILITY_POOL", 4, minimum=1),
        slow_callers_pool=reader.integer("REALTIME_SLOW_CALLERS_POOL", 2, minimum=1),
        private_only=reader.boolean("REALTIME_PRIVATE_ONLY", default=False),
        region=reader.text("REGION", "local"),
        publication=reader.text("REALTIME_PUBLICATION", "supabase_realtime"),
        partitions=reader.boolean("REALTIME_PARTITIONS", default=True),
        limits=_limits(reader),
    )
    return reader.finish(record)


def _limits(reader: Reader) -> Limits:
    defaults = Limits()
    counts = {
        field: reader.integer(variable, getattr(defaults, field), minimum=1)
        for field, variable in _COUNTS.items()
    }
    seconds = {
        field: reader.seconds(variable, getattr(defaults, field))
        for field, variable in _SECONDS.items()
    }
    # The original counts a kilobyte as 1,000 bytes and leaves 500 for the envelope.
    kilobytes = reader.integer("TENANT_MAX_PAYLOAD_SIZE_IN_KB", 3_000, minimum=1)
    return replace(defaults, payload_bytes=kilobytes * 1_000 + 500, **counts, **seconds)


def _key_set(reader: Reader) -> tuple[jwt.Key, ...]:
    text = reader.optional("API_JWT_JWKS")
    if text is None:
        return ()
    try:
        return jwt.keys_from_json(text)
    except jwt.UnreadableKeyError as error:
        reader.problem(f"API_JWT_JWKS: {error}")
        return ()


def _retired(reader: Reader) -> tuple[RetiredToken, ...]:
    """API keys of earlier secrets, as JSON: `[{"key": token, "until": seconds since 1970}]`."""
    try:
        found = jsontext.decode(reader.text("REALTIME_RETIRED_KEYS", "[]"))
        return tuple(RetiredToken(str(each["key"]), float(each["until"])) for each in found)
    except (jsontext.InvalidJsonError, TypeError, KeyError, ValueError):
        # Without the error's own words: they may hold a key.
        reader.problem('REALTIME_RETIRED_KEYS: not a list of {"key": …, "until": seconds}')
        return ()


def _metrics_key(reader: Reader) -> jwt.Key | None:
    secret = reader.optional("METRICS_JWT_SECRET")
    return jwt.secret_key(secret) if secret else None


def _expected_claims(reader: Reader) -> tuple[tuple[str, Any], ...]:
    """The claims that tokens are held to; `exp` and `iat` have rules of their own."""
    try:
        claims = jsontext.decode_object(reader.text("JWT_CLAIM_VALIDATORS", "{}"))
    except jsontext.InvalidJsonError as error:
        reader.problem(f"JWT_CLAIM_VALIDATORS: {error}")
        return ()
    return tuple((name, value) for name, value in claims.items() if name not in {"exp", "iat"})


def _database_url(reader: Reader) -> str:
    user = quote(reader.text("DB_USER", "postgres"), safe="")
    password = quote(reader.text("DB_PASSWORD", "postgres"), safe="")
    host = reader.text("DB_HOST", "127.0.0.1")
    name = quote(reader.text("DB_NAME", "postgres"), safe="")
    port = reader.integer("DB_PORT", 5432, minimum=1)
    return f"postgresql://{user}:{password}@{host}:{port}/{name}"
