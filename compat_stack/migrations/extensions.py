"""A project's statements about extensions, rewritten for this server; pure text.

- `create extension` of one that the server lacks becomes our SQL for it, or nothing and a warning.
- A version of an extension that the server does not offer is left out.
- A collation of ICU becomes one by code point, and LZ4 the server's own compression, where the
  server is built without ICU or LZ4.
- What Supabase allows `postgres`, and PostgreSQL only to a superuser, is run by the administrator.

The same holds within `do` blocks, where the administrator acts through a function of the session.
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
    # FOR ALL TABLES needs a superuser; supabase_realtime belongs to the owner already
    r"|drop\s+publication|alter\s+publication\b(?!\s+\"?supabase_)"
    r"|alter\s+publication\b.*\btables\s+in\s+schema"
    r"|(?:create|alter|drop)\s+foreign\s+data\s+wrapper)\b"
    # a custom setting, such as pgrst.db_max_rows or app.settings.secret
    rf"|alter\s+(?:role|user|database)\s+{_NAME}\s+(?:in\s+database\s+{_NAME}\s+)?"
    rf"set\s+(?:{_NAME}\s*\.|\"[^\"]*\.)",
    re.IGNORECASE | re.DOTALL,
)
# Extensions in a schema of their own, with what `with schema` must say for them (None: nothing).
_HOMES = {"pg_cron": "pg_catalog", "pgmq": None, "pgsodium": None, "pg_tle": None}
_WRAPPER = re.compile(rf"create\s+foreign\s+data\s+wrapper\s+{_NAME}", re.IGNORECASE)
_BLOCK = re.compile(
    r"do\b(?:\s+language\s+\w+)?\s*(?P<quote>\$\w*\$)(?P<body>.*)(?P=quote)",
    re.IGNORECASE | re.DOTALL,
)
_CONTROL = r"(?:\b(?:begin|then|else|loop)\b\s+|>>\s*)"
_IN_BLOCK = re.compile(
    rf"(?:\A|{_CONTROL})(?P<statement>(?:create|alter|drop|comment|execute)\b"
    rf"(?:(?!{_CONTROL}(?:create|alter|drop|comment|execute)\b).)*)\Z",
    re.IGNORECASE | re.DOTALL,
)
# Parts of a block that are no code: comments become blanks, strings words, of the same length.
_NO_CODE = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?\*/)|'(?:[^']|'')*'|(?P<mark>\$\w*\$).*?(?P=mark)", re.DOTALL
)
_DYNAMIC = re.compile(r"execute\s+(?P<expression>.*)", re.IGNORECASE | re.DOTALL)
# A statement that the block composes when it runs: names in it may be `%I`.
_FORMAT = re.compile(r"%\d*\$?[Is]")
_WITH_VALUES = re.compile(r"\b(?:using|into)\b", re.IGNORECASE)
_ACTS = (
    "create or replace function pg_temp.compat_administrator(text) returns void language plpgsql"
    " security definer as $compat$begin execute $1; end$compat$;"
    " grant execute on function pg_temp.compat_administrator(text) to public"
)
_CALL = "call compat.administrate({})"
# What `format` puts in the place of its parts, as patterns of PostgreSQL's
_COMPOSED = {
    "I": r'(?:"(?:[^"]|"")*"|[a-z_][a-z0-9_$]*)',
    "L": r"(?:'(?:[^'\\]|'')*'|null)",
    "s": r"[^;]*",
}
_FORMATTED = re.compile(
    r"(?P<format>format\s*\(\s*)?(?:'(?P<text>(?:[^']|'')*)'|(?P<mark>\$\w*\$)(?P<body>.*?)(?P=mark))",
    re.IGNORECASE | re.DOTALL,
)
# What dumps of hosted projects, or of another stack's roles, create again; ours are there already.
_OURS_ALREADY = re.compile(
    r"(?:create|alter)\s+role\s+\"?compat_\w+\"?(?:\s|\Z)|"
    r'create\s+or\s+replace\s+function\s+"?supabase_functions"?\s*\.\s*"?http_request"?\s*\('
    r"|(?:create|alter|drop)\s+publication\s+(?:if\s+exists\s+)?"
    r'"?supabase_realtime_messages_publication\b',
    re.IGNORECASE,
)
# Sets of words: a script without all words of any needs no rewriting. The patterns, applied to a
# large seed, would take ten times as long
_KEYWORDS = (
    ("extension",), ("event", "trigger"), ("publication",), ("data", "wrapper"), ("alter", "role"),
    ("alter", "user"), ("alter", "database"), ("supabase_functions",), ("pgroonga",),
    ("role", "compat_"), ("create", "collation"), ("compression", "lz4"),
    ("on function", "postgis_"),
)  # fmt: skip
_COLLATION = re.compile(
    rf"(?P<head>create\s+collation\s+(?:if\s+not\s+exists\s+)?(?:{_NAME}\s*\.\s*)?(?P<name>{_NAME}))"
    r"\s*\((?P<options>[^()]*)\)",
    re.IGNORECASE,
)
# ICU's, and the operating system's of Supabase's images, which this machine may lack
_FOREIGN_ORDER = re.compile(r"\bprovider\s*=\s*[\"']?icu\b|\ben_US\b", re.IGNORECASE)
# A compression that the server may be built without; only the size on disk differs
_TABLE = re.compile(r"(?:create|alter)\b[^;'\"]{0,40}?\btable\b", re.IGNORECASE)
_LZ4 = re.compile(r"\bcompression\s+\"?lz4\b\"?", re.IGNORECASE)
_LZ4_DEFAULT = re.compile(
    r"set\s+(?:(?:session|local)\s+)?default_toast_compression\s*(?:=|\bto\b)\s*[\"']?lz4\b.*",
    re.IGNORECASE | re.DOTALL,
)
# Options of its indexes, which ours have not: tokenizers, normalizers, plugins.
_PGROONGA = re.compile(
    r"(?P<index>create\s+(?:unique\s+)?index\b.*\busing\s+\"?pgroonga\"?\s*\(.*\))\s*"
    r"with\s*\((?:[^()']|'(?:[^']|'')*')*\)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
# Rights on PostGIS's functions, all of which pulled schemas name; ours has not its internal ones.
_POSTGIS = re.compile(
    r"(?:grant|revoke)\b[^;()]*\bon\s+function\s+(?:\"?\w+\"?\s*\.\s*)?\"?(?:_?(?:st|postgis)_"
    r"|pgis_|geom|geog|gserialized_|box|gidx_|spheroid_|overlaps_|contains_2d|is_contained_2d"
    r"|(?:add|drop|populate_|update)geometry|(?:add|check)auth|(?:un)?lockrow|(?:en|dis)ablelong"
    r"|longtransactions|gettransactionid|find_srid|get_proj4_|(?:equals|path|point|polygon|text"
    r"|bytea)\"?\s*\()",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Available:
    """An extension that the server offers; `is_ours`: its SQL is in sql/contrib."""

    versions: frozenset[str]
    is_trusted: bool
    is_ours: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """The statements that replace one; none where it is empty."""

    text: str
    by_administrator: bool = False


@dataclass(frozen=True, slots=True)
class Approval:
    """A statement that `compat.administrate` may run, or a pattern of such statements."""

    statement: str
    is_pattern: bool = False


@dataclass(slots=True)
class Rewriter:
    """Rewrites scripts for one server; remembers which extensions it installed.

    `scripts` has our SQL by name, where the server cannot have it as an extension. What the
    administrator runs is called by `compat.administrate` and collected in `approvals`; or it stands
    between the statements `administrator` and `owner`, where the session can become either.
    """

    available: Mapping[str, Available]
    scripts: Callable[[str, str], str | None]
    warn: Callable[[str], None]
    installed: set[str] = field(default_factory=set[str])
    lacks_icu: bool = False
    lacks_lz4: bool = False
    administrator: str = ""
    owner: str = ""
    approvals: list[Approval] | None = None

    def rewrite(self, script: str) -> str:
        """The script for this server; unchanged without such statements."""
        lowered = script.lower()
        if not any(all(word in lowered for word in words) for words in _KEYWORDS):
            return script
        return _replaced(script, self._outside)

    def by_administrator(self, statement: str) -> str:
        """A statement of ours that the administrator runs in the script's session."""
        return self._between(_Run(statement, by_administrator=True))

    def _outside(self, text: str) -> str:
        """A statement of a script."""
        block = _BLOCK.match(text)
        if block is None:
            return self._between(self._statement(text))
        body = _replaced(block["body"], self._inside)
        if body == block["body"]:
            return text
        whole = f"{text[: block.start('body')]}{body}{text[block.end('body') :]}"
        if not self.administrator:
            return whole
        return f"{self._between(_Run(_ACTS, by_administrator=True))}; {whole}"

    def _inside(self, text: str) -> str:
        """A statement of a block, with the `if … then` before it."""
        found = _IN_BLOCK.search(_NO_CODE.sub(_blank, text))
        if found is None:
            return text
        statement = text[found.start("statement") :]
        dynamic = _DYNAMIC.fullmatch(statement)
        if dynamic is None:
            run = self._statement(statement)
            done = statement if run == _Run(statement) else self._performed(run)
        elif self._is_administrators(dynamic["expression"]):
            done = self._composed(dynamic["expression"])
        else:
            done = statement
        return text[: found.start("statement")] + done

    def _is_administrators(self, expression: str) -> bool:
        """Whether `execute` of an expression runs a statement that only the administrator may."""
        if not self._is_apart() or _WITH_VALUES.search(expression) is not None:
            return False
        words = expression.lstrip("(").strip()
        matched = re.match(
            r"(?:format\s*\(\s*)?(?:'|\$\w*\$)\s*(.*)", words, re.IGNORECASE | re.DOTALL
        )
        if matched is None:
            return False
        text = _FORMAT.sub("a", matched[1])
        return _ADMINISTRATORS.match(text) is not None or _OTHER.match(text) is not None

    def _is_apart(self) -> bool:
        """Whether the administrator is another role than the one that runs the script."""
        return bool(self.administrator) or self.approvals is not None

    def _composed(self, expression: str) -> str:
        """A call that has the administrator run a statement which the block composes."""
        if self.approvals is None:
            return f"perform pg_temp.compat_administrator({expression})"
        self.approvals.append(Approval(composed_pattern(expression), is_pattern=True))
        return _CALL.format(expression)

    def _performed(self, run: _Run) -> str:
        if not run.text:
            return "null"
        if not run.by_administrator or not self._is_apart():
            return run.text
        if self.approvals is not None:
            return self._called(run.text, self.approvals)
        return f"perform pg_temp.compat_administrator($compat_do${run.text}$compat_do$)"

    def _called(self, statement: str, approvals: list[Approval]) -> str:
        approvals.append(Approval(statement))
        return _CALL.format(f"$compat_do${statement}$compat_do$")

    def _between(self, run: _Run) -> str:
        if not run.by_administrator or not self._is_apart():
            return run.text
        if self.approvals is not None:
            return self._called(run.text, self.approvals)
        # A comment must not swallow what follows; else lines keep their numbers
        gap = "\n" if "--" in run.text.rpartition("\n")[2] else " "
        return f"{self.administrator}; {run.text};{gap}{self.owner}"

    def _statement(self, text: str) -> _Run:
        if (create := _CREATE.match(text)) is not None:
            return self._create(_plain(create[1]), create[2])
        if (other := _OTHER.match(text)) is not None:
            return self._other(_plain(other[2]), other, text)
        if _OURS_ALREADY.match(text) is not None:
            return _Run("")
        if (indexed := _PGROONGA.fullmatch(text)) is not None and self._is_ours("pgroonga"):
            return _Run(f"{indexed['index']} {indexed['rest']}".rstrip())
        if self.lacks_lz4 and _LZ4_DEFAULT.fullmatch(text) is not None:
            return _Run("")
        if self.lacks_lz4 and _TABLE.match(text) is not None:
            text = _LZ4.sub("compression pglz", text)
        if self.lacks_icu and (collation := _COLLATION.fullmatch(text)) is not None:
            return self._collation(collation)
        if _POSTGIS.match(text) is not None and self._is_ours("postgis"):
            caught = "exception when undefined_function or undefined_object then null"
            return _Run(f"do $compat$begin {text}; {caught}; end$compat$")
        if _ADMINISTRATORS.match(text) is None:
            return _Run(text)
        wrapper = _WRAPPER.match(text)  # whose servers are the owner's
        given = f"; grant usage on foreign data wrapper {wrapper[1]} to postgres" if wrapper else ""
        return _Run(text + given, by_administrator=True)

    def _collation(self, match: re.Match[str]) -> _Run:
        if _FOREIGN_ORDER.search(match["options"]) is None:
            return _Run(match[0])
        self.warn(
            f"warning: this server has no ICU: the collation {_plain(match['name'])} compares by"
            " code point, capitals before small letters"
        )
        gap = "\n" * match[0].count("\n", match.end("head"))  # lines keep their numbers
        return _Run(f"{match['head']} (provider = builtin, locale = 'C.UTF-8'){gap}")

    def _is_ours(self, name: str) -> bool:
        found = self.available.get(name)
        return name in self.installed if found is None else found.is_ours

    def _create(self, name: str, options: str) -> _Run:
        schema = _SCHEMA.search(options)
        found = self.available.get(name)
        if found is None or name in self.installed:
            requested_schema = None if schema is None or name in _HOMES else _plain(schema[1])
            return self._without(name, requested_schema or "extensions")
        version = _VERSION.search(options)
        is_there = version is not None and _plain(version[1]) in found.versions
        place = _HOMES.get(name, schema[1] if schema else None)
        statement = (
            f"create extension if not exists {_quoted(name)}"
            + (f" with schema {place}" if place else "")
            + (f" version {version[1]}" if version is not None and is_there else "")
            + (" cascade" if _CASCADE.search(options) else "")
        )
        return _Run(statement, by_administrator=not found.is_trusted)

    def _without(self, name: str, schema: str) -> _Run:
        if name in self.installed:
            return _Run("")
        script = self.scripts(name, schema)
        if script is None:
            self.warn(
                f"warning: this server has no extension {name}: it is left out, and what uses it"
                " will fail"
            )
            return _Run("")
        self.installed.add(name)
        return _Run(script, by_administrator=True)

    def _other(self, name: str, matched: re.Match[str], text: str) -> _Run:
        found = self.available.get(name)
        verb = matched[1].lower().split()[0]
        if found is None:
            return _Run("")
        version = re.search(r"\bto\s+('[^']*')", text, re.IGNORECASE)
        is_update = verb == "alter" and _UPDATE.search(text) is not None
        if is_update and version is not None and _plain(version[1]) not in found.versions:
            return _Run("")
        return _Run(text, by_administrator=True)


