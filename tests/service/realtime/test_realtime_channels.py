"""Handshake, broadcast, presence, private channels, HTTP and database broadcasts over sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
import time
from collections.abc import AsyncIterator

import httpx2
import pytest
import websockets

from tests.harness_realtime import Client, Served, token

USER = "11111111-1111-4111-8111-111111111111"
MEMBER = token("authenticated", sub=USER)

POLICIES = (
    "create policy read_open on realtime.messages for select to authenticated using (realtime.topic() like 'open%' or (realtime.topic() = 'quiet' and extension = 'broadcast'))",
    "create policy write_open on realtime.messages for insert to authenticated with check (realtime.topic() like 'open%')",
    "create policy raising on realtime.messages for select to service_role using (realtime.topic() <> 'raising' or 1 / (length(topic) - 7) = 1)",
)


@pytest.fixture(scope="module", autouse=True)
async def policies(served: Served) -> None:
    for policy in POLICIES:
        await served.sql(policy)


@pytest.fixture
async def http(served: Served) -> AsyncIterator[httpx2.AsyncClient]:
    address = f"http://{served.address}"
    async with httpx2.AsyncClient(base_url=address, headers={"apikey": token()}) as client:
        yield client


INVALID_MESSAGES = {"errors": {"messages": ["is invalid"]}}


def push(
    topic: str,
    event: str,
    payload: bytes,
    *,
    binary: bool = False,
    join_ref: str = "1",
    ref: str = "9",
) -> bytes:
    fields = [text.encode() for text in (join_ref, ref, topic, event, "")]
    return bytes([3, *map(len, fields), 0 if binary else 1]) + b"".join(fields) + payload


def read_broadcast(frame: bytes) -> tuple[str, str, str, int, bytes]:
    kind, topic, event, meta, encoding = struct.unpack_from("5B", frame)
    assert kind == 4
    fields, rest = [], frame[5:]
    for size in (topic, event, meta):
        fields.append(rest[:size].decode())
        rest = rest[size:]
    return fields[0], fields[1], fields[2], encoding, rest


# The handshake


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("", "API key is missing"),
        (token(exp=1000), "Token has expired"),
        (token(exp=None), "Fields `role` and `exp` are required in JWT"),
        ("nonsense", "The token provided is not a valid JWT"),
        (token()[:-4] + "aaaa", "Failed to validate JWT signature"),
    ],
)
async def test_a_bad_key_is_refused_before_the_upgrade(served: Served, key: str, text: str):
    with pytest.raises(websockets.InvalidStatus) as caught:
        async with served.connect(key):
            pass
    assert caught.value.response.status_code == 401
    assert json.loads(caught.value.response.body) == {"error": text}


async def test_an_unknown_version_is_refused_with_a_bare_403(served: Served):
    with pytest.raises(websockets.InvalidStatus) as caught:
        async with served.connect(vsn="3.0.0"):
            pass
    assert (caught.value.response.status_code, caught.value.response.body) == (403, b"")


async def test_a_socket_elsewhere_is_not_found(served: Served):
    with pytest.raises(websockets.InvalidStatus) as caught:
        async with served.connect(path="/socket/elsewhere"):
            pass
    assert caught.value.response.status_code == 404


async def test_the_gateways_header_wins_over_the_parameter(served: Served):
    for key in (f" {token()} ", token().replace(".", "%2E")):
        async with served.connect("sb_publishable_x", headers=[("x-api-key", key)]) as client:
            assert (await client.join())["status"] == "ok"


async def test_both_paths_lead_to_the_socket(served: Served):
    async with served.connect(path="/websocket") as client:
        await client.send("phoenix", "heartbeat", {}, ref="7")
        assert await client.next() == (
            None,
            "7",
            "phoenix",
            "phx_reply",
            {"status": "ok", "response": {}},
        )


async def test_a_heartbeat_without_ref_is_answered_without(served: Served):
    async with served.connect(vsn=None) as client:
        await client.socket.send('{"topic":"phoenix","event":"heartbeat","payload":{},"ref":null}')
        assert await client.next() == (
            None,
            None,
            "phoenix",
            "phx_reply",
            {"status": "ok", "response": {}},
        )


async def test_garbage_leaves_the_socket_open(served: Served):
    async with served.connect() as client:
        for frame in (
            "",
            "{",
            "[1]",
            "nul",
            "[" * 100_000,
            "[1,2,3,4,5]",
            '[null,null,"' + "t" * 1001 + '","e",{}]',
            b"",
            b"\x03",
            b"\x03\xff\xff\xff\xff\xff\x01",
            b"\x00\x01\x01\x01\x01",
        ):
            await client.socket.send(frame)
        assert await client.frames_until_heartbeat() == []


async def test_a_frame_that_is_too_big_closes_with_1009(served: Served):
    async with served.connect() as client:
        with contextlib.suppress(websockets.ConnectionClosedError):
            await client.socket.send("x" * 5_000_001)
        await client.socket.wait_closed()
        assert client.socket.close_code == 1009


# Broadcast


async def test_a_broadcast_reaches_the_others_in_both_versions(served: Served):
    async with served.connect() as one, served.connect() as two, served.connect(vsn="1.0.0") as old:
        for client in (one, two, old):
            await client.join()
        await one.socket.send(push("realtime:room", "ping", b'{"n":1.10}'))
        assert read_broadcast(await two.next()) == ("realtime:room", "ping", "", 1, b'{"n":1.10}')
        assert await old.next() == (
            None,
            None,
            "realtime:room",
            "broadcast",
            {"type": "broadcast", "event": "ping", "payload": {"n": 1.1}},
        )
        assert await one.frames_until_heartbeat() == []
        await old.send("realtime:room", "broadcast", {"event": "pong", "extra": [1]})
        assert await two.next() == (
            None,
            None,
            "realtime:room",
            "broadcast",
            {"event": "pong", "extra": [1]},
        )


async def test_self_and_ack(served: Served):
    async with served.connect() as client:
        await client.join(broadcast={"self": True, "ack": True})
        await client.socket.send(push("realtime:room", "e", b"\x00\x01", binary=True, ref="5"))
        assert read_broadcast(await client.next())[3:] == (0, b"\x00\x01")
        assert await client.next() == (
            "1",
            "5",
            "realtime:room",
            "phx_reply",
            {"status": "ok", "response": {}},
        )


async def test_binary_is_not_for_old_clients(served: Served):
    async with served.connect() as one, served.connect(vsn="1.0.0") as old:
        for client in (one, old):
            await client.join()
        await one.socket.send(push("realtime:room", "e", b"\x00", binary=True))
        await one.frames_until_heartbeat()
        assert await old.frames_until_heartbeat() == []


# Presence


async def test_presence_joins_updates_and_leaves(served: Served):
    config = {"presence": {"enabled": True, "key": "u1"}}
    async with served.connect() as watcher:
        await watcher.join(presence={"enabled": True, "key": "w"})
        assert await watcher.until("presence_state") == {}
        async with served.connect() as member:
            await member.join(**config)
            await member.until("presence_state")
            await member.send(
                "realtime:room",
                "presence",
                {"type": "presence", "event": "TRACK", "payload": {"n": 1}},
            )
            diff = (await member.next())[4]
            assert (await member.next())[4] == {"status": "ok", "response": {}}
            assert await watcher.until("presence_diff") == diff
            (meta,) = diff["joins"]["u1"]["metas"]
            assert meta["n"] == 1
            await member.send("realtime:room", "presence", {"event": "track", "payload": {"n": 2}})
            update = await watcher.until("presence_diff")
            (new,) = update["joins"]["u1"]["metas"]
            assert update["leaves"] == {"u1": {"metas": [meta]}}
            assert (new["n"], new["phx_ref_prev"]) == (2, meta["phx_ref"])
            assert new["phx_ref"] != meta["phx_ref"]
            async with served.connect() as late:
                await late.join(presence={"enabled": True})
                assert await late.until("presence_state") == {"u1": {"metas": [new]}}
        assert await watcher.until("presence_diff") == {
            "joins": {},
            "leaves": {"u1": {"metas": [new]}},
        }


# Private channels


async def test_a_private_channel_needs_a_policy(served: Served):
    async with served.connect() as client:
        reply = await client.join("open", private=True)
        assert reply == {
            "status": "error",
            "response": {
                "reason": "Unauthorized: You do not have permissions to read from this Channel topic: open"
            },
        }
    async with served.connect(MEMBER) as client:
        assert (await client.join("open", private=True))["status"] == "ok"


async def test_a_policy_that_raises_denies(served: Served):
    async with served.connect(token("service_role")) as client:
        assert (await client.join("x", private=True))["status"] == "ok"
    await served.sql("alter role service_role nobypassrls")
    try:
        async with served.connect(token("service_role")) as client:
            assert (
                "Unauthorized" in (await client.join("raising", private=True))["response"]["reason"]
            )
    finally:
        await served.sql("alter role service_role bypassrls")


async def test_writes_that_are_denied_are_dropped_silently(served: Served):
    async with served.connect(MEMBER) as client, served.connect(MEMBER) as other:
        for one in (client, other):
            assert (await one.join("quiet", private=True, broadcast={"ack": True}))[
                "status"
            ] == "ok"
        await client.socket.send(push("realtime:quiet", "e", b"{}"))
        assert await client.frames_until_heartbeat() == []
        assert await other.frames_until_heartbeat() == []
        await client.send("realtime:quiet", "presence", {"event": "track", "payload": {}}, ref="8")
        assert (await client.next())[4] == {"status": "error", "response": {}}


async def test_public_and_private_rooms_of_one_name_are_apart(served: Served):
    async with (
        served.connect(MEMBER) as private,
        served.connect(MEMBER) as public,
        served.connect(MEMBER) as same,
    ):
        await private.join("open", private=True)
        await same.join("open", private=True)
        await public.join("open")
        await private.socket.send(push("realtime:open", "e", b"1"))
        assert read_broadcast(await same.next())[4] == b"1"
        assert await public.frames_until_heartbeat() == []


async def test_losing_the_right_to_read_closes_the_channel(served: Served):
    async with served.connect(MEMBER) as client:
        await client.join("open", private=True)
        await client.send("realtime:open", "access_token", {"access_token": token("anon")})
        assert (await client.until("system"))[
            "message"
        ] == "You do not have permissions to read from this Channel topic: open"
        assert await client.until("phx_close") == {}


async def test_policies_read_the_headers_of_the_upgrade(served: Served):
    await served.sql(
        "create policy by_header on realtime.messages for select to anon using (current_setting('request.headers', true)::json ->> 'x-door' = 'open')"
    )
    async with served.connect(headers=[("x-door", "open")]) as client:
        assert (await client.join("any", private=True))["status"] == "ok"
    async with served.connect() as client:
        assert (await client.join("any", private=True))["status"] == "error"


# From the database


async def test_messages_of_the_database_reach_private_channels(served: Served):
    async with served.connect(MEMBER) as client, served.connect(MEMBER, vsn="1.0.0") as old:
        for one in (client, old):
            await one.join("open", private=True)
        await served.sql("""select realtime.send('{"a": 1}', 'ev', 'open')""")
        topic, event, meta, encoding, payload = read_broadcast(await client.next())
        number = json.loads(meta)["id"]
        assert (topic, event, encoding, json.loads(payload)) == (
            "realtime:open",
            "ev",
            1,
            {"a": 1, "id": number},
        )
        assert (await old.next())[4] == {
            "type": "broadcast",
            "event": "ev",
            "payload": {"a": 1, "id": number},
            "meta": {"id": number},
        }
        await served.sql("select realtime.send_binary('\\x00ff', 'ev', 'open')")
        assert read_broadcast(await client.next())[3:] == (0, b"\x00\xff")
        assert await old.frames_until_heartbeat() == []


async def test_triggers_broadcast_changes(served: Served):
    await served.sql(
        "create table noisy (id int primary key, a text)",
        """create function noise() returns trigger language plpgsql as $$ begin
             perform realtime.broadcast_changes('open:' || coalesce(new.id, old.id), tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
             return null; end $$""",
        "create trigger noise after insert or update or delete on noisy for each row execute function noise()",
    )
    async with served.connect(MEMBER, vsn="1.0.0") as client:
        await client.join("open:1", private=True)
        await served.sql("insert into noisy values (1, 'x')")
        payload = (await client.until("broadcast"))["payload"]
        assert payload.pop("id")
        assert payload == {
            "record": {"id": 1, "a": "x"},
            "old_record": None,
            "operation": "INSERT",
            "table": "noisy",
            "schema": "public",
        }


async def test_stored_messages_are_replayed_oldest_first(served: Served):
    since = int(time.time() * 1000) - 1000
    for number in range(3):
        await served.sql(f"""select realtime.send('{{"n": {number}}}', 'ev', 'open:replay')""")
    await served.sql("select realtime.send(null, 'without a payload', 'open:replay')")
    async with served.connect(MEMBER) as client:
        reply = await client.join(
            "open:replay", private=True, broadcast={"replay": {"since": since, "limit": 2}}
        )
        assert reply["status"] == "ok"
        frames = [await client.next() for _ in range(2)]
        assert [frame[4]["payload"]["n"] for frame in frames] == [1, 2]
        assert all(frame[4]["meta"]["replayed"] for frame in frames)
        assert frames[0][:4] == ("1", None, "realtime:open:replay", "broadcast")


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"broadcast": {"replay": {"since": 1}}}, "Replay is not allowed for public channels"),
        ({"private": True, "broadcast": {"replay": {}}}, "Replay params are not valid"),
    ],
)
async def test_a_replay_that_makes_no_sense_is_refused(
    served: Served, config: dict[str, object], reason: str
):
    async with served.connect(MEMBER) as client:
        reply = await client.join("open", **config)
        assert reply["response"] == {"reason": f"UnableToReplayMessages: {reason}"}


async def test_the_replication_notice(served: Served):
    async with served.connect() as client:
        await client.join(broadcast={"replication_ready": True})
        assert await client.until("system") == {
            "extension": "system",
            "status": "ok",
            "message": "Replication connection established",
            "channel": "room",
        }


# HTTP


async def test_a_batch_reaches_members_as_text(served: Served, http: httpx2.AsyncClient):
    async with served.connect() as client:
        await client.join()
        answer = await http.post(
            "/api/broadcast",
            json={
                "messages": [
                    {"topic": "room", "event": "ping", "payload": {"n": 1}, "id": "x"},
                    {"topic": "open", "event": "ping", "payload": {}, "private": True},
                    {"topic": "room", "event": "pong", "payload": {}, "private": "false"},
                ]
            },
        )
        assert (answer.status_code, answer.content) == (202, b"")
        assert "x-rate-limit" in answer.headers
        assert await client.next() == (
            None,
            None,
            "realtime:room",
            "broadcast",
            {"type": "broadcast", "event": "ping", "payload": {"n": 1}, "meta": {"id": "x"}},
        )
        assert (await client.next())[4]["event"] == "pong"


@pytest.mark.parametrize(
    ("body", "status", "answer"),
    [
        (
            {"messages": [{"topic": "t"}, {"topic": "t", "event": "e", "payload": {}}]},
            422,
            {
                "errors": {
                    "messages": [{"event": ["can't be blank"], "payload": ["can't be blank"]}, {}]
                }
            },
        ),
        (
            {"messages": [{"topic": "t", "event": "e", "payload": {"x": "y" * 3_100_000}}]},
            422,
            {"errors": {"messages": [{"payload": ["Payload size exceeds tenant limit"]}]}},
        ),
        (
            {"messages": [{"topic": "t", "event": "e", "payload": [1]}]},
            422,
            {"errors": {"messages": [{"payload": ["is invalid"]}]}},
        ),
        (
            {"messages": [{"topic": " ", "event": 5, "payload": {}, "private": 1, "id": 2}]},
            422,
            {
                "errors": {
                    "messages": [
                        {
                            "topic": ["can't be blank"],
                            "event": ["is invalid"],
                            "private": ["is invalid"],
                            "id": ["is invalid"],
                        }
                    ]
                }
            },
        ),
        (
            {"messages": [{"event": "e", "payload": {"x": "y" * 3_100_000}}]},
            422,
            {
                "errors": {
                    "messages": [
                        {
                            "topic": ["can't be blank"],
                            "payload": ["Payload size exceeds tenant limit"],
                        }
                    ]
                }
            },
        ),
        ({"messages": [{"topic": "t", "event": "e", "payload": {}}, 5]}, 422, INVALID_MESSAGES),
        ({"messages": {}}, 422, INVALID_MESSAGES),
        ({"messages": []}, 422, {"errors": {"messages": ["can't be blank"]}}),
        ({}, 422, {"errors": {"messages": ["can't be blank"]}}),
    ],
)
async def test_a_bad_batch_sends_nothing(
    http: httpx2.AsyncClient, body: object, status: int, answer: object
):
    response = await http.post("/api/broadcast", json=body)
    assert (response.status_code, response.json()) == (status, answer)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"\xff",
        b'{"messages":[{"topic":"room","event":"half a pair: \\ud800","payload":{}}]}',
    ],
    ids=repr,
)
async def test_a_batch_that_is_no_json_is_refused(
    served: Served, http: httpx2.AsyncClient, body: bytes
):
    async with served.connect() as client:
        await client.join()
        answer = await http.post("/api/broadcast", content=body)
        assert answer.status_code == 400
        assert await client.frames_until_heartbeat() == []


async def test_http_without_a_good_token_is_unauthorized(served: Served):
    async with httpx2.AsyncClient(base_url=f"http://{served.address}") as stranger:
        for headers in ({}, {"authorization": "Bearer x"}, {"apikey": token(exp=1)}):
            for path in ("/api/broadcast", "/api/broadcast/t/events/e"):
                answer = await stranger.post(path, json={}, headers=headers)
                assert (answer.status_code, answer.json()) == (401, {"message": "Unauthorized"})


async def test_one_message_by_its_path(served: Served, http: httpx2.AsyncClient):
    async with served.connect() as client:
        await client.join("a/b")
        answer = await http.post(
            "/api/broadcast/a%2Fb/events/ev%20x",
            content=b'{"n":1.10}',
            headers={"content-type": "application/json; charset=utf-8"},
        )
        assert (answer.status_code, answer.content) == (202, b"")
        assert read_broadcast(await client.next()) == ("realtime:a/b", "ev x", "", 1, b'{"n":1.10}')
        await http.post("/api/broadcast/a%2Fb/events/e", content=b"[1]")
        assert read_broadcast(await client.next())[4] == b'{"_json":[1]}'
        await http.post("/api/broadcast/a%2Fb/events/e")
        assert read_broadcast(await client.next())[4] == b"{}"
        await http.post(
            "/api/broadcast/a%2Fb/events/e",
            content=b"\x00",
            headers={"content-type": "application/octet-stream"},
        )
        assert read_broadcast(await client.next())[3:] == (0, b"\x00")


async def test_one_message_may_be_forbidden_or_of_a_wrong_type(http: httpx2.AsyncClient):
    answer = await http.post("/api/broadcast/open/events/e?private=true", json={})
    assert (answer.status_code, answer.json()) == (403, {"message": "Unauthorized"})
    answer = await http.post(
        "/api/broadcast/open/events/e?private=true",
        json={},
        headers={"authorization": f"Bearer {MEMBER}"},
    )
    assert answer.status_code == 202
    answer = await http.post(
        "/api/broadcast/t/events/e", content="x", headers={"content-type": "text/plain"}
    )
    assert (answer.status_code, answer.json()) == (
        415,
        {"error": "Unsupported Media Type. Use application/json or application/octet-stream"},
    )


async def test_who_may_ask_for_health(http: httpx2.AsyncClient):
    assert (await http.get("/api/ping")).json() == {"message": "Success"}
    assert (await http.head("/api/ping")).status_code == 200
    assert (await http.get("/healthcheck")).text == "ok"
    assert (await http.get("/api/tenants/x/health")).status_code == 403
    answer = await http.get("/api/tenants/x/health", headers={"authorization": f"Bearer {token()}"})
    assert answer.json()["data"]["healthy"] is True
    assert (await http.get("/nothing")).status_code == 404


async def test_a_preflight_is_answered(http: httpx2.AsyncClient):
    answer = await http.options("/api/broadcast")
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_channels_of_a_lost_socket_end(served: Served):
    async with served.connect() as watcher:
        await watcher.join(presence={"enabled": True})
        await watcher.until("presence_state")
        async with served.connect() as member:
            await member.join(presence={"key": "gone"})
            await member.send("realtime:room", "presence", {"event": "track", "payload": {}})
            await member.until("phx_reply")
            member.socket.transport.abort()
        diff = await watcher.until("presence_diff")
        assert "gone" in diff["joins"]
        assert "gone" in (await watcher.until("presence_diff"))["leaves"]


async def test_many_topics_at_once_keep_apart(served: Served):
    async def talk(client: Client, topic: str) -> object:
        await client.join(topic, broadcast={"self": True})
        await client.send(f"realtime:{topic}", "broadcast", {"t": topic})
        return await client.until("broadcast")

    async with served.connect() as one, served.connect() as two:
        assert await asyncio.gather(talk(one, "a"), talk(two, "b")) == [{"t": "a"}, {"t": "b"}]
