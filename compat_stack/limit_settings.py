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
        "connections at once; where they run short the oldest idle ones are closed, then one whose"
        " body or answer does not move, and where there is none a new one gets 503",
    ),
    "address_connections": Setting(
        "HTTP_CONNECTIONS_PER_ADDRESS", kinds.integer_or_none, "half of all",
        "of them from one address (an IPv6 /64 is one); more get 429. This machine and"
        " `TRUSTED_PROXIES` have no such bound; of each caller behind a proxy as many requests and"
        " sockets go on at once",
    ),
    "address_connections_per_second": Setting(
        "HTTP_NEW_CONNECTIONS_PER_ADDRESS",
        kinds.integer(_USUAL.address_connections_per_second, minimum=1), "`100`",
        "new connections of one address a second, ten times as many at once; more get 429",
    ),
    "head_bytes": Setting(
        "HTTP_HEAD_BYTES", kinds.integer(_USUAL.head_bytes, minimum=1024), "`65536`",
        "request line and headers together; more is 431",
    ),
    "head_seconds": Setting(
        "HTTP_HEAD_TIMEOUT", kinds.seconds(_USUAL.head_seconds), "`10s`",
        "in which a request's head must be whole, else 408; a connection without a byte is closed",
    ),
    "body_seconds": Setting(
        "HTTP_BODY_TIMEOUT", kinds.seconds(_USUAL.body_seconds), "`20s`",
        "in which a body must bring another kilobyte, else 408",
    ),
    "idle_seconds": Setting(
        "HTTP_KEEPALIVE_TIMEOUT", kinds.seconds(_USUAL.idle_seconds), "`75s`",
        "how long an idle connection is kept; longer than a proxy in front keeps it (nginx: 60 s)",
    ),
    "unsent_bytes": Setting(
        "HTTP_UNSENT_BYTES", kinds.integer(_USUAL.unsent_bytes, minimum=0), "`134217728`",
        "of all answers together that wait for clients who read slowly; beyond it whoever has"
        " waited longest is cut",
    ),
    "socket_pending_bytes": Setting(
        "WEBSOCKET_PENDING_BYTES", kinds.integer(_USUAL.socket_pending_bytes, minimum=0),
        "`67108864`",
        "unfinished messages of all WebSockets together; beyond it the larger ones are closed with"
        " 1013",
    ),
}  # fmt: skip
"""Fields of ServerLimits that an operator may change."""


def read_limits(reader: Reader) -> ServerLimits:
    """The limits of the server, each by its row."""
    return ServerLimits(**{name: row.read(reader, row.variable) for name, row in LIMITS.items()})
