"""TCP timeouts of a connection: how long to wait for a server that has disappeared.

By default TCP waits some 15 minutes for an acknowledgement, and for ever if nothing was sent. The
kernel of a busy or frozen server still acknowledges. But Linux also counts how long a server leaves
received data unread, as it does with a large body while it waits for a lock: hence a whole minute.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping

from compat_base.postgres.faults import Unavailable

DEFAULTS: Mapping[str, int] = {
    "keepalives_idle": 20,
    "keepalives_interval": 20,
    "tcp_user_timeout": 60_000,
}
"""libpq's parameters: seconds, seconds, milliseconds."""

_OPTIONS = {
    "keepalives_idle": "TCP_KEEPIDLE",
    "keepalives_interval": "TCP_KEEPINTVL",
    "tcp_user_timeout": "TCP_USER_TIMEOUT",
}


def read_limits(options: Mapping[str, str]) -> dict[str, int]:
    """The limits of a connection with these parameters, the defaults where they name none.

    None at all with `keepalives=0`, as in libpq; 0 is the system's own. Raises Unavailable for what
    is no number.
    """
    if _number("keepalives", options.get("keepalives", "1")) == 0:
        return {}
    return {
        name: _number(name, options[name]) if name in options else default
        for name, default in DEFAULTS.items()
    }


def _number(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        words = f'invalid integer value "{text}" for connection option "{name}"'
        raise Unavailable(words) from error


def limit_socket(connection: socket.socket, limits: Mapping[str, int]) -> None:
    """Set the limits on a connected socket; nothing on a Unix socket, or without any."""
    if not limits or connection.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in limits.items():
        option = getattr(socket, _OPTIONS[name], None)  # each system has some of them
        if value > 0 and option is not None:
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
