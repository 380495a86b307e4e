"""The table of settings: a field of `Settings` is one setting, with all that is known of it.

Reading, the configuration file's dump, the keys read from the database, what a reload leaves as it
was, and docs/settings.md follow from the rows.
"""

# ruff: noqa: RUF009, PLR0913 — a field's row is made where the field is declared, by name
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, TypeVar

from compat_base.values import jwt
from compat_base.values.settings import Secret
from rest_compat.auth.role_claim import RoleClaimPath
from rest_compat.errors import Verbosity
from rest_compat.names import QualifiedName
from rest_compat.settings import kinds
from rest_compat.settings.options import APP_PREFIX, Options, dashed, merged
from rest_compat.settings.secret import (
    BASE64_KEYS,
    SigningSecret,
    signing_secret,
    verification_keys,
)

S = TypeVar("S", bound="Settings")

VERSION = "16.2"  # of PostgREST, for which the service stands in
LARGEST_BODY = 512 * 1024 * 1024  # bytes; PostgreSQL takes no value of twice that
MOST_WAITING = 1_000_000  # requests
_ROW = "setting"
_HOISTED = "statement_timeout,plan_filter.statement_cost_limit,default_transaction_isolation"


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


class TransactionEnd(Enum):
    """How transactions end, and whether a request may choose otherwise."""

    COMMIT = "commit"
    COMMIT_ALLOW_OVERRIDE = "commit-allow-override"
    ROLLBACK = "rollback"
    ROLLBACK_ALLOW_OVERRIDE = "rollback-allow-override"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key, all keys that it is read from (the first wins), and what it takes.

    `in_database`: read from the database too. `fixed`: a reload leaves it as it was at the start.
    `dumped`: shown by --dump-config.
    """

    key: str
    keys: tuple[str, ...]
    kind: kinds.Kind
    in_database: bool
    fixed: bool
    dumped: bool


def row(
    kind: kinds.Kind,
    key: str,
    *aliases: str,
    older: str | None = None,
    in_database: bool = False,
    fixed: bool = False,
    dumped: bool = True,
) -> Any:
    """A field of `Settings` that is a setting; `older`: an alias that wins over the key."""
    keys = (key, *aliases) if older is None else (older, key, *aliases)
    return field(metadata={_ROW: Setting(key, keys, kind, in_database, fixed, dumped)})


def derived(of: Callable[[Options], Any]) -> Any:
    """A field of `Settings` that follows from the others' values."""
    return field(metadata={_ROW: of}, repr=False)


def _words(members: type[Enum]) -> dict[str, Any]:
    return {member.value: member for member in members}


