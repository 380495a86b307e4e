"""Queries and fragments of redirects, and links in mails (auth reference 4.2, 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, quote, urlencode

from compat_base.values.errors import Problem
from compat_base.values.urls import ACTIVE_SCHEMES, Url, parse_url

# `error` by status, as OAuth names it; other statuses have none
_OAUTH_ERRORS = {
    400: "invalid_request",
    401: "unauthorized_client",
    403: "access_denied",
    500: "server_error",
    503: "temporarily_unavailable",
}
_DENIED = frozenset({"signup_disabled", "user_banned", "provider_email_needs_verification"})


def with_fragment(url: str, values: Mapping[str, str]) -> str:
    """Replace the fragment; keys sorted, the empty `sb` marks a redirect of this service."""
    return with_session(url.partition("#")[0], values)


def with_session(url: str, values: Mapping[str, str]) -> str:
    """Add a session as a fragment, behind one that the address has, as applications route by."""
    return f"{url}#{urlencode(sorted({**values, 'sb': ''}.items()))}"


def with_query(url: str, values: Mapping[str, str]) -> str:
    """Set query keys; like the original, the whole query is then sorted by key."""
    place, mark, fragment = url.partition("#")
    place, _, query = place.partition("?")
    pairs = [pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] not in values]
    return f"{place}?{urlencode(sorted([*pairs, *values.items()]))}{mark}{fragment}"


def error_values(status: int, code: str, message: str) -> dict[str, str]:
    """The keys of an error, for the application that a browser is sent to."""
    name = _OAUTH_ERRORS.get(status)
    values = {"error": name} if name else {}
    return {**values, "error_code": code, "error_description": message}


def callback_values(problem: Problem) -> dict[str, str]:
    """The keys of a failed sign-in; `error` is `access_denied` where the user was refused."""
    if problem.extra.get("oauth"):
        return {"error": problem.code, "error_description": problem.message}
    code = "" if problem.extra.get("hook") else problem.code
    values = error_values(problem.status, code, problem.message)
    if problem.code in _DENIED:
        values["error"] = "access_denied"
    return {"error": "server_error", **values}


def callback_redirect(url: str, problem: Problem) -> str:
    """A redirect that carries a failed sign-in in query and fragment; this has no empty values."""
    values = callback_values(problem)
    shown = {name: value for name, value in values.items() if value}
    return with_fragment(with_query(url, values), shown)


def error_redirect(url: str, status: int, code: str, message: str, *, in_query: bool) -> str:
    """A redirect that carries an error in its fragment, and in its query where asked."""
    values = error_values(status, code, message)
    return with_fragment(with_query(url, values) if in_query else url, values)


def action_link(base: str, path: str, token: str, kind: str, redirect: str) -> str:
    """The link of a mail: the path resolved against the base (RFC 3986), three query keys.

    The return address is percent-encoded only where it would break the query.
    """
    target = quote(redirect, safe="") if any(c in redirect for c in "&=#") else redirect
    place = parse_url(path, base)
    link = place.text if place is not None else base
    return f"{link}?token={token}&type={kind}&redirect_to={target}"


def extended(url: str, pairs: Sequence[tuple[str, str]]) -> str:
    """Add query pairs to an address that may have some."""
    place, mark, fragment = url.partition("#")
    return f"{place}{'&' if '?' in place else '?'}{urlencode(list(pairs))}{mark}{fragment}"


def web_address(text: str) -> Url | None:
    """An address of the web in its parsed form; None for others and for one that names a user."""
    url = parse_url(text)
    return url if url is not None and url.scheme in {"http", "https"} and not url.has_user else None


def location(text: str) -> str:
    """The parsed form of an address that a browser is sent to, "" for one that it never is."""
    url = parse_url(text)
    if url is None or url.has_user or url.scheme in ACTIVE_SCHEMES:
        return ""
    return url.text


def own_address(host: str, known: Sequence[str]) -> str:
    """Our own address by the host that a request names, "" where it is not a known one."""
    url = web_address(f"https://{host}")
    is_plain = url is not None and url.text == f"https://{url.authority}"
    return url.text if url is not None and is_plain and url.host in known else ""
