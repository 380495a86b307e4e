"""The settings of the original, read from any mapping (rest reference 17).

Keys are written with dashes in files (`db-uri`), as `PGRST_DB_URI` in the environment and with
underscores in the database (`pgrst.db_uri`). A database's value beats the environment's, which
beats the file's.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from compat_base.values import jwt
from compat_base.values.settings import Secret, SettingsError
from rest_compat.auth.role_claim import RoleClaimError, RoleClaimPath, parse_role_claim_path
from rest_compat.errors import Verbosity
from rest_compat.names import QualifiedName

VERSION = "16.2"  # of PostgREST, for which the service stands in
ENVIRONMENT_PREFIX = "PGRST_"
APP_PREFIX = "app.settings."
_LEAST_MODE, _MOST_MODE = 0o600, 0o777
_URI_CHARACTER = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})"
_URI = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.\-]*:{_URI_CHARACTER}*(?:\[[0-9A-Fa-f:.]+\]{_URI_CHARACTER}*)?(?:#{_URI_CHARACTER}*)?"
)
LARGEST_BODY = 512 * 1024 * 1024  # bytes; PostgreSQL takes no value of twice that
_LEAST_SECRET = 32  # bytes; RFC 7518, section 3.2

DATABASE_KEYS = (
    "client-error-verbosity", "db-aggregates-enabled", "db-anon-role", "db-extra-search-path",
    "db-hoisted-tx-settings", "db-max-rows", "db-plan-enabled", "db-pre-config",
    "db-pre-request", "db-prepared-statements", "db-root-spec", "db-schemas", "db-tx-end",
    "jwt-aud", "jwt-cache-max-lifetime", "jwt-role-claim-key", "jwt-secret",
    "jwt-secret-is-base64", "openapi-mode", "openapi-security-active",
    "openapi-server-proxy-uri", "server-cors-allowed-origins", "server-timing-enabled",
    "server-trace-header", "url-use-legacy-target-names",
)  # fmt: skip

# A reload of the configuration leaves these as they were at the start.
FIXED_AT_START = (
    "db_uri", "listen_uri", "pool_size", "pool_acquisition_timeout", "pool_max_lifetime",
    "pool_max_idletime", "pool_recovery", "server_host", "server_port", "server_socket",
    "server_socket_mode",
    "max_body", "reuse_port", "admin_host", "admin_port", "admin_socket", "admin_socket_mode",
    "tx_rollback", "tx_override", "openapi_proxy", "cors_origins",
)  # fmt: skip


class LogLevel(Enum):
    """How much is logged."""

    CRIT = 0
    ERROR = 1
    WARN = 2
    INFO = 3
    DEBUG = 4


class OpenApiMode(Enum):
    """What the root document shows."""

    FOLLOW = "follow-privileges"
    IGNORE = "ignore-privileges"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting, typed; times in seconds, internal sleeps in milliseconds.

    `listen_uri`: where notifications are heard, which no pooler of `db_uri` passes on.
    """

    db_uri: Secret
    listen_uri: Secret
    schemas: tuple[str, ...]
    extra_schemas: tuple[str, ...]
    anon_role: str | None
    pool_size: int
    pool_acquisition_timeout: int
    pool_max_lifetime: int
    pool_max_idletime: int
    pool_recovery: bool
    max_rows: int | None
    pre_request: QualifiedName | None
    prepared: bool
    tx_rollback: bool
    tx_override: bool
    plan_enabled: bool
    aggregates: bool
    root_spec: QualifiedName | None
    hoisted: tuple[str, ...]
    channel: str
    channel_enabled: bool
    db_config: bool
    pre_config: QualifiedName | None
    jwt_secret: Secret
    jwt_keys: tuple[jwt.Key, ...] = field(repr=False)
    jwt_base64: bool
    jwt_aud: str | None
    role_claim_path: RoleClaimPath
    jwt_cache: int
    server_host: str
    server_port: int
    server_socket: str | None
    server_socket_mode: int
    reuse_port: bool
    max_body: int
    cors_origins: tuple[str, ...]
    timing: bool
    trace_header: str | None
    admin_host: str
    admin_port: int | None
    admin_socket: str | None
    admin_socket_mode: int
    openapi_mode: OpenApiMode
    openapi_security: bool
    openapi_proxy: str | None
    verbosity: Verbosity
    old_names: bool
    log_level: LogLevel
    log_query: bool
    app_settings: tuple[tuple[str, str], ...] = ()
    sleep_first: int = 0
    sleep_last: int = 0
    options: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


