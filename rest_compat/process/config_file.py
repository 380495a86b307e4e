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
