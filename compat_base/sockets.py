"""Sockets to serve on, made before anything else that takes time."""

from __future__ import annotations

import errno
import resource
import socket
from collections.abc import Sequence
from pathlib import Path

from compat_base.values.errors import OperatorError

BACKLOG = 2048
"""Connections that the kernel takes before anybody accepts them."""


class ListenError(OperatorError):
    """The address cannot be listened on: one sentence that names it and the reason."""


def listen(host: str, port: int, *, reuse_port: bool = False) -> socket.socket:
    """A listening TCP socket; port 0 picks a free one. Raises ListenError."""
    bound = _bound(host, port, reuse_port=reuse_port)
    try:
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise _refusal(host, port, error) from error
    bound.setblocking(False)
    return bound


def _bound(host: str, port: int, *, reuse_port: bool) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if reuse_port:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise _refusal(host, port, error) from error
    except OverflowError as error:
        bound.close()
        raise ListenError(f"cannot listen on {host}:{port}: a port is 0 to 65535") from error
    return bound


def _refusal(host: str, port: int, error: OSError) -> ListenError:
    remedy = ": stop what runs there, or set PORT" if error.errno == errno.EADDRINUSE else ""
    return ListenError(f"cannot listen on {host}:{port}: {error.strerror}{remedy}")


def listen_many(host: str, port: int, count: int) -> list[socket.socket]:
    """So many listening sockets of one address, among which the kernel shares new connections.

    The address must be free: another process that shares it too would take some. Raises
    ListenError.
    """
    tried = _bound(host, port, reuse_port=False)
    port = tried.getsockname()[1]
    tried.close()
    return [listen(host, port, reuse_port=True) for _ in range(count)]


def listen_unix(path: Path, mode: int) -> socket.socket:
    """A listening Unix socket with file permissions, in place of a stale file; or ListenError."""
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        bound.bind(str(path))
        path.chmod(mode)
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise ListenError(f"cannot listen on {path}: {error.strerror}") from error
    bound.setblocking(False)
    return bound


def open_descriptors() -> int:
    """How many descriptors this process may open (RLIMIT_NOFILE)."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft


def close_all(sockets: Sequence[socket.socket]) -> None:
    """Close this process's end of each: one that listens ends with the last process that has it."""
    for each in sockets:
        each.close()