def read_settings(
    values: Mapping[str, str],
    *,
    file: Mapping[str, str] | None = None,
    database: Mapping[str, str] | None = None,
) -> Settings:
    """Read the environment's variables over a file's keys, under the database's.

    Raises SettingsError with the sentence the original shows.
    """
    return _Options(_merged(values, file or {}, database or {})).settings()


def with_database(settings: Settings, database: Mapping[str, str]) -> Settings:
    """The same settings with those kept in the database on top."""
    return _Options({**settings.options, **_dashed(database)}).settings()


def _merged(
    values: Mapping[str, str], file: Mapping[str, str], database: Mapping[str, str]
) -> dict[str, str]:
    options = dict(file)
    for name, value in values.items():
        if name.startswith(f"{ENVIRONMENT_PREFIX}APP_SETTINGS_"):
            options[APP_PREFIX + name.removeprefix(f"{ENVIRONMENT_PREFIX}APP_SETTINGS_")] = value
        elif name.startswith(ENVIRONMENT_PREFIX):
            key = name.removeprefix(ENVIRONMENT_PREFIX).lower().replace("_", "-")
            options[key] = value
    return options | _dashed(database)


def _dashed(database: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in database.items()}


_TX_ENDS = ("commit", "commit-allow-override", "rollback", "rollback-allow-override")


