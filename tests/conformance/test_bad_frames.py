"""Broken frames and joins: the socket stays, or closes with its code, and others notice nothing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.harness_live import open_socket
from tests.harness_stack import Stack

JOIN_CONFIGS: list[Any] = [
    None,
    5,
    "x",
    [],
    {"postgres_changes": "x"},
    {"postgres_changes": [5, None, "x", [], {}]},
    {"postgres_changes": [{"event": 5, "schema": [], "table": {}}]},
    {"postgres_changes": [{"event": "*", "schema": "public", "table": "x" * 10_000}]},
    {"postgres_changes": [{"event": "*", "schema": "pub\x00lic", "table": "a\x00"}]},
    {"postgres_changes": [{"event": "*", "schema": "'; drop table x; --", "table": '"'}]},
    {"postgres_changes": [{"event": "*", "schema": "public", "table": "actividades", "filter": 5}]},
    {"postgres_changes": [{"event": "*", "schema": "public", "table": "t", "filter": "=" * 5000}]},
    {"postgres_changes": [{"event": "*", "schema": "public", "table": "t", "select": "x"}]},
    {"broadcast": [], "presence": "x", "private": {}},
    {"broadcast": {"self": 5, "ack": "perhaps"}, "presence": {"key": {"a": 1}, "enabled": []}},
    {"broadcast": {"replay": {"since": "x"}}},
    {"presence": {"key": "k" * 100_000, "enabled": True}},
]


def _key(stack: Stack) -> str:
    return stack.keys["SUPABASE_PUBLISHABLE_KEY"]


@pytest.mark.parametrize(
    "frame",
    [
        "",
        " ",
        "{",
        "null",
        "5",
        '"x"',
        "{}",
        "[]",
        "[1,2,3]",
        "[null,null,null,null,null]",
        '["1","1",5,{},[]]',
        '["1","1","realtime:x","phx_join","x"]',
        '["1","1","realtime:x","phx_join"]',
        '["1","1","phoenix","phx_join",{}]',
        '["1","1","phoenix","nothing",{}]',
        '["1","1","realtime:never-joined","broadcast",{}]',
        '["1","1","realtime:never-joined","access_token",{"access_token":5}]',
        '["1","1","realtime:never-joined","presence",{"event":5}]',
        '["1","1","' + "t" * 100_000 + '","phx_leave",{}]',
        "[" * 50_000 + "]" * 50_000,
        '["1","1","\\ud800","heartbeat",{}]',
        "\x00",
    ],
    ids=lambda value: repr(value)[:40],
)
async def test_a_broken_text_frame_leaves_the_socket_open(stack: Stack, frame: str) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        await live.socket.send(frame)
        assert await live.reply("phoenix", "heartbeat", {}) == {"status": "ok", "response": {}}


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\x00",
        b"\x03",
        b"\x03\xff\xff\xff\xff\xff\xff",
        b"\x03\x01\x01\x05\x01\x00\x0111realt",
        b"\x03\x00\x01\x0a\x01\x00\x011realtime:x" + b"e{}",
        b"\x03\x01\x01\x0a\x01\x00\x0911realtime:xe{}",
        b"\x03\x01\x01\x0a\x01\x00\x0111realtime:xe{",
        b"\x04\x01\x01\x01\x01abc",
        b"\xff" * 1000,
        b"\x03\x01\x01\x02\x01\x00\x0111\xff\xfee{}",
    ],
    ids=repr,
)
async def test_a_broken_binary_frame_leaves_the_socket_open(stack: Stack, frame: bytes) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        await live.socket.send(frame)
        assert await live.reply("phoenix", "heartbeat", {}) == {"status": "ok", "response": {}}


@pytest.mark.parametrize("config", JOIN_CONFIGS, ids=lambda value: repr(value)[:60])
async def test_an_odd_join_is_answered(stack: Stack, config: Any) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        answer = await live.reply("realtime:room", "phx_join", {"config": config})
        assert answer["status"] in {"ok", "error"}
        if answer["status"] == "ok":
            assert isinstance(answer["response"]["postgres_changes"], list)
        assert await live.reply("phoenix", "heartbeat", {}) == {"status": "ok", "response": {}}


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("nonsense", "MalformedJWT: The token provided is not a valid JWT"),
        ("a.b.c", "MalformedJWT: The token provided is not a valid JWT"),
    ],
)
async def test_a_join_with_a_bad_token_is_refused(stack: Stack, token: str, reason: str) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        payload = {"config": {}, "access_token": token}
        answer = await live.reply("realtime:room", "phx_join", payload)
        assert answer == {"status": "error", "response": {"reason": reason}}


@pytest.mark.parametrize("payload", [None, 5, "x", [], {}, {"event": 5}, {"type": "x"}], ids=repr)
@pytest.mark.parametrize("event", ["broadcast", "presence", "nonsense", ""])
async def test_an_odd_push_on_a_joined_channel_is_survived(
    stack: Stack, event: str, payload: Any
) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        join = {"config": {"presence": {"enabled": True}}}
        assert (await live.reply("realtime:room", "phx_join", join))["status"] == "ok"
        await live.push("realtime:room", event, payload)
        assert await live.reply("phoenix", "heartbeat", {}) == {"status": "ok", "response": {}}


@pytest.mark.parametrize("token", [5, {}, [], "", "x", "a.b.c"], ids=repr)
async def test_an_odd_token_for_a_channel_closes_it_alone(stack: Stack, token: Any) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        for room in ("a", "b"):
            assert (await live.reply(f"realtime:{room}", "phx_join", {"config": {}}))[
                "status"
            ] == "ok"
        await live.push("realtime:a", "access_token", {"access_token": token})
        frame = await live.await_frame(lambda f: f.event == "system")
        assert (frame.payload["status"], frame.payload["channel"]) == ("error", "a")
        await live.await_frame(lambda f: f.event == "phx_close" and f.topic == "realtime:a")
        assert (await live.reply("realtime:b", "phx_leave", {}))["status"] == "ok"


async def test_a_push_to_a_topic_never_joined_is_unmatched(stack: Stack) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        answer = await live.reply("realtime:nowhere", "broadcast", {"event": "x", "payload": {}})
        assert answer == {"status": "error", "response": {"reason": "unmatched topic"}}
        assert (await live.reply("realtime:nowhere", "phx_leave", {}))["status"] == "ok"


async def test_presence_of_something_that_is_no_object_is_refused(stack: Stack) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        await live.reply("realtime:room", "phx_join", {"config": {}})
        payload = {"type": "presence", "event": "track", "payload": [1]}
        answer = await live.reply("realtime:room", "presence", payload)
        reason = "Presence track payload must be a map"
        assert answer == {"status": "error", "response": {"reason": reason}}


async def test_a_frame_beyond_the_limit_closes_the_socket(stack: Stack) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        frame = json.dumps(["1", "1", "realtime:x", "phx_join", "x" * 5_100_000])
        sending = asyncio.create_task(live.socket.send(frame))
        await live.socket.wait_closed()
        await asyncio.gather(sending, return_exceptions=True)
        assert live.socket.close_code == 1009


@pytest.mark.parametrize("vsn", ["3.0.0", "x", "1"])
async def test_an_unknown_serializer_is_refused(stack: Stack, vsn: str) -> None:
    address = f"{stack.url.replace('http', 'ws', 1)}/realtime/v1/websocket"
    with pytest.raises(InvalidStatus) as refused:
        async with connect(f"{address}?apikey={_key(stack)}&vsn={vsn}"):
            pass
    assert refused.value.response.status_code == 403


async def test_many_broken_sockets_leave_a_good_one_alone(stack: Stack) -> None:
    async with open_socket(stack.url, _key(stack)) as good:
        await good.reply("realtime:room", "phx_join", {"config": {}})
        for _ in range(20):
            async with open_socket(stack.url, _key(stack)) as bad:
                await bad.push("realtime:room", "phx_join", {"config": {}})
                await bad.socket.send("{")
                bad.socket.transport.abort()
        await good.settle()
