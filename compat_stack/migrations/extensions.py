"""What a project's migrations say of extensions, made to fit the server that they meet.

A pure rewriting of text: `create extension` of one that the server lacks becomes our SQL for it, or
nothing and a warning; a version that is not there is left out; what only an administrator may do,
and Supabase lets `postgres` do, is done by the administrator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from compat_base.postgres.statements import statement_spans

_NAME: Final = r'("(?:[^"]|"")+"|[A-Za-z_][\w$]*)'
_CREATE = re.compile(
    rf"create\s+extension\s+(?:if\s+not\s+exists\s+)?{_NAME}(.*)", re.IGNORECASE | re.DOTALL
)
_SCHEMA = re.compile(rf"\bschema\s+{_NAME}", re.IGNORECASE)
_VERSION = re.compile(rf"\bversion\s+('[^']*'|{_NAME})", re.IGNORECASE)
_CASCADE = re.compile(r"\bcascade\b", re.IGNORECASE)
_OTHER = re.compile(
    rf"(alter\s+extension|comment\s+on\s+extension|drop\s+extension(?:\s+if\s+exists)?)\s+{_NAME}",
    re.IGNORECASE,
)
_UPDATE = re.compile(r"\bupdate\b", re.IGNORECASE)
_ADMINISTRATORS = re.compile(
    r"(?:(?:create|alter|drop|comment\s+on)\s+event\s+trigger"
    r"|create\s+publication\b.*\bfor\s+(?:all\s+tables|tables\s+in\s+schema)"
    r"|alter\s+publication\b.*\btables\s+in\s+schema"
    r"|(?:create|alter|drop)\s+foreign\s+data\s+wrapper)\b"
    # a setting of nobody's, such as pgrst.db_max_rows or app.settings.secret
    rf"|alter\s+(?:role|user|database)\s+{_NAME}\s+(?:in\s+database\s+{_NAME}\s+)?"
    rf"set\s+(?:{_NAME}\s*\.|\"[^\"]*\.)",
    re.IGNORECASE | re.DOTALL,
)
_OWN_SCHEMA = frozenset({"pg_cron"})
_WORTH_A_LOOK = re.compile(
    r"extension|event\s+trigger|publication|data\s+wrapper|alter\s+(?:role|user|database)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Available:
    """An extension of the server: its versions, and whether any owner may create it."""

    versions: frozenset[str]
    is_trusted: bool


@dataclass(slots=True)
class Rewriter:
    """Rewrites scripts for one server; remembers what it installed on the way.

    `scripts` gives our SQL by name where the server cannot have it as an extension. `administrator`
    and `owner` are the statements between which one of the administrator's is put.
    """

    available: Mapping[str, Available]
    scripts: Callable[[str, str], str | None]
    warn: Callable[[str], None]
    installed: set[str] = field(default_factory=set[str])
    administrator: str = ""
    owner: str = ""

    def rewrite(self, script: str) -> str:
        """The script as this server can take it; one without such statements as it is."""
        if _WORTH_A_LOOK.search(script) is None:
            return script
        parts: list[str] = []
        position = 0
        for span in statement_spans(script):
            text = script[span.start : span.end]
            parts += [script[position : span.start], self._statement(text)]
            position = span.end
        return "".join([*parts, script[position:]])

    def _statement(self, text: str) -> str:
        if (create := _CREATE.match(text)) is not None:
            return self._create(_plain(create[1]), create[2])
        if (other := _OTHER.match(text)) is not None:
            return self._other(_plain(other[2]), other, text)
        return self._elevated(text) if _ADMINISTRATORS.match(text) is not None else text

    def _create(self, name: str, options: str) -> str:
        # Supabase puts it into a schema of its own choice, whatever is asked for
        schema = None if name in _OWN_SCHEMA else _SCHEMA.search(options)
        found = self.available.get(name)
        if found is None or name in self.installed:
            return self._without(name, _plain(schema[1]) if schema else "extensions")
        version = _VERSION.search(options)
        is_there = version is not None and _plain(version[1]) in found.versions
        statement = (
            f"create extension if not exists {_quoted(name)}"
            + (f" with schema {schema[1]}" if schema else "")
            + (f" version {version[1]}" if version is not None and is_there else "")
            + (" cascade" if _CASCADE.search(options) else "")
        )
        return statement if found.is_trusted else self._elevated(statement)

    def _without(self, name: str, schema: str) -> str:
        if name in self.installed:
            return ""
        script = self.scripts(name, schema)
        if script is None:
            self.warn(
                f"warning: this server has no extension {name}: it is left out, and what uses it"
                " will fail"
            )
            return ""
        self.installed.add(name)
        return self._elevated(script)

    def _other(self, name: str, said: re.Match[str], text: str) -> str:
        found = self.available.get(name)
        verb = said[1].lower().split()[0]
        if found is None:
            return ""
        version = re.search(r"\bto\s+('[^']*')", text, re.IGNORECASE)
        is_update = verb == "alter" and _UPDATE.search(text) is not None
        if is_update and version is not None and _plain(version[1]) not in found.versions:
            return ""
        return self._elevated(text)

    def _elevated(self, text: str) -> str:
        if not self.administrator:
            return text
        return f"{self.administrator}; {text};\n{self.owner}"


def _plain(name: str) -> str:
    """A name or a string as PostgreSQL reads it."""
    if name.startswith('"'):
        return name[1:-1].replace('""', '"')
    return name[1:-1] if name.startswith("'") else name.lower()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