def composed_pattern(expression: str) -> str:
    """A pattern of PostgreSQL's for what an expression of `execute` can make; one statement alone.

    The expression begins with a string, or with `format` of one.
    """
    found = _FORMATTED.match(expression.lstrip("( \n\t"))
    if found is None:
        return "^(?!)"
    text = found["text"].replace("''", "'") if found["text"] is not None else found["body"]
    if found["format"] is None:
        return f"^{re.escape(text)}[^;]*$"
    parts = re.split(r"%\d*\$?([IsL%])", text)
    words = [re.escape(part) for part in parts[::2]]
    between = [_COMPOSED.get(kind, "%") for kind in parts[1::2]]
    return "^" + words[0] + "".join(a + b for a, b in zip(between, words[1:], strict=True)) + "$"


def _replaced(script: str, replace: Callable[[str], str]) -> str:
    """A script with each of its statements replaced."""
    parts: list[str] = []
    position = 0
    for span in statement_spans(script):
        parts += [script[position : span.start], replace(script[span.start : span.end])]
        position = span.end
    return "".join([*parts, script[position:]])


def _blank(found: re.Match[str]) -> str:
    """As many blanks or letters as the match has characters, so that positions stay."""
    if found["comment"] is None:
        return "x" * len(found[0])
    return re.sub(r"[^\n]", " ", found[0])


def _plain(name: str) -> str:
    """A quoted name or string as PostgreSQL reads it."""
    if name.startswith('"'):
        return name[1:-1].replace('""', '"')
    return name[1:-1] if name.startswith("'") else name.lower()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