class _Options:
    """Reads single options; the first that is wrong is told, as the original does."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options

    def settings(self) -> Settings:
        tx_end = self._choice("db-tx-end", "commit", _TX_ENDS, "transaction termination")
        server_port = self._integer("server-port") or 3000
        secret = self._secret()
        return Settings(
            db_uri=self._uri("db-uri"),
            listen_uri=self._uri("db-listen-uri", "db-uri"),
            schemas=self._schemas(),
            extra_schemas=self._words("db-extra-search-path", "public", may_be_empty=True),
            anon_role=self._text("db-anon-role"),
            pool_size=self._integer("db-pool", default=10),
            pool_acquisition_timeout=self._integer("db-pool-acquisition-timeout", default=10),
            pool_max_lifetime=self._integer("db-pool-max-lifetime", default=1800),
            pool_max_idletime=self._integer("db-pool-timeout", "db-pool-max-idletime", default=30),
            pool_recovery=self._boolean("db-pool-automatic-recovery", default=True),
            max_rows=self._optional_integer("db-max-rows", "max-rows"),
            pre_request=self._name("db-pre-request", "pre-request"),
            prepared=self._boolean("db-prepared-statements", default=True),
            tx_rollback=tx_end.startswith("rollback"),
            tx_override=tx_end.endswith("override"),
            plan_enabled=self._boolean("db-plan-enabled", default=False),
            aggregates=self._boolean("db-aggregates-enabled", default=False),
            root_spec=self._name("db-root-spec", "root-spec"),
            hoisted=self._words(
                "db-hoisted-tx-settings",
                "statement_timeout,plan_filter.statement_cost_limit,default_transaction_isolation",
            ),
            channel=self._text("db-channel") or "pgrst",
            channel_enabled=self._boolean("db-channel-enabled", default=True),
            db_config=self._boolean("db-config", default=True),
            pre_config=self._name("db-pre-config"),
            jwt_secret=Secret("" if secret is None else secret.decode("latin-1")),
            jwt_keys=() if secret is None else _keys(secret),
            jwt_base64=self._boolean("jwt-secret-is-base64", "secret-is-base64", default=False),
            jwt_aud=self._audience(),
            role_claim_path=self._role_claim_path(),
            jwt_cache=self._integer("jwt-cache-max-entries", default=1000),
            server_host=self._text("server-host") or "!4",
            server_port=self._integer("server-port", default=3000),
            server_socket=self._text("server-unix-socket"),
            server_socket_mode=self._mode("server-unix-socket-mode"),
            reuse_port=self._boolean("server-reuseport", default=False),
            max_body=self._max_body(),
            cors_origins=self._words("server-cors-allowed-origins", ""),
            timing=self._boolean("server-timing-enabled", default=False),
            trace_header=self._text("server-trace-header"),
            admin_host=self._text("admin-server-host", "server-host") or "!4",
            admin_port=self._admin_port(server_port),
            admin_socket=self._text("admin-server-unix-socket"),
            admin_socket_mode=self._mode("admin-server-unix-socket-mode"),
            openapi_mode=self._openapi_mode(),
            openapi_security=self._boolean("openapi-security-active", default=False),
            openapi_proxy=self._proxy(),
            verbosity=self._verbosity(),
            old_names=self._boolean("url-use-legacy-target-names", default=True),
            log_level=self._log_level(),
            log_query=self._boolean("log-query", default=False),
            app_settings=self._app_settings(),
            sleep_first=self._integer(
                "internal-schema-cache-query-sleep-before-queries", default=0
            ),
            sleep_last=self._integer("internal-schema-cache-query-sleep", default=0),
            options=self._options,
        )

    # ── single options ─────────────────────────────────────────────────────────────────────────

    def _text(self, *keys: str) -> str | None:
        return next((self._options[key] for key in keys if self._options.get(key)), None)

    def _optional_integer(self, *keys: str) -> int | None:
        text = self._text(*keys)
        return int(text) if text is not None and re.fullmatch(r"\s*-?[0-9]+\s*", text) else None

    def _integer(self, *keys: str, default: int = 0) -> int:
        value = self._optional_integer(*keys)
        return default if value is None else value

    def _boolean(self, *keys: str, default: bool) -> bool:
        text = self._text(*keys)
        if text is None:
            return default
        word = "".join(filter(str.isalpha, text)).lower()
        if word in {"true", "false"}:
            return word == "true"
        return int(text) > 0 if re.fullmatch(r"-?[0-9]+", text) else default

    def _words(self, key: str, default: str, *, may_be_empty: bool = False) -> tuple[str, ...]:
        text = self._options.get(key) if may_be_empty else self._text(key)
        text = default if text is None else text
        return tuple(part.strip() for part in text.split(",")) if text else ()

    def _name(self, *keys: str) -> QualifiedName | None:
        text = self._text(*keys)
        if text is None:
            return None
        schema, dot, name = text.partition(".")
        return QualifiedName(schema, name) if dot and name else QualifiedName("", schema)

    def _choice(self, key: str, default: str, allowed: Iterable[str], what: str) -> str:
        value = self._text(key) or default
        if value not in allowed:
            _refuse(f"Invalid {what}. Check your configuration.")
        return value

    def _openapi_mode(self) -> OpenApiMode:
        modes = {mode.value: mode for mode in OpenApiMode}
        return modes[self._choice("openapi-mode", OpenApiMode.FOLLOW.value, modes, "openapi-mode")]

    def _verbosity(self) -> Verbosity:
        key, verbosities = "client-error-verbosity", {one.value: one for one in Verbosity}
        return verbosities[self._choice(key, Verbosity.VERBOSE.value, verbosities, key)]

    def _log_level(self) -> LogLevel:
        levels = {level.name.lower(): level for level in LogLevel}
        return levels[self._choice("log-level", "error", levels, "logging level")]

    def _file(self, text: str) -> str:
        return _read_file(text[1:]).decode().strip() if text.startswith("@") else text

    def _schemas(self) -> tuple[str, ...]:
        text = self._text("db-schemas", "db-schema") or "public"
        schemas = tuple(part.strip() for part in text.split(","))
        for name in ("pg_catalog", "information_schema"):
            if name in schemas:
                _refuse(f"db-schemas does not allow schema: '{name}'")
        return schemas

    def _admin_port(self, server_port: int) -> int | None:
        port = self._optional_integer("admin-server-port")
        if port is not None and port == server_port:
            _refuse("admin-server-port cannot be the same as server-port")
        return port

    def _uri(self, *keys: str) -> Secret:
        return Secret(self._file(self._text(*keys) or "postgresql://"))

    def _max_body(self) -> int:
        size = self._integer("server-max-body-size", default=LARGEST_BODY)
        if not 0 < size <= LARGEST_BODY:
            _refuse(f"Invalid server-max-body-size: needs to be between 1 and {LARGEST_BODY}")
        return size

    def _mode(self, key: str) -> int:
        text = self._text(key) or "660"
        found = re.match(r"[0-7]+", text)
        if found is None:
            _refuse(f"Invalid {key}: not an octal")
        mode = int(found.group(), 8)
        if not _LEAST_MODE <= mode <= _MOST_MODE:
            _refuse(f"Invalid {key}: needs to be between 600 and 777")
        return mode

    def _proxy(self) -> str | None:
        text = self._text("openapi-server-proxy-uri")
        if text is not None and not _is_proxy(text):
            _refuse("Malformed proxy uri, a correct example: https://example.com:8443/basePath")
        return text

    def _audience(self) -> str | None:
        text = self._text("jwt-aud")
        if text is not None and ":" in text and not _is_uri(text):
            _refuse("jwt-aud should be a string or a valid URI")
        return text

    def _role_claim_path(self) -> RoleClaimPath:
        text = self._text("jwt-role-claim-key", "role-claim-key") or "$.role"
        try:
            return parse_role_claim_path(text)
        except RoleClaimError:
            _refuse(f"failed to parse role-claim-key value ({text})")

    def _app_settings(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            sorted(
                (key, value) for key, value in self._options.items() if key.startswith(APP_PREFIX)
            )
        )

    def _secret(self) -> bytes | None:
        text = self._text("jwt-secret")
        if text is None:
            return None
        secret = text.encode()
        if text.startswith("@"):
            secret = _read_file(text[1:]).removesuffix(b"\n")
        if not self._boolean("jwt-secret-is-base64", "secret-is-base64", default=False):
            return secret
        standard = secret.replace(b"_", b"/").replace(b"-", b"+").replace(b".", b"=").strip()
        try:
            return base64.b64decode(standard, validate=True)
        except binascii.Error:
            _refuse("the JWT secret is not valid base64")


def _keys(secret: bytes) -> tuple[jwt.Key, ...]:
    if secret.lstrip()[:1] == b"{":
        try:
            return jwt.keys_from_json(secret)
        except jwt.UnreadableKeyError:
            pass
    if len(secret) < _LEAST_SECRET:
        _refuse("The JWT secret must be at least 32 characters long.")
    return (jwt.secret_key(secret, algorithms=("HS256",)),)


def _read_file(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        _refuse(f"{path}: {error.strerror}")


def _is_proxy(text: str) -> bool:
    """Whether a text is an absolute http(s) URI with a host, and nothing but a port and a path."""
    if not _is_uri(text):
        return False
    parts = urlsplit(text)
    try:
        has_port = parts.port != 0
    except ValueError:
        return False
    is_plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    return has_port and is_plain and parts.scheme in {"http", "https"} and bool(parts.hostname)


def _is_uri(text: str) -> bool:
    """Whether a text is a URI with its own scheme (RFC 3986)."""
    return _URI.fullmatch(text) is not None


def _refuse(problem: str) -> NoReturn:
    raise SettingsError((problem,))
