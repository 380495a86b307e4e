"""What opens and sets up the transaction: isolation, search path, role, claims, request facts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from compat_base import jsontext
from compat_base.http import Headers
from compat_base.sqltext import Statement, compile_sql, quote_ident, quote_literal, raw
from rest_compat.names import QualifiedName
from rest_compat.plan.model import SessionFacts

_REQUEST_NAMES = (
    "role", "request.jwt.claims", "request.method", "request.path", "request.headers",
    "request.cookies",
)  # fmt: skip
Pairs: TypeAlias = tuple[bytes, ...]
"""Settings as they travel: name, value, name, value …"""

_ISOLATIONS = {
    "read committed": "READ COMMITTED",
    "repeatable read": "REPEATABLE READ",
    "serializable": "SERIALIZABLE",
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the role, its claims as JSON text, and what comes with the role."""

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


def begin(facts: SessionFacts, caller: Caller) -> Statement:
    """BEGIN with the isolation of the function, else of the role."""
    isolation = _ISOLATIONS.get((facts.isolation or caller.isolation or "").lower())
    level = "READ COMMITTED" if isolation is None else isolation
    mode = "READ ONLY" if facts.read_only else "READ WRITE"
    return Statement(f"BEGIN ISOLATION LEVEL {level} {mode}")


@lru_cache(maxsize=100)
def settings_text(count: int) -> str:
    """The statement that sets so many settings for the transaction, as pairs of name and value."""
    calls = (f"set_config(${place}, ${place + 1}, true)" for place in range(1, 2 * count, 2))
    return f"select {', '.join(calls)}"


def fixed_settings(facts: SessionFacts, rules: SessionRules) -> tuple[Pairs, Pairs]:
    """The settings that a plan fixes: before the caller's, and after."""
    schemas = ", ".join(quote_ident(name) for name in (facts.schema, *rules.extra_schemas))
    timezone = [("timezone", facts.timezone)] if facts.timezone is not None else []
    later = [*timezone, *facts.settings, *rules.app_settings]
    return _pairs(("search_path", schemas)), _pairs(*later)


def caller_settings(caller: Caller) -> Pairs:
    """The role's settings, the role and the claims."""
    return _pairs(*caller.settings, ("role", caller.role), ("request.jwt.claims", caller.claims))


@lru_cache(maxsize=1_000)
def request_settings(method: str, raw_path: str, sent: Headers) -> Pairs:
    """Method, path, headers and cookies of the request; clients repeat theirs."""
    headers = dict[str, str]()
    cookies = "{}"
    for name, value in sent:
        if name == "cookie":
            cookies = jsontext.encode(_cookies(value))
        else:
            headers.setdefault(name, value)
    return _pairs(
        ("request.method", method),
        ("request.path", raw_path),
        ("request.headers", jsontext.encode(headers)),
        ("request.cookies", cookies),
    )


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
    return compile_sql(raw("select ") + name.sql() + raw("()"))


def _pairs(*settings: tuple[str, str]) -> Pairs:
    return tuple(text.encode(errors="surrogatepass") for pair in settings for text in pair)


def _cookies(header: str) -> dict[str, str]:
    pairs = (part.strip().partition("=") for part in header.split(";") if part.strip())
    return {name: value for name, _, value in pairs}
