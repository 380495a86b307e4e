"""The server's limits that an operator may change: a variable each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compat_base.server_limits import ServerLimits
from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_kinds import Read
from compat_base.values.settings import Reader


@dataclass(frozen=True, slots=True)
class Setting:
    """A row: the variable, how it is read, and what README says of it and of its default."""

    variable: str
    read: Read[Any]
    default: str
    meaning: str


_USUAL = ServerLimits()
LIMITS: Mapping[str, Setting] = {
    "connections": Setting(
        "HTTP_CONNECTIONS", kinds.integer_or_none,
        "three quarters of the descriptors (`ulimit -n`)",
        "open connections; at the limit the oldest idle one is closed, else one whose body or"
        " response has stalled, else a new one is refused with 503",
    ),
    "address_connections": Setting(
        "HTTP_CONNECTIONS_PER_ADDRESS", kinds.integer_or_none, "half of `HTTP_CONNECTIONS`",
        "open connections of one address (an IPv6 /64 counts as one); more are refused with 429."
        " Loopback and `TRUSTED_PROXIES` are exempt: behind a proxy the same limit holds for the"
        " concurrent requests and sockets of each client",
    ),
    "address_connections_per_second": Setting(
        "HTTP_NEW_CONNECTIONS_PER_ADDRESS",
        kinds.integer(_USUAL.address_connections_per_second, minimum=1), "`100`",
        "new connections of one address a second, in bursts of ten times as many; more are refused"
        " with 429",
    ),
    "head_bytes": Setting(
        "HTTP_HEAD_BYTES", kinds.integer(_USUAL.head_bytes, minimum=1024), "`65536`",
        "request line and headers together; more is refused with 431",
    ),
    "head_seconds": Setting(
        "HTTP_HEAD_TIMEOUT", kinds.seconds(_USUAL.head_seconds), "`10s`",
        "time for a request's head to arrive, else 408; a connection that sends nothing is closed",
    ),
    "body_seconds": Setting(
        "HTTP_BODY_TIMEOUT", kinds.seconds(_USUAL.body_seconds), "`20s`",
        "time for each further kilobyte of a body to arrive, else 408",
    ),
    "idle_seconds": Setting(
        "HTTP_KEEPALIVE_TIMEOUT", kinds.seconds(_USUAL.idle_seconds), "`75s`",
        "how long an idle connection is kept; must exceed that of a proxy in front (nginx: 60 s)",
    ),
    "unsent_bytes": Setting(
        "HTTP_UNSENT_BYTES", kinds.integer(_USUAL.unsent_bytes, minimum=0), "`134217728`",
        "unsent bytes of all responses together, for clients that read slowly; beyond it the one"
        " that has waited longest is cut off",
    ),
    "socket_pending_bytes": Setting(
        "WEBSOCKET_PENDING_BYTES", kinds.integer(_USUAL.socket_pending_bytes, minimum=0),
        "`67108864`",
        "unfinished messages of all WebSockets together; beyond it those with the largest are"
        " closed with 1013",
    ),
}  # fmt: skip
"""Fields of ServerLimits that an operator may change."""


def read_limits(reader: Reader) -> ServerLimits:
    """The limits of the server, each by its row."""
    return ServerLimits(**{name: row.read(reader, row.variable) for name, row in LIMITS.items()})
