"""What the HTTP server and the gateway cost a request, in processor time, without any socket.

One GET as a client library sends it goes through the server's protocol to an application that
answers at once: bare, and behind the gateway with request ids and metrics around it.
"""

from __future__ import annotations

import asyncio
import gc
import time
from typing import Any

import uvloop

from bench.figures import Figure, keep
from compat_base.asgi import Endpoint
from compat_base.server import Server
from compat_base.server.http_protocol import HttpProtocol
from compat_base.values.events import silent
from compat_base.values.http import HttpRequest, HttpResponse
from compat_base.values.world import real_world
from compat_stack.gateway.gateway import Gateway, Mounted, Pages
from compat_stack.keys.installation import Keys
from compat_stack.observe.metrics import Metrics
from compat_stack.observe.reporter import Reporter, Sinks

ROUNDS, REQUESTS = 40, 400
SERVER = "HTTP server"
# A request's time as a multiple of what the server takes for it alone.
TARGETS = {"and gateway": 1.5, "and request ids, metrics": 2.2}
GET = (
    b"GET /rest/v1/actividades?select=id,titulo&limit=20 HTTP/1.1\r\nhost: 127.0.0.1:54321\r\n"
    b"user-agent: python-httpx/0.28\r\naccept: application/json\r\naccept-encoding: gzip\r\n"
    b"connection: keep-alive\r\napikey: sb_publishable_p\r\naccept-profile: public\r\n"
    b"x-client-info: supabase-py/2\r\nauthorization: Bearer " + b"x" * 300 + b"\r\n\r\n"
)
KEYS = Keys("jwt", "anon-token", "service-token", "sb_publishable_p", "sb_secret_s", "[]", "vapid")
ANSWER = HttpResponse(200, (("content-type", "application/json"),), b"[]" * 100)


class Wire:
    """A transport that counts what is written."""

    def __init__(self) -> None:
        self.written = 0

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        names = {"peername": ("192.0.2.7", 5555), "sockname": ("127.0.0.1", 54321)}
        return names.get(name, default)

    def write(self, _data: bytes) -> None:
        self.written += 1

    def is_closing(self) -> bool:
        return False

    def resume_reading(self) -> None: ...


def main() -> None:
    """Print the figures."""
    uvloop.run(_measure())


async def _answer(_request: HttpRequest) -> HttpResponse:
    return ANSWER


async def _measure() -> None:
    def failed() -> HttpResponse:
        return HttpResponse(500)

    service = Endpoint(_answer, limit=1_000, too_large=failed, failed=failed, observer=silent)
    gateway = Gateway((Mounted("/rest/v1", service),), Pages({}, service), KEYS)
    reporter = Reporter(
        gateway, {"rest": "rest"}, real_world(), Sinks(Metrics(), None), frozenset({"rest"})
    )
    wires = {
        SERVER: _connect(service),
        "and gateway": _connect(gateway),
        "and request ids, metrics": _connect(reporter),
    }
    best = dict.fromkeys(wires, 1.0)
    gc.freeze()
    for _ in range(ROUNDS):
        for name, (protocol, wire) in wires.items():
            best[name] = min(best[name], await _seconds(protocol, wire))
    for name, seconds in best.items():
        print(f"processor time a request: {name:25} {seconds * 1e6:5.1f} µs")
    for name, target in TARGETS.items():
        keep(Figure(f"{SERVER} {name}, beside it alone", best[name] / best[SERVER], "x", target))


def _connect(app: Any) -> tuple[Any, Wire]:
    server, wire = Server(app), Wire()
    server.config.load()
    protocol: Any = HttpProtocol(server.config, server.server_state, {})
    protocol.connection_made(wire)
    return protocol, wire


async def _seconds(protocol: Any, wire: Wire) -> float:
    began = time.process_time()
    for _ in range(REQUESTS):
        before = wire.written
        protocol.data_received(GET)
        while wire.written == before:  # noqa: ASYNC110 — it is the loop's own cost that counts
            await asyncio.sleep(0)
    return (time.process_time() - began) / REQUESTS


if __name__ == "__main__":
    main()
