"""A port of loopback for the embedded database."""

from __future__ import annotations

import socket

_HOST = "127.0.0.1"


def usable_port(wanted: int) -> int:
    """The port itself where nobody listens at it, else a free one; 0 asks for a free one."""
    for port in (wanted, 0):
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind((_HOST, port))
            except OSError:
                continue
            return int(tried.getsockname()[1])
    return wanted  # PostgreSQL will say what is wrong
