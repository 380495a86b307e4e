"""What a request says beside its body, worked out when a flow asks (auth reference 1.5 to 1.8).

Most requests need little of it, and the busiest ones nothing.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache

from gotrue_compat.rules import redirects, urls
from gotrue_compat.rules.networks import limited_as
from gotrue_compat.settings import Settings
from gotrue_compat.web.faults import prefers_spanish
from gotrue_compat.web.incoming import Incoming

_LONGEST = 64  # characters of what may be an address; longer text is not kept


class Asked:
    """One request's address, place to return to, and reader."""

    def __init__(self, incoming: Incoming, settings: Settings) -> None:
        self._incoming = incoming
        self._settings = settings

    @property
    def path(self) -> str:
        """The path that was called."""
        return self._incoming.request.path

    @property
    def query(self) -> str:
        """The raw query."""
        return self._incoming.request.query

    @property
    def user_agent(self) -> str:
        """What the client calls itself."""
        return self._incoming.request.header("user-agent") or ""

    @property
    def ip(self) -> str:
        """The first valid address among those that proxies report, else the peer's.

        Source: auth reference 1.8.
        """
        request = self._incoming.request
        names = ["x-forwarded-for"]
        if self._settings.security.sb_forwarded_for:
            names.insert(0, "sb-forwarded-for")
        told = ",".join(request.header(name) or "" for name in names)
        return first_address(f"{told},{request.client or ''}")

    @property
    def caller(self) -> str:
        """What limits know the caller by: a proxy's word for the address, else a header's text."""
        request, settings = self._incoming.request, self._settings
        if settings.security.sb_forwarded_for:
            address = first_address(request.header("sb-forwarded-for") or "")
            if address:
                return limited_as(address)
        header = settings.limits.header
        value = (request.header(header) or "") if header else ""
        return limited_as(value.partition(",")[0].strip())

    @property
    def redirect(self) -> str:
        """Where the browser is to return to: the first place told that is allowed.

        Source: auth reference 1.5, 1.6.
        """
        request, incoming = self._incoming.request, self._incoming
        candidates = (
            request.header("redirect_to") or "",
            incoming.query.get("redirect_to") or incoming.form.get("redirect_to", ""),
            request.header("referer") or "",
        )
        return redirects.choose(candidates, self._settings.site_url, self._settings.allow_list)

    @property
    def external_url(self) -> str:
        """Our own address: that of the request's host where mails may name it, else the set one."""
        request, api = self._incoming.request, self._settings.api
        host = request.header("x-forwarded-host") or request.header("host") or ""
        return urls.own_address(host, api.external_hosts) or api.external_url

    @property
    def language(self) -> str:
        """The language of mails: `es` for whoever prefers it, else `en`."""
        return "es" if prefers_spanish(self._incoming.request) else "en"


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
