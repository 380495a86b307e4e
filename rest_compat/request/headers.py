"""The headers of a request apart from its plan; cached, because clients repeat theirs."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values import jsontext
from compat_base.values.http import Headers, bearer

# The headers a plan depends on.
_SHAPING = frozenset({"accept", "accept-profile", "content-type", "prefer", "range"})


@dataclass(frozen=True, slots=True, eq=False)
class RequestHeaders:
    """The headers apart from the plan: token, origin, and what SQL may see.

    `shaping`: names and values of the headers that the plan of a read depends on. `headers` and
    `cookies`: as transactions see them, in JSON. `size`: of all headers, in characters.
    """

    token: str | None
    origin: str | None
    shaping: tuple[str, ...]
    headers: bytes
    cookies: bytes
    size: int


def read_headers(sent: Headers) -> RequestHeaders:
    """Read the headers; SQL sees the last of a name, of `Origin` and `Cookie` the first counts."""
    headers = dict[str, str]()
    shaping = list[str]()
    cookies: str | None = None
    origin: str | None = None
    size = 0
    for name, value in sent:
        size += len(name) + len(value)
        if name == "cookie":
            cookies = jsontext.encode(_cookies(value)) if cookies is None else cookies
        else:
            headers[name] = value
            if origin is None and name == "origin":
                origin = value
        if name in _SHAPING:
            shaping += (name, value)
    return RequestHeaders(
        token=bearer(sent),
        origin=origin,
        shaping=tuple(shaping),
        headers=_encoded(jsontext.encode(headers)),
        cookies=_encoded(cookies or "{}"),
        size=size,
    )


def _encoded(text: str) -> bytes:
    # Invalid Unicode is passed on, for PostgreSQL to refuse.
    return text.encode(errors="surrogatepass")


def _cookies(header: str) -> dict[str, str]:
    # As the original reads them: blanks before a name do not count, those of a value do.
    parts = header.removesuffix(";").split(";") if header else ()
    pairs = (part.lstrip(" ").partition("=") for part in parts)
    return {name: _unquoted(value) for name, _, value in pairs}


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value.startswith('"') and value.endswith('"')
    return value[1:-1] if is_quoted else value
