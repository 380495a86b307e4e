"""What opens and sets up the transaction: isolation, search path, role, claims, request facts.

All of it is one message of the simple protocol, so that a request needs no further round trip;
values stand in it as quoted constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from compat_base import jsontext
from compat_base.http import Headers
from compat_base.sqltext import compile_sql, quote_ident, quote_literal, raw
from rest_compat.names import QualifiedName
from rest_compat.plan.model import SessionFacts

_REQUEST_NAMES = (
    "role", "request.jwt.claims", "request.method", "request.path", "request.headers",
    "request.cookies",
)  # fmt: skip
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


def begin_sql(facts: SessionFacts, caller: Caller) -> str:
    """BEGIN with the isolation of the function, else of the role."""
    isolation = _ISOLATIONS.get((facts.isolation or caller.isolation or "").lower())
    level = "READ COMMITTED" if isolation is None else isolation
    mode = "READ ONLY" if facts.read_only else "READ WRITE"
    return f"BEGIN ISOLATION LEVEL {level} {mode}"


def fixed_settings(facts: SessionFacts, rules: SessionRules) -> tuple[str, str]:
    """The parts of the settings that a plan fixes: before the caller's, and after."""
    schemas = ", ".join(quote_ident(name) for name in (facts.schema, *rules.extra_schemas))
    before = _set("search_path", schemas)
    timezone = [("timezone", facts.timezone)] if facts.timezone is not None else []
    later = [*timezone, *facts.settings, *rules.app_settings]
    return before, "".join(f", {_set(name, value)}" for name, value in later)


def caller_settings(caller: Caller) -> str:
    """The role's settings, the role and the claims."""
    pairs = [*caller.settings, ("role", caller.role), ("request.jwt.claims", caller.claims)]
    return "".join(f", {_set(name, value)}" for name, value in pairs)


@lru_cache(maxsize=1_000)
def request_settings(method: str, raw_path: str, sent: Headers) -> str:
    """Method, path, headers and cookies of the request; clients repeat theirs."""
    headers = dict[str, str]()
    cookies = "{}"
    for name, value in sent:
        if name == "cookie":
            cookies = jsontext.encode(_cookies(value))
        else:
            headers.setdefault(name, value)
    return (
        f", {_set('request.method', method)}, {_set('request.path', raw_path)}"
        f", {_set('request.headers', jsontext.encode(headers))}"
        f", {_set('request.cookies', cookies)}"
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


def pre_request_sql(name: QualifiedName) -> str:
    """The call of the function that runs before each request."""
    return compile_sql(raw("select ") + name.sql() + raw("()")).text


def _set(name: str, value: str) -> str:
    return f"set_config({quote_literal(name)}, {quote_literal(value)}, true)"


def _cookies(header: str) -> dict[str, str]:
    pairs = (part.strip().partition("=") for part in header.split(";") if part.strip())
    return {name: value for name, _, value in pairs}
