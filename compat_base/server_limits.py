"""The server's limits on connections, heads, bodies and sockets: one record, read by nobody else.

Sizes are bytes and times are seconds. What an operator may want to change is a setting of the
command line (`HTTP_…`, `WEBSOCKET_…`); the rest follows from the protocols.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What one client may take of the server, and for how long.

    `connections` None takes what the process's RLIMIT_NOFILE leaves (`connection_limit`), and
    `address_connections` None half of that.

    An idle connection is kept for nginx's own 75 s: longer than the 60 s for which nginx keeps its
    connections to a server behind it, so that the proxy closes first and no request meets a closing
    connection.
    """

    connections: int | None = None
    address_connections: int | None = None  # of one address: 429
    address_connections_per_second: int = 100  # new ones, ten times as many at once: 429
    head_bytes: int = 65_536  # the request line and the headers together: 431
    head_fields: int = 100  # header lines: 431; Cowboy's figure
    head_seconds: float = 10.0  # from its first byte, or from the connection's start: 408
    body_seconds: float = 20.0  # in which a body must bring `body_step` more: 408
    body_step: int = 1_024
    chunk_overhead: int = 16_384  # of a chunked body's framing, beside half of its data: 400
    drain_bytes: int = 262_144  # of a body that is not wanted, read to keep the connection
    send_seconds: float = 60.0  # in which a client must take some of its answer
    unsent_bytes: int = 134_217_728  # of all answers that wait for slow readers: the oldest is cut
    idle_seconds: float = 75.0
    linger_seconds: float = 5.0  # for a refused client to read why
    linger_bytes: int = 16_777_216
    handshake_seconds: float = 10.0  # for an application to accept a WebSocket
    socket_pending_bytes: int = 67_108_864  # unfinished messages of all WebSockets together: 1013
    socket_fragments: int = 1_000  # of one message: 1009
    control_frames: int = 200  # pings, pongs and empty fragments at once: 1008
    control_frames_per_second: float = 50.0
    graceful_seconds: float = 5.0  # for open requests, when the server is stopped
    cancel_seconds: float = 1.0  # for what is cancelled then
    lifespan_seconds: float = 3.0  # for the application to close


def connection_limit(limits: ServerLimits, descriptors: int) -> int:
    """Connections at once: as set, or three quarters of the descriptors that a process may open.

    The rest is for the database, files and the listening sockets.
    """
    return limits.connections if limits.connections is not None else max(16, descriptors * 3 // 4)


def address_limit(limits: ServerLimits, descriptors: int) -> int:
    """Connections of one address at once: as set, or half of all."""
    if limits.address_connections is not None:
        return limits.address_connections
    return max(1, connection_limit(limits, descriptors) // 2)
