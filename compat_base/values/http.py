"""Requests and responses as frozen values; nothing here knows a server or a framework."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from compat_base.values.networks import caller_network

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request, read whole unless `rest` is set.

    `path` is percent-decoded and `raw_path` is not; both are below the service's mount point.
    `query` is the raw query string without the question mark. Header names are lower case. `rest`
    reads a body that is longer than its server reads ahead: `body` is then empty. It is called
    once, with a callback for each chunk's size, and raises what that or reading raises.
    """

    method: str
    path: str
    raw_path: str
    query: str
    headers: Headers
    body: bytes = b""
    client: str | None = None
    scheme: str = "http"
    rest: Callable[[Callable[[int], None]], Awaitable[bytes]] | None = field(
        default=None, compare=False, repr=False
    )

    @property
    def caller(self) -> str:
        """The client's key of limits and turns; "" where there is no address."""
        return caller_network(self.client) if self.client else ""

    def header(self, name: str) -> str | None:
        """The first value of a header, whose name is given in lower case."""
        for key, value in self.headers:
            if key == name:
                return value
        return None

    def header_values(self, name: str) -> tuple[str, ...]:
        """All values of a header, in the order sent."""
        return tuple(value for key, value in self.headers if key == name)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """One response, whole: `content_length=False` leaves that header out (HEAD, 204).

    `reason` replaces the standard reason phrase where the server can send one.
    """

    status: int
    headers: Headers = ()
    body: bytes = b""
    content_length: bool = True
    reason: str | None = None

    def header(self, name: str) -> str | None:
        """The first value of a header, compared without case."""
        wanted = name.lower()
        for key, value in self.headers:
            if key.lower() == wanted:
                return value
        return None


def bearer(headers: Headers) -> str | None:
    """The token of `Authorization: Bearer x`, scheme in any case (RFC 6750, section 2.1).

    Several blanks or tabs may stand between. None without the header or with another scheme; may be
    empty text.
    """
    for key, value in headers:
        if key == "authorization":
            scheme, *rest = value.split(maxsplit=1) or [""]
            return "".join(rest).strip() if scheme.lower() == "bearer" else None
    return None


def is_header_name(name: str) -> bool:
    """Whether a header can have this name."""
    return (
        bool(name) and name.isascii() and name.isprintable() and ":" not in name and " " not in name
    )


def in_one_line(value: str) -> str:
    """A header's value without line breaks, which would begin another header."""
    return " ".join(value.splitlines()) if "\n" in value or "\r" in value else value
