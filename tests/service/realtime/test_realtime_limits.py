"""Clients beyond a limit: refused, cut off, or told, and nobody else is touched."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import httpx2
import pytest
import websockets

from compat_base.values.world import SystemClock
from tests.harness_realtime import TIMEOUT, Served, serve_realtime, token


@pytest.fixture(scope="module")
async def narrow(server, realtime_database: str) -> AsyncIterator[Served]:
    """A service with a small queue a socket, three sockets, and one message a second."""
    variables = {
        "REALTIME_QUEUE_BYTES": "200000",
        "REALTIME_SOCKETS_PER_ADDRESS": "2",
        "TENANT_MAX_CONCURRENT_USERS": "3",
    }
    async with serve_realtime(server.url(realtime_database), **variables) as running:
        yield running


async def test_a_client_that_stops_reading_is_cut_off_with_a_reason(narrow: Served):
    async with narrow.connect() as stuck, narrow.connect() as reader, narrow.connect() as sender:
        for client in (stuck, reader, sender):
            await client.join()
        stuck.socket.transport.pause_reading()
        body = "x" * 100_000
        sent = 0
        while not narrow.has_observed("slow_reader_cut_off"):
            await sender.send("realtime:room", "broadcast", {"n": sent, "body": body})
            assert (await reader.until("broadcast"))["n"] == sent
            sent += 1
        stuck.socket.transport.resume_reading()
        with contextlib.suppress(websockets.ConnectionClosed):
            while True:
                await stuck.socket.recv()
        assert (stuck.socket.close_code, stuck.socket.close_reason) == (
            1013,
            "Client reads too slowly",
        )
        await sender.send("realtime:room", "broadcast", {"n": "last"})
        assert (await reader.until("broadcast"))["n"] == "last"


async def test_too_many_sockets_are_refused_before_the_upgrade(narrow: Served):
    async with narrow.connect(), narrow.connect(), narrow.connect():
        with pytest.raises(websockets.InvalidStatus) as caught:
            async with narrow.connect():
                pass
    assert caught.value.response.status_code == 429
    assert json.loads(caught.value.response.body) == {"error": "Too many connected users"}


async def test_an_address_with_too_many_sockets_is_refused_and_no_other(narrow: Served):
    one, other = ([("x-forwarded-for", address)] for address in ("192.0.2.1", "192.0.2.2"))
    async with narrow.connect(headers=one), narrow.connect(headers=one):
        with pytest.raises(websockets.InvalidStatus) as caught:
            async with narrow.connect(headers=one):
                pass
        async with narrow.connect(headers=other):
            pass
    assert caught.value.response.status_code == 429
    assert json.loads(caught.value.response.body) == {
        "error": "Too many connections from one address"
    }


async def test_http_beyond_the_rate_is_429(server, realtime_database: str):
    url = server.url(realtime_database)
    async with (
        serve_realtime(url, TENANT_MAX_EVENTS_PER_SECOND="1") as slow,
        httpx2.AsyncClient(base_url=f"http://{slow.address}", headers={"apikey": token()}) as http,
    ):
        message = {"topic": "t", "event": "e", "payload": {}}
        batch = await http.post("/api/broadcast", json={"messages": [message] * 2})
        assert batch.json() == {
            "message": "Too many messages to broadcast, please reduce the batch size"
        }
        taken = 0
        while (answer := await http.post("/api/broadcast/t/events/e", json={})).status_code == 202:
            taken += 1
            assert taken < 60  # of the most that a minute's average lets through
        assert taken >= 5  # the first bucket's, or more where the next one has begun
        assert answer.status_code == 429
        assert answer.json() == {"message": "You have exceeded your rate limit"}


async def test_a_stopping_service_closes_with_1012(server, realtime_database: str):
    async with serve_realtime(server.url(realtime_database)) as running:
        context = running.connect()
        client = await context.__aenter__()
        await client.join()
    await asyncio.wait_for(client.socket.wait_closed(), TIMEOUT)
    assert client.socket.close_code == 1012
    await context.__aexit__(None, None, None)


async def test_a_socket_that_floods_bytes_is_closed_and_read_no_further(narrow: Served):
    async with narrow.connect() as flooder:
        await flooder.join()
        text = json.dumps([None, "9", "realtime:room", "broadcast", {"body": "x" * 3_000_000}])
        with contextlib.suppress(websockets.ConnectionClosed, ConnectionError):
            for _ in range(60):
                await flooder.socket.send(text)
        assert (await flooder.until("system"))["message"] == "Too many bytes per second"
        await flooder.socket.wait_closed()
        assert flooder.socket.close_code == 1008
        assert flooder.socket.close_reason == "Too many bytes per second"


async def test_who_sends_on_after_the_close_is_cut_off(narrow: Served):
    host, _, port = narrow.address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"GET /socket/websocket?apikey={token()}&vsn=2.0.0 HTTP/1.1\r\nHost: {host}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    frame = b"\x81\xff" + (3_000_000).to_bytes(8) + b"\0" * 4 + b"x" * 3_000_000
    taken = 0
    with contextlib.suppress(ConnectionError):
        while taken < 100 * len(frame):
            writer.write(frame)
            await writer.drain()
            taken += len(frame)
    assert taken < 30 * len(frame)
    writer.close()


class SetClock(SystemClock):
    """A machine's clock that is set while it runs."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


async def test_a_clock_that_is_set_ahead_closes_no_socket(server, realtime_database: str):
    url, clock = server.url(realtime_database), SetClock()
    async with (
        serve_realtime(url, is_streaming=False, clock=clock) as running,
        running.connect() as client,
    ):
        clock.ahead = timedelta(days=1)
        for ref in ("1", "2"):
            await client.socket.send(json.dumps([None, ref, "phoenix", "heartbeat", {}]))
            assert (await client.next())[1:4] == (ref, "phoenix", "phx_reply")
