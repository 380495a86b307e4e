"""The transaction's setup: isolation, search path, role, claims, request settings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from compat_base.values.sqltext import Statement, compile_sql, quote_ident, quote_literal, sql
from rest_compat.names import QualifiedName
from rest_compat.plan.model import SessionFacts
from rest_compat.request.headers import RequestHeaders

_REQUEST_NAMES = (
    "role", "request.jwt.claims", "request.method", "request.path", "request.headers",
    "request.cookies",
)  # fmt: skip
Pairs: TypeAlias = tuple[bytes, ...]
"""Settings as sent: name, value, name, value …"""

_USUAL_ISOLATION = "READ COMMITTED"
# Setting the isolation that there is already is allowed at any time; another is refused.
_READ_ONLY: Pairs = (
    b"transaction_isolation", b"read committed", b"transaction_read_only", b"on",
)  # fmt: skip
_BEGINS = {
    (level, read_only): Statement(f"BEGIN ISOLATION LEVEL {level} READ {mode}")
    for level in (_USUAL_ISOLATION, "REPEATABLE READ", "SERIALIZABLE")
    for read_only, mode in ((True, "ONLY"), (False, "WRITE"))
}


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller: the role, its claims as JSON text, and the role's settings."""

    role: str
    claims: str
    settings: tuple[tuple[str, str], ...] = ()
    isolation: str | None = None


@dataclass(frozen=True, slots=True)
class SessionRules:
    """The settings that every transaction carries."""

    extra_schemas: tuple[str, ...] = ()
    app_settings: tuple[tuple[str, str], ...] = ()
    pre_request: QualifiedName | None = None


@dataclass(frozen=True, slots=True)
class Preamble:
    """The statements that set up the transaction; `authenticated`: not the anonymous role.

    `alone`: the same without BEGIN, for an implicit transaction of a pipeline.
    """

    statements: tuple[Statement, ...]
    alone: tuple[Statement, ...] | None
    authenticated: bool


def begin(facts: SessionFacts, caller: Caller) -> Statement:
    """BEGIN with the isolation of the function, else of the role."""
    level = (facts.isolation or caller.isolation or _USUAL_ISOLATION).upper()
    found = _BEGINS.get((level, facts.read_only))
    return _BEGINS[_USUAL_ISOLATION, facts.read_only] if found is None else found


def needs_no_begin(facts: SessionFacts, caller: Caller) -> bool:
    """Whether a pipeline's implicit transaction is enough: a read with the usual isolation."""
    is_usual = facts.isolation is None and caller.isolation is None
    return is_usual and facts.read_only and not facts.rolls_back


def set_all(pairs: Pairs, *, read_only: bool = False) -> Statement:
    """The statement that sets all pairs for the transaction, which reads only from then on."""
    if read_only:
        pairs = _READ_ONLY + pairs
    return Statement(_settings_text(len(pairs) // 2), pairs)


@lru_cache(maxsize=100)
def _settings_text(count: int) -> str:
    calls = (f"set_config(${place}, ${place + 1}, true)" for place in range(1, 2 * count, 2))
    return f"select {', '.join(calls)}"


def fixed_settings(facts: SessionFacts, rules: SessionRules) -> tuple[Pairs, Pairs]:
    """The settings that a plan fixes: before the caller's, and after."""
    schemas = ", ".join(quote_ident(name) for name in (facts.schema, *rules.extra_schemas))
    timezone = [("timezone", facts.timezone)] if facts.timezone is not None else []
    later = [*timezone, *facts.settings, *rules.app_settings]
    return _pairs(("search_path", schemas)), _pairs(*later)


def caller_settings(caller: Caller) -> Pairs:
    """The role's settings, the role (up to a NUL, as libpq reads a text) and the claims."""
    role = caller.role.partition("\0")[0]
    return _pairs(*caller.settings, ("role", role), ("request.jwt.claims", caller.claims))


def request_settings(method: str, raw_path: str, sender: RequestHeaders) -> Pairs:
    """Method, path, headers and cookies of the request."""
    path = raw_path.encode(errors="surrogatepass")
    return (
        b"request.method", method.encode(),
        b"request.path", path,
        b"request.headers", sender.headers,
        b"request.cookies", sender.cookies,
    )  # fmt: skip


def settings_template(facts: SessionFacts, caller: Caller, rules: SessionRules) -> str:
    """The settings' statement with places for its values, for the log."""
    timezone = () if facts.timezone is None else ("timezone",)
    names = (
        "search_path", *(name for name, _ in caller.settings), *_REQUEST_NAMES, *timezone,
        *(name for name, _ in (*facts.settings, *rules.app_settings)),
    )  # fmt: skip
    pieces = (
        f"set_config({quote_literal(name)}, ${place}, true)" for place, name in enumerate(names, 1)
    )
    return f"select {', '.join(pieces)}"


def pre_request(name: QualifiedName) -> Statement:
    """The call of the function that runs before each request."""
    return compile_sql(sql("select {function}()", function=name.sql()))


def _pairs(*settings: tuple[str, str]) -> Pairs:
    return tuple(text.encode(errors="surrogatepass") for pair in settings for text in pair)
