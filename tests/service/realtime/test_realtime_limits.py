"""Clients beyond a limit: refused, cut off, or told, and nobody else is touched."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

import httpx2
import pytest
import websockets

from tests.harness_realtime import Served, serve_realtime, token


@pytest.fixture(scope="module")
async def narrow(server, realtime_database: str) -> AsyncIterator[Served]:
    """A service with a small queue a socket, three sockets, and one message a second."""
    variables = {"REALTIME_QUEUE_BYTES": "200000", "TENANT_MAX_CONCURRENT_USERS": "3"}
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
        answers = [await http.post("/api/broadcast/t/events/e", json={}) for _ in range(6)]
        assert [answer.status_code for answer in answers] == [202] * 5 + [429]
        assert answers[-1].json() == {"message": "You have exceeded your rate limit"}


async def test_a_stopping_service_closes_with_1012(server, realtime_database: str):
    async with serve_realtime(server.url(realtime_database)) as running:
        context = running.connect()
        client = await context.__aenter__()
        await client.join()
    await asyncio.wait_for(client.socket.wait_closed(), 10)
    assert client.socket.close_code == 1012
    await context.__aexit__(None, None, None)
