"""The user of the process at the other end of a loopback connection, on Linux.

A reverse proxy on this machine that adds no header looks like a local browser. But it runs as
another user (www-data, caddy, haproxy), and `/proc/net/tcp` names the user of every socket.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

Address = tuple[str, int]

_TABLES = {4: Path("/proc/net/tcp"), 6: Path("/proc/net/tcp6")}
_LINES = 65_536  # looked at; a connection beyond them is not found
_ESTABLISHED = "01"
_ROOT = 0


def is_ours(client: Address, server: Address) -> bool:
    """Whether the client's socket belongs to this process's user or to root.

    True where the system does not show it (no /proc, as on macOS); False for a closed connection.
    """
    version = 6 if ":" in client[0] else 4
    try:
        with _TABLES[version].open(encoding="ascii") as table:
            owner = find_owner(islice(table, _LINES), client, server)
    except FileNotFoundError:
        return not Path("/proc/self").exists()
    return owner in {_ROOT, os.geteuid()}


def find_owner(table: Iterable[str], local: Address, remote: Address) -> int | None:
    """The user id of an established connection in the kernel's table; None without one."""
    wanted = [_entry(local), _entry(remote), _ESTABLISHED]
    for line in table:
        columns = line.split()
        if columns[1:4] == wanted:
            return int(columns[7])
    return None


def _entry(address: Address) -> str:
    """An address in the kernel's notation: 32-bit words in the machine's byte order."""
    host, port = address
    packed = socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
    words = (packed[start : start + 4] for start in range(0, len(packed), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words) + f":{port:04X}"
