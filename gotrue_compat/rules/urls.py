"""Queries and fragments of redirects, and links in mails (auth reference 4.2, 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit, urlunsplit

from compat_base.errors import Problem

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
    encoded = urlencode(sorted({**values, "sb": ""}.items()))
    return urlsplit(url)._replace(fragment=encoded).geturl()


def with_query(url: str, values: Mapping[str, str]) -> str:
    """Set query keys; like the original, the whole query is then sorted by key."""
    parts = urlsplit(url)
    pairs = [
        pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in values
    ]
    return urlunsplit(parts._replace(query=urlencode(sorted([*pairs, *values.items()]))))


def error_values(status: int, code: str, message: str) -> dict[str, str]:
    """The keys that tell a browser's application of an error."""
    name = _OAUTH_ERRORS.get(status)
    values = {"error": name} if name else {}
    return {**values, "error_code": code, "error_description": message}


def callback_values(problem: Problem) -> dict[str, str]:
    """The keys that tell of a failed sign-in; what the user lacks is `access_denied`."""
    if problem.extra.get("oauth"):
        return {"error": problem.code, "error_description": problem.message}
    values = error_values(problem.status, problem.code, problem.message)
    if problem.code in _DENIED:
        values["error"] = "access_denied"
    return {"error": "server_error", **values}


def error_redirect(url: str, status: int, code: str, message: str, *, in_query: bool) -> str:
    """A redirect that carries an error in its fragment, and in its query where asked."""
    values = error_values(status, code, message)
    return with_fragment(with_query(url, values) if in_query else url, values)


def action_link(base: str, path: str, token: str, kind: str, redirect: str) -> str:
    """The link of a mail: the path resolved against the base (RFC 3986), three query keys.

    The return address is percent-encoded only where it would break the query.
    """
    target = quote(redirect, safe="") if any(c in redirect for c in "&=#") else redirect
    return f"{urljoin(base, path)}?token={token}&type={kind}&redirect_to={target}"


def extended(url: str, pairs: Sequence[tuple[str, str]]) -> str:
    """Add query pairs to an address that may have some."""
    return url + ("&" if "?" in url else "?") + urlencode(list(pairs))
