"""The configuration file and its dump: `key = value` lines (rest reference 16.10).

Values are quoted strings, numbers or booleans; `$(NAME)` stands for a variable of the
environment and `$$` for a dollar sign; `#` starts a comment.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

from compat_base.values.settings import SettingsError
from rest_compat.settings import APP_PREFIX, Settings

_LINE = re.compile(
    r'\s*(?P<key>[A-Za-z_][\w.\-]*)\s*=\s*(?:"(?P<text>(?:[^"\\]|\\.)*)"|(?P<word>[^\s#"]+))'
    r"\s*(?:#.*)?"
)
_BLANK = re.compile(r"\s*(?:#.*)?")
_ESCAPE = re.compile(r"\\(.)")
_DOLLAR = re.compile(r"\$(?:\$|\(([^)]*)\))")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


def parse_config_file(text: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The options of a file; SettingsError for a line that is none."""
    options: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if _BLANK.fullmatch(line):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise SettingsError((f"line {number} of the file is not `key = value`",))
        value = found.group("text")
        if value is None:
            options[found.group("key")] = _unquoted(found.group("key"), found.group("word"))
        else:
            options[found.group("key")] = _interpolated(_unescaped(value), environment)
    return options


def _unquoted(key: str, word: str) -> str:
    """A value without quotes; where a text is wanted the original shows what kind it was."""
    if not key.startswith(APP_PREFIX):
        return word
    if word in {"true", "false"}:
        return f"Bool {word.capitalize()}"
    return f"Number {float(word)}" if _NUMBER.fullmatch(word) else word


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found.group(1), found.group(1)), text)


def _interpolated(text: str, environment: Mapping[str, str]) -> str:
    return _DOLLAR.sub(
        lambda found: "$" if found.group(1) is None else environment.get(found.group(1), ""), text
    )


def dump_config(settings: Settings) -> str:
    """Every setting as a line of a configuration file, sorted by key."""
    lines = dict(_dumped(settings))
    lines |= {name: _quoted(value) for name, value in settings.app_settings}
    return "".join(f"{key} = {value}\n" for key, value in sorted(lines.items()))


def _dumped(settings: Settings) -> dict[str, str]:
    tx_end = "rollback" if settings.tx_rollback else "commit"
    secret = settings.jwt_secret.reveal().encode("latin-1")
    shown_secret = base64.b64encode(secret) if settings.jwt_base64 else secret
    path = settings.role_claim_path
    role_key = path.text if path.is_old else path.text.replace('"', '\\"').replace("$", "$$")
    return {
        "admin-server-host": _quoted(settings.admin_host),
        "admin-server-port": _number(settings.admin_port),
        "admin-server-unix-socket": _quoted(settings.admin_socket),
        "admin-server-unix-socket-mode": _quoted(f"{settings.admin_socket_mode:o}"),
        "client-error-verbosity": _quoted(settings.verbosity.value),
        "db-aggregates-enabled": _flag(value=settings.aggregates),
        "db-anon-role": _quoted(settings.anon_role),
        "db-channel": _quoted(settings.channel),
        "db-channel-enabled": _flag(value=settings.channel_enabled),
        "db-config": _flag(value=settings.db_config),
        "db-extra-search-path": _quoted(",".join(settings.extra_schemas)),
        "db-hoisted-tx-settings": _quoted(",".join(settings.hoisted)),
        "db-max-rows": _number(settings.max_rows),
        "db-plan-enabled": _flag(value=settings.plan_enabled),
        "db-pool": _number(settings.pool_size),
        "db-pool-acquisition-timeout": _number(settings.pool_acquisition_timeout),
        "db-pool-automatic-recovery": _flag(value=settings.pool_recovery),
        "db-pool-max-idletime": _number(settings.pool_max_idletime),
        "db-pool-max-lifetime": _number(settings.pool_max_lifetime),
        "db-pre-config": _name(settings.pre_config),
        "db-pre-request": _name(settings.pre_request),
        "db-prepared-statements": _flag(value=settings.prepared),
        "db-root-spec": _name(settings.root_spec),
        "db-schemas": _quoted(",".join(settings.schemas)),
        "db-tx-end": _quoted(f"{tx_end}-allow-override" if settings.tx_override else tx_end),
        "db-uri": _quoted(settings.db_uri.reveal()),
        "jwt-aud": _quoted(settings.jwt_aud),
        "jwt-cache-max-entries": _number(settings.jwt_cache),
        "jwt-role-claim-key": _quoted(role_key),
        "jwt-secret": _quoted(shown_secret.decode("utf-8", "replace")),
        "jwt-secret-is-base64": _flag(value=settings.jwt_base64),
        "log-level": _quoted(settings.log_level.name.lower()),
        "log-query": _flag(value=settings.log_query),
        "openapi-mode": _quoted(settings.openapi_mode.value),
        "openapi-security-active": _flag(value=settings.openapi_security),
        "openapi-server-proxy-uri": _quoted(settings.openapi_proxy),
        "server-cors-allowed-origins": _quoted(",".join(settings.cors_origins)),
        "server-host": _quoted(settings.server_host),
        "server-port": _number(settings.server_port),
        "server-reuseport": _flag(value=settings.reuse_port),
        "server-timing-enabled": _flag(value=settings.timing),
        "server-trace-header": _quoted(settings.trace_header),
        "server-unix-socket": _quoted(settings.server_socket),
        "server-unix-socket-mode": _quoted(f"{settings.server_socket_mode:o}"),
        "url-use-legacy-target-names": _flag(value=settings.old_names),
    }


def _quoted(text: str | None) -> str:
    escaped = (text or "").replace('"', '\\"')
    return f'"{escaped}"'


def _number(value: int | None) -> str:
    return '""' if value is None else str(value)


def _flag(*, value: bool) -> str:
    return "true" if value else "false"


def _name(name: object) -> str:
    return _quoted(None if name is None else str(name).removeprefix("."))


EXAMPLE = """\
# Where the database is: a libpq URI or `key=value` pairs.
db-uri = "postgresql://"

# The exposed schemas; the first is the default.
db-schemas = "public"

# Further schemas of the search path.
db-extra-search-path = "public"

# The role of requests without a token.
# db-anon-role = "anon"

# Connections of the pool.
db-pool = 10

# The most rows a read gives.
# db-max-rows = 1000

# The secret or keys that tokens are signed with, or "@file".
# jwt-secret = "a secret of at least 32 characters"

server-host = "!4"
server-port = 3000
# admin-server-port = 3001

# crit, error, warn, info or debug
log-level = "error"
"""
