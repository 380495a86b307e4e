"""The settings of this service, read from the variables that the original reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlsplit

from compat_base.values import jsontext, jwt
from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_rows import read_rows, section, setting
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


def _database_url(reader: Reader, name: str) -> str:
    """The URL, or that of the original's parts."""
    url = reader.optional(name)
    if url is not None:
        return url
    user = quote(reader.text("DB_USER", "postgres"), safe="")
    password = quote(reader.text("DB_PASSWORD", "postgres"), safe="")
    host = reader.text("DB_HOST", "127.0.0.1")
    database = quote(reader.text("DB_NAME", "postgres"), safe="")
    port = reader.integer("DB_PORT", 5432, minimum=1)
    return f"postgresql://{user}:{password}@{host}:{port}/{database}"


def _redis_url(reader: Reader, name: str) -> str | None:
    """A URL that the library takes; a problem does not show it, as it may hold a password."""
    url = reader.optional(name)
    if url is not None and not _is_redis_url(url):
        reader.problem(f"{name} must be redis://HOST:PORT/NUMBER, rediss://… (TLS) or unix://PATH")
    return url


def _is_redis_url(url: str) -> bool:
    try:
        return url.startswith(("redis://", "rediss://", "unix://")) and urlsplit(url).port != 0
    except ValueError:
        return False


def _secret(reader: Reader, name: str) -> Secret:
    return Secret(reader.required(name))


def _keys(reader: Reader) -> Keys:
    secret = jwt.secret_key(reader.text("API_JWT_SECRET"))
    return Keys(secret, _key_set(reader), _expected_claims(reader), _retired(reader))


def _key_set(reader: Reader) -> tuple[jwt.Key, ...]:
    text = reader.optional("API_JWT_JWKS")
    if text is None:
        return ()
    try:
        return jwt.keys_from_json(text)
    except jwt.UnreadableKeyError as error:
        reader.problem(f"API_JWT_JWKS: {error}")
        return ()


def _expected_claims(reader: Reader) -> tuple[tuple[str, Any], ...]:
    """The claims that tokens are held to; `exp` and `iat` have rules of their own."""
    try:
        claims = jsontext.decode_object(reader.text("JWT_CLAIM_VALIDATORS", "{}"))
    except jsontext.InvalidJsonError as error:
        reader.problem(f"JWT_CLAIM_VALIDATORS: {error}")
        return ()
    return tuple((name, value) for name, value in claims.items() if name not in {"exp", "iat"})


def _retired(reader: Reader) -> tuple[RetiredToken, ...]:
    """API keys of earlier secrets, as JSON: `[{"key": token, "until": seconds since 1970}]`."""
    try:
        found = jsontext.decode(reader.text("REALTIME_RETIRED_KEYS", "[]"))
        return tuple(RetiredToken(str(each["key"]), float(each["until"])) for each in found)
    except (jsontext.InvalidJsonError, TypeError, KeyError, ValueError):
        # Without the error's own words: they may hold a key.
        reader.problem('REALTIME_RETIRED_KEYS: not a list of {"key": …, "until": seconds}')
        return ()


def _metrics_key(reader: Reader, name: str) -> jwt.Key | None:
    secret = reader.optional(name)
    return jwt.secret_key(secret) if secret else None


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


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of this service; a field is a row."""

    database_url: str = setting("DATABASE_URL", _database_url)
    api_secret: Secret = setting("API_JWT_SECRET", _secret)
    keys: Keys = section(_keys)
    host: str = setting("HOST", kinds.text("127.0.0.1"))
    port: int = setting("PORT", kinds.integer(4000, minimum=0))
    metrics_key: jwt.Key | None = setting("METRICS_JWT_SECRET", _metrics_key)
    redis_url: str | None = setting("REDIS_URL", _redis_url)
    pool_size: int = setting("DB_POOL_SIZE", kinds.integer(10, minimum=3))
    visibility_pool: int = setting("REALTIME_VISIBILITY_POOL", kinds.integer(4, minimum=1))
    slow_callers_pool: int = setting("REALTIME_SLOW_CALLERS_POOL", kinds.integer(2, minimum=1))
    private_only: bool = setting("REALTIME_PRIVATE_ONLY", kinds.boolean(default=False))
    region: str = setting("REGION", kinds.text("local"))
    publication: str = setting("REALTIME_PUBLICATION", kinds.text("supabase_realtime"))
    partitions: bool = setting("REALTIME_PARTITIONS", kinds.boolean(default=True))
    limits: Limits = section(_limits)


def read_settings(values: Mapping[str, str]) -> Settings:
    """Read the variables; SettingsError with every problem at once."""
    reader = Reader(values)
    return reader.finish(read_rows(Settings, reader))
