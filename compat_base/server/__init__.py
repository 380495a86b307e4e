"""HTTP/1 and WebSockets on sockets, by uvicorn: the only import of it.

In import order:

- `frames`: a server's whole WebSocket frame, and the size of a client's
- `control_frames`: how many pings, pongs and empty fragments a client may send
- `heads`: the head of a request judged before it is parsed
- `incoming_body`: where a request's body ends, and what its framing costs
- `lingering`: a response whose request is not read to its end, and pauses between what is dropped
- `round_robin`: a fair queue of work on the event loop
- `addresses`: what one address may have of the connections
- `connections`: the phase of each connection, its timeout, and which is evicted first
- `exchange`: a response of one piece in one system call
- `uvicorn_patches`: all that is changed inside uvicorn, and the version that this was tried with
- `websocket_protocol`: frames parsed round robin, bounded over all sockets; writing whole frames
- `limited_connection`: a connection counted, timed, refused and evicted
- `http_protocol`: heads judged before they are parsed, bodies within their limits
- `signals`: signals handled by a thread, whatever the event loop does
- `run`: the server from its start to its end, and the loop under it

The limits are in `compat_base.server_limits`, which command lines read without loading uvicorn.
"""

from compat_base.server.frames import WEBSOCKET_FRAME_LIMIT, websocket_frame
from compat_base.server.run import Server, run, serve
from compat_base.server.websocket_protocol import WRITE_EXTENSION

__all__ = [
    "WEBSOCKET_FRAME_LIMIT",
    "WRITE_EXTENSION",
    "Server",
    "run",
    "serve",
    "websocket_frame",
]
