"""The long-poll twin of the socket, as Phoenix's client speaks it."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from realtime_compat.transports import longpoll
from tests.harness_realtime import Served, token

JOIN = ["1", "1", "realtime:room", "phx_join", {"config": {"broadcast": {"self": True}}}]


@dataclass
class Poller:
    """A client that polls; every answer's HTTP status is 200."""

    http: httpx2.AsyncClient
    query: dict[str, str]

    async def open(self) -> None:
        answer = await self.poll()
        assert answer == {"status": 410, "token": self.query["token"], "messages": []}

    async def poll(self) -> dict[str, Any]:
        answer = await self.http.get("/socket/longpoll", params=self.query)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "*"
        self.query["token"] = answer.json().get("token", "")
        return answer.json()

    async def say(self, *frames: object) -> dict[str, Any]:
        body = "\n".join(f if isinstance(f, str) else json.dumps(f) for f in frames)
        answer = await self.http.post(
            "/socket/longpoll",
            params=self.query,
            content=body,
            headers={"content-type": "application/x-ndjson"},
        )
        return answer.json()

    async def receive(self, count: int) -> list[Any]:
        messages: list[Any] = []
        while len(messages) < count:
            answer = await self.poll()
            assert answer["status"] == 200
            messages += map(json.loads, answer["messages"])
        return messages


@pytest.fixture
async def poller(served: Served) -> AsyncIterator[Poller]:
    async with httpx2.AsyncClient(base_url=f"http://{served.address}") as http:
        poller = Poller(http, {"apikey": token(), "vsn": "2.0.0"})
        await poller.open()
        yield poller


async def test_a_session_joins_and_is_answered(poller: Poller):
    assert await poller.say(JOIN, [None, "2", "phoenix", "heartbeat", {}]) == {"status": 200}
    assert await poller.receive(2) == [
        ["1", "1", "realtime:room", "phx_reply", ANSWERED],
        [None, "2", "phoenix", "phx_reply", {"status": "ok", "response": {}}],
    ]


ANSWERED = {"status": "ok", "response": {"postgres_changes": []}}


async def test_broadcasts_cross_to_sockets_and_come_back_as_text(served: Served, poller: Poller):
    push = bytes([3, 1, 1, 13, 2, 0, 1]) + b"19realtime:roomev" + b'{"n":1.10}'
    async with served.connect() as other:
        await other.join()
        await poller.say(JOIN, base64.b64encode(push).decode())
        assert await other.next() == b"\x04\x0d\x02\x00\x01realtime:roomev" + b'{"n":1.10}'
    assert (await poller.receive(2))[1] == [
        None,
        None,
        "realtime:room",
        "broadcast",
        {"type": "broadcast", "event": "ev", "payload": {"n": 1.1}},
    ]


async def test_a_poll_without_news_ends_after_a_while(
    poller: Poller, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(longpoll, "POLL_SECONDS", 0.01)
    answer = await poller.poll()
    assert (answer["status"], answer["messages"]) == (204, [])


async def test_a_session_that_nobody_asks_for_ends_as_a_lost_socket_does(
    served: Served, poller: Poller, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(longpoll, "LIFE_SECONDS", 0.01)
    async with served.connect() as watcher:
        await watcher.join(presence={"enabled": True})
        await watcher.until("presence_state")
        track = {"event": "track", "payload": {}}
        await poller.say(JOIN, ["1", "2", "realtime:room", "presence", track])
        await watcher.until("presence_diff")
        await poller.receive(2)
        assert (await watcher.until("presence_diff"))["joins"] == {}
    assert await poller.say(JOIN) == {"status": 410}
    assert await poller.poll() == {"status": 410}


async def test_a_session_lives_while_one_of_two_polls_still_asks(
    poller: Poller, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(longpoll, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(longpoll, "LIFE_SECONDS", 3.0)
    await asyncio.gather(poller.poll(), poller.poll())
    monkeypatch.setattr(longpoll, "POLL_SECONDS", 10.0)
    polling = asyncio.ensure_future(poller.poll())
    await asyncio.wait({polling}, timeout=3.2)  # longer than a session that nobody asks for
    await poller.say([None, "1", "phoenix", "heartbeat", {}])
    assert (await polling)["status"] == 200


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ({}, {"status": 403, "error": "API key is missing"}),
        ({"apikey": "x"}, {"status": 403, "error": "The token provided is not a valid JWT"}),
        ({"apikey": token(), "vsn": "9"}, {"status": 403}),
    ],
    ids=["no key", "a bad key", "an unknown version"],
)
async def test_no_session_without_a_good_key(
    served: Served, query: dict[str, str], answer: dict[str, object]
):
    async with httpx2.AsyncClient(base_url=f"http://{served.address}") as http:
        assert (await http.get("/longpoll", params=query)).json() == answer


async def test_a_gateways_bearer_is_the_key(served: Served):
    headers = {"authorization": f"Bearer {token()}"}
    async with httpx2.AsyncClient(
        base_url=f"http://{served.address}", headers=headers, params={"vsn": "1.0.0"}
    ) as http:
        opened = (await http.get("/longpoll")).json()
        body = {"topic": "phoenix", "event": "heartbeat", "payload": {}, "ref": "1"}
        session = {"token": opened["token"]}
        assert (await http.post("/longpoll", params=session, json=body)).json() == {"status": 200}
        (message,) = (await http.get("/longpoll", params=session)).json()["messages"]
        assert json.loads(message)["payload"] == {"status": "ok", "response": {}}


async def test_what_is_no_frame_is_dropped(poller: Poller):
    await poller.say(
        "", "no base64", "AAAA", "[", '["\u2028"]', [None, "1", "phoenix", "heartbeat"]
    )
    await asyncio.sleep(0)
    await poller.say([None, "2", "phoenix", "heartbeat", {}])
    assert [message[1] for message in await poller.receive(1)] == ["2"]


@pytest.mark.parametrize(
    "body",
    ["\n" * 5_000_000, "x\n" * 100_000, "[" + "1" * 5_000_001],
    ids=["lines", "words", "long"],
)
async def test_a_post_beyond_every_limit_ends_its_session_at_most(poller: Poller, body: str):
    answer = await poller.say(body)
    assert answer["status"] in {200, 410}
    again = await poller.say(["1", "2", "phoenix", "heartbeat", {}])
    assert again["status"] == answer["status"]
