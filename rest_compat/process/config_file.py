"""The configuration file and its dump: `key = value` lines (rest reference 16.10).

Values are quoted strings, numbers or booleans; `$(NAME)` stands for a variable of the
environment and `$$` for a dollar sign; `#` starts a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from compat_base.values.settings import SettingsError
from rest_compat.settings import APP_PREFIX, Settings, rows_of
from rest_compat.settings.kinds import quoted

_LINE = re.compile(
    r'\s*(?P<key>[A-Za-z_][\w.\-]*)\s*=\s*(?:"(?P<text>(?:[^"\\]|\\(?:["\\ntr]|u[0-9a-fA-F]{4}))*)"'
    r"|(?P<word>on|off|true|false|[0-9]+(?:\.[0-9]+)?))\s*(?:#.*)?"
)
_BLANK = re.compile(r"\s*(?:#.*)?")
_ESCAPE = re.compile(r"\\(?:u(.{4})|(.))")
_DOLLAR = re.compile(r"\$(?:(\$)|\(([^)]+)\)|)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_BOOLEANS = {"on": "true", "true": "true", "off": "false", "false": "false"}


def parse_config_file(text: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The options of a file; SettingsError for any other line."""
    options: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if _BLANK.fullmatch(line):
            continue
        try:
            key, value = _option(line, environment)
        except UnicodeDecodeError as error:
            raise SettingsError((f"line {number} of the file has half a character",)) from error
        except ValueError as error:
            raise SettingsError((f"line {number} of the file {error}",)) from error
        options[key] = value
    return options


def _option(line: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """The key and value of a line; ValueError where it has none."""
    found = _LINE.fullmatch(line)
    if found is None:
        message = "is not `key = value`"
        raise ValueError(message)
    key, text, word = found["key"], found["text"], found["word"]
    if text is not None:
        return key, _interpolated(_unescaped(text), environment)
    boolean = _BOOLEANS.get(word)
    if not key.startswith(APP_PREFIX):
        return key, boolean or word
    # A setting that takes text shows the type of other values, as in the original.
    return key, f"Bool {boolean.capitalize()}" if boolean else f"Number {float(word)}"


def _unescaped(text: str) -> str:
    """A string with its escapes read; ValueError for half of a pair of surrogates."""
    read = _ESCAPE.sub(
        lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPED.get(found[2], found[2]), text
    )
    return read.encode("utf-16", "surrogatepass").decode("utf-16")


def _interpolated(text: str, environment: Mapping[str, str]) -> str:
    """A text with its variables' values; ValueError for one that is unset."""

    def value_of(found: re.Match[str]) -> str:
        if found[1]:
            return "$"
        if found[2] not in environment:
            message = f"has no such variable: {found[2] or '$'}"
            raise ValueError(message)
        return environment[found[2]]

    return _DOLLAR.sub(value_of, text)


def dump_config(settings: Settings) -> str:
    """Every setting as a line of a configuration file, sorted by key."""
    lines = {
        row.key: row.kind.dump(getattr(settings, name))
        for name, row in rows_of(type(settings)).items()
        if row.dumped
    }
    lines |= {name: quoted(value) for name, value in settings.app_settings}
    return "".join(f"{key} = {value}\n" for key, value in sorted(lines.items()))


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
