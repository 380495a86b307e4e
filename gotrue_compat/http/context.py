"""A request without its body: time, audience, principal, address (auth reference 1.5 to 1.8)."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from compat_base.values.networks import caller_network
from gotrue_compat.http.incoming import Incoming
from gotrue_compat.http.language import prefers_spanish
from gotrue_compat.model.current import CurrentUser
from gotrue_compat.model.session import Session
from gotrue_compat.model.user import User
from gotrue_compat.settings import Settings
from gotrue_compat.urls import links, redirects

_LONGEST = 64  # characters of what may be an address; longer text is not kept


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated caller; an administrator's token may have no user."""

    claims: Mapping[str, Any]
    current: CurrentUser | None = None
    is_admin: bool = False

    @property
    def is_client(self) -> bool:
        """Whether the token is one that an OAuth client holds."""
        return self.current is not None and self.current.is_client


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One request without its body; costly parts are computed on demand."""

    now: datetime
    aud: str
    incoming: Incoming
    settings: Settings
    principal: Principal | None = None

    @property
    def path(self) -> str:
        """The path that was called."""
        return self.incoming.request.path

    @property
    def query(self) -> str:
        """The raw query."""
        return self.incoming.request.query

    @property
    def user_agent(self) -> str:
        """What the client calls itself."""
        return self.incoming.request.header("user-agent") or ""

    @property
    def ip(self) -> str:
        """The first valid address among those that proxies report, else the peer's; or "".

        Source: auth reference 1.8.
        """
        request = self.incoming.request
        names = ["x-forwarded-for"]
        if self.settings.security.sb_forwarded_for:
            names.insert(0, "sb-forwarded-for")
        reported = ",".join(request.header(name) or "" for name in names)
        return first_address(f"{reported},{request.client or ''}")

    @property
    def rate_limit_key(self) -> str:
        """The caller's key of rate limits, "" where no header of a proxy names one."""
        request, settings = self.incoming.request, self.settings
        if settings.security.sb_forwarded_for:
            address = first_address(request.header("sb-forwarded-for") or "")
            if address:
                return caller_network(address)
        header = settings.limits.header
        value = (request.header(header) or "") if header else ""
        return caller_network(value.partition(",")[0].strip())

    @property
    def redirect(self) -> str:
        """The return address: the first candidate that the allow list has.

        Source: auth reference 1.5, 1.6.
        """
        request, incoming = self.incoming.request, self.incoming
        candidates = (
            request.header("redirect_to") or "",
            incoming.query.get("redirect_to") or incoming.form.get("redirect_to", ""),
            request.header("referer") or "",
        )
        return redirects.choose(candidates, self.settings.site_url, self.settings.allow_list)

    @property
    def external_url(self) -> str:
        """Our own address: the request's host if that is an external host, else as set."""
        request, api = self.incoming.request, self.settings.api
        host = request.header("x-forwarded-host") or request.header("host") or ""
        return links.own_address(host, api.external_hosts) or api.external_url

    @property
    def language(self) -> str:
        """The language of mails: `es` if the request prefers it, else `en`."""
        return "es" if prefers_spanish(self.incoming.request) else "en"

    @property
    def user(self) -> User:
        """The user whose token was sent; LookupError on routes whose guard asks for none."""
        return self.current_user.user

    @property
    def current_user(self) -> CurrentUser:
        """The user whose token was sent, without making its record."""
        if self.principal is None or self.principal.current is None:
            raise LookupError("this call has no user")
        return self.principal.current

    @property
    def session(self) -> Session | None:
        """The session of the user's token."""
        current = self.principal.current if self.principal else None
        return current.session if current else None


def first_address(texts: str) -> str:
    """The first valid address among texts with commas between them, "" without one."""
    found = (_address(text) for text in texts.split(",") if len(text) <= _LONGEST)
    return next((address for address in found if address), "")


@lru_cache(maxsize=4096)
def _address(text: str) -> str:
    """An IP address in its usual form, "" for what is none."""
    try:
        return str(ipaddress.ip_address(text.strip()))
    except ValueError:
        return ""