def _app_settings(options: Options) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(pair for pair in options.items() if pair[0].startswith(APP_PREFIX)))


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting, typed; times in seconds, internal sleeps in milliseconds.

    They are read in this order: the first that is wrong is reported. `listen_uri`: the
    connection for LISTEN, which a pooler at `db_uri` does not support. `pool_waiting`: requests
    that wait for a connection, `pool_waiting_each` of them from one address. `read_uri`: a replica
    that answers GET and HEAD; none where it is empty.
    """

    tx_end: TransactionEnd = row(
        kinds.choice(_words(TransactionEnd), "commit", "transaction termination"),
        "db-tx-end", in_database=True,
    )  # fmt: skip
    jwt_secret: SigningSecret = row(signing_secret(), "jwt-secret", in_database=True)
    db_uri: Secret = row(kinds.secret_or_file("postgresql://"), "db-uri", fixed=True)
    listen_uri: Secret = row(
        kinds.secret_or_file("postgresql://"), "db-listen-uri", "db-uri", fixed=True, dumped=False
    )
    read_uri: Secret = row(kinds.secret_or_file(""), "db-read-uri", fixed=True, dumped=False)
    schemas: tuple[str, ...] = row(
        kinds.schemas("public"), "db-schemas", "db-schema", in_database=True
    )
    extra_schemas: tuple[str, ...] = row(
        kinds.words("public", may_be_empty=True), "db-extra-search-path", in_database=True
    )
    anon_role: str | None = row(kinds.text(), "db-anon-role", in_database=True)
    pool_size: int = row(kinds.integer(10), "db-pool", fixed=True)
    pool_acquisition_timeout: int = row(
        kinds.integer(10), "db-pool-acquisition-timeout", fixed=True
    )
    pool_waiting: int = row(
        kinds.integer_between(1, MOST_WAITING, 1_000), "db-pool-waiting", fixed=True, dumped=False
    )
    pool_waiting_each: int = row(
        kinds.integer_between(1, MOST_WAITING, 500),
        "db-pool-waiting-per-address", fixed=True, dumped=False,
    )  # fmt: skip
    pool_max_lifetime: int = row(kinds.integer(1800), "db-pool-max-lifetime", fixed=True)
    pool_max_idletime: int = row(
        kinds.integer(30), "db-pool-max-idletime", older="db-pool-timeout", fixed=True
    )
    pool_recovery: bool = row(kinds.boolean(default=True), "db-pool-automatic-recovery", fixed=True)
    max_rows: int | None = row(kinds.integer(None), "db-max-rows", "max-rows", in_database=True)
    pre_request: QualifiedName | None = row(
        kinds.qualified_name(), "db-pre-request", "pre-request", in_database=True
    )
    prepared: bool = row(kinds.boolean(default=True), "db-prepared-statements", in_database=True)
    plan_enabled: bool = row(kinds.boolean(default=False), "db-plan-enabled", in_database=True)
    aggregates: bool = row(kinds.boolean(default=False), "db-aggregates-enabled", in_database=True)
    root_spec: QualifiedName | None = row(
        kinds.qualified_name(), "db-root-spec", "root-spec", in_database=True
    )
    hoisted: tuple[str, ...] = row(
        kinds.words(_HOISTED), "db-hoisted-tx-settings", in_database=True
    )
    channel: str = row(kinds.text("pgrst"), "db-channel")
    channel_enabled: bool = row(kinds.boolean(default=True), "db-channel-enabled")
    db_config: bool = row(kinds.boolean(default=True), "db-config")
    pre_config: QualifiedName | None = row(
        kinds.qualified_name(), "db-pre-config", in_database=True
    )
    jwt_keys: tuple[jwt.Key, ...] | None = derived(verification_keys)
    jwt_base64: bool = row(kinds.boolean(default=False), *BASE64_KEYS, in_database=True)
    jwt_aud: str | None = row(kinds.audience(), "jwt-aud", in_database=True)
    role_claim_path: RoleClaimPath = row(
        kinds.role_claim(), "jwt-role-claim-key", "role-claim-key", in_database=True
    )
    jwt_cache: int = row(kinds.integer(1000), "jwt-cache-max-entries")
    server_host: str = row(kinds.text("!4"), "server-host", fixed=True)
    server_port: int = row(kinds.integer(3000), "server-port", fixed=True)
    server_socket: str | None = row(kinds.text(), "server-unix-socket", fixed=True)
    server_socket_mode: int = row(kinds.socket_mode(), "server-unix-socket-mode", fixed=True)
    reuse_port: bool = row(kinds.boolean(default=False), "server-reuseport", fixed=True)
    max_body: int = row(
        kinds.integer_between(1, LARGEST_BODY, LARGEST_BODY),
        "server-max-body-size", fixed=True, dumped=False,
    )  # fmt: skip
    cors_origins: tuple[str, ...] = row(
        kinds.words(""), "server-cors-allowed-origins", in_database=True
    )
    timing: bool = row(kinds.boolean(default=False), "server-timing-enabled", in_database=True)
    trace_header: str | None = row(kinds.text(), "server-trace-header", in_database=True)
    admin_host: str = row(kinds.text("!4"), "admin-server-host", "server-host", fixed=True)
    admin_port: int | None = row(kinds.admin_port(), "admin-server-port", fixed=True)
    admin_socket: str | None = row(kinds.text(), "admin-server-unix-socket", fixed=True)
    admin_socket_mode: int = row(kinds.socket_mode(), "admin-server-unix-socket-mode", fixed=True)
    openapi_mode: OpenApiMode = row(
        kinds.choice(_words(OpenApiMode), OpenApiMode.FOLLOW.value, "openapi-mode"),
        "openapi-mode", in_database=True,
    )  # fmt: skip
    openapi_security: bool = row(
        kinds.boolean(default=False), "openapi-security-active", in_database=True
    )
    openapi_proxy: str | None = row(kinds.proxy_uri(), "openapi-server-proxy-uri", in_database=True)
    verbosity: Verbosity = row(
        kinds.choice(_words(Verbosity), Verbosity.VERBOSE.value, "client-error-verbosity"),
        "client-error-verbosity", in_database=True,
    )  # fmt: skip
    old_names: bool = row(
        kinds.boolean(default=True), "url-use-legacy-target-names", in_database=True
    )
    log_level: LogLevel = row(
        kinds.choice({level.name.lower(): level for level in LogLevel}, "error", "logging level"),
        "log-level",
    )  # fmt: skip
    log_query: bool = row(kinds.boolean(default=False), "log-query")
    sleep_first: int = row(
        kinds.integer(0), "internal-schema-cache-query-sleep-before-queries", dumped=False
    )
    sleep_last: int = row(kinds.integer(0), "internal-schema-cache-query-sleep", dumped=False)
    app_settings: tuple[tuple[str, str], ...] = derived(_app_settings)
    options: Options = derived(dict)

    @property
    def tx_rollback(self) -> bool:
        """Whether transactions are rolled back where a request does not choose."""
        return self.tx_end.value.startswith("rollback")

    @property
    def only_accessible(self) -> bool:
        """Whether the root document has what the caller may use alone (`follow-privileges`)."""
        return self.openapi_mode is OpenApiMode.FOLLOW

    @property
    def tx_override(self) -> bool:
        """Whether a request may choose how its transaction ends."""
        return self.tx_end.value.endswith("override")


def rows_of(table: type[Settings]) -> dict[str, Setting]:
    """The settings of a table by the names of their fields."""
    rows = ((one.name, one.metadata[_ROW]) for one in fields(table))
    return {name: found for name, found in rows if isinstance(found, Setting)}


def read_settings(
    values: Mapping[str, str],
    *,
    file: Mapping[str, str] | None = None,
    database: Mapping[str, str] | None = None,
    table: type[S] = Settings,
) -> S:
    """Read the environment's variables over a file's keys, under the database's.

    Raises SettingsError with the sentence the original shows.
    """
    return _read(table, merged(values, file or {}, database or {}))


def with_database(settings: S, database: Mapping[str, str]) -> S:
    """The same settings with those kept in the database on top."""
    return _read(type(settings), {**settings.options, **dashed(database)})


def _read(table: type[S], options: Options) -> S:
    values: dict[str, Any] = {}
    for one in fields(table):
        found = one.metadata[_ROW]
        if isinstance(found, Setting):
            values[one.name] = found.kind.parse(options, found.keys)
        else:
            values[one.name] = found(options)
    return table(**values)


def database_keys(table: type[Settings] = Settings) -> tuple[str, ...]:
    """The keys that are read from the database."""
    return tuple(found.key for found in rows_of(table).values() if found.in_database)


def fixed_at_start(table: type[Settings] = Settings) -> tuple[str, ...]:
    """The fields that a reload leaves as they were at the start."""
    return tuple(name for name, found in rows_of(table).items() if found.fixed)
