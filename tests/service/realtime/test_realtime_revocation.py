"""Whoever signs out, is banned or deleted hears nothing more; nor do nodes that died stay noted."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx2
import pytest
import websockets

from realtime_compat.access import revocation
from tests.harness_realtime import (
    TIMEOUT,
    Client,
    Served,
    realtime_process,
    serve_realtime,
    token,
)

ROOT = Path(__file__).resolve().parents[3]
TODOS = {"event": "*", "schema": "public", "table": "todos"}
WITHIN = 25  # seconds: 2 are promised; the look at every live session comes after 30


class Person:
    """A user with two sessions."""

    def __init__(self, served: Served) -> None:
        self.id, self.sessions, self.served = str(uuid4()), [str(uuid4()), str(uuid4())], served

    async def sign_up(self) -> Person:
        await self.served.sql(
            f"insert into auth.users (id, email) values ('{self.id}', '{self.id}@example.com')",
            *(
                f"insert into auth.sessions (id, user_id) values ('{session}', '{self.id}')"
                for session in self.sessions
            ),
        )
        return self

    def token(self, number: int = 0, **claims: object) -> str:
        session = self.sessions[number]
        return token("authenticated", sub=self.id, session_id=session, **claims)


@pytest.fixture
async def person(served: Served) -> Person:
    return await Person(served).sign_up()


async def is_closed(client: Client) -> str:
    """Wait until the channel is closed; what the client was told."""
    notice = await client.until("system", WITHIN)
    while notice["extension"] != "system":
        notice = await client.until("system", WITHIN)
    await client.until("phx_close", WITHIN)
    return notice["message"]


async def test_signing_out_closes_the_channels_of_that_session_alone(
    served: Served, person: Person
):
    async with served.connect() as one, served.connect() as other, served.connect() as anybody:
        await one.join(access_token=person.token(0), postgres_changes=[TODOS])
        await other.join(access_token=person.token(1))
        await anybody.join()
        await served.sql(f"delete from auth.sessions where id = '{person.sessions[0]}'")
        assert await is_closed(one) == "Session has been revoked"
        await served.sql("insert into todos (task) values ('a secret')")
        assert await one.frames_until_heartbeat() == []
        for client in (other, anybody):
            assert "phx_close" not in [frame[3] for frame in await client.frames_until_heartbeat()]


async def test_the_notification_alone_closes_the_channels_on_every_node(
    server, realtime_database: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(revocation, "CHECK_SECONDS", 3600.0)  # no look without an occasion
    url = server.url(realtime_database)
    async with AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(serve_realtime(url)) for _ in range(2)]
        person = await Person(nodes[0]).sign_up()
        clients = [await stack.enter_async_context(node.connect()) for node in nodes]
        for client in clients:
            await client.join("first", access_token=person.token(1))
            await client.join("second", access_token=person.token(0))
        await nodes[0].sql(f"delete from auth.sessions where id = '{person.sessions[0]}'")
        for client in clients:
            assert await is_closed(client) == "Session has been revoked"
            assert await client.frames_until_heartbeat() == []


async def test_a_broadcast_by_http_is_refused_as_a_join_is(served: Served, person: Person):
    message = {"topic": "room", "event": "e", "payload": {}}
    async with served.connect() as member:
        await member.join()
        async with httpx2.AsyncClient(base_url=f"http://{served.address}/api") as http:

            async def statuses() -> list[int]:
                headers = {"authorization": f"Bearer {person.token()}"}
                one = await http.post("/broadcast/room/events/e", json={}, headers=headers)
                batch = await http.post("/broadcast", json={"messages": [message]}, headers=headers)
                return [one.status_code, batch.status_code]

            assert await statuses() == [202, 202]
            assert len(await member.frames_until_heartbeat()) == 2
            # Nobody is told, and no socket of the session was ever here: the database is asked.
            await served.sql(
                "alter table auth.sessions disable trigger tell_revoked_sessions",
                f"delete from auth.sessions where id = '{person.sessions[0]}'",
                "alter table auth.sessions enable trigger tell_revoked_sessions",
                "select 1",
            )
            assert await statuses() == [401, 401]
            assert await member.frames_until_heartbeat() == []


@pytest.mark.parametrize(
    "statement",
    [
        "delete from auth.sessions where user_id = '{id}'",
        "delete from auth.users where id = '{id}'",
        "update auth.users set banned_until = now() + interval '1 hour' where id = '{id}'",
        "update auth.users set deleted_at = now() where id = '{id}'",
    ],
    ids=["signed out everywhere", "deleted", "banned", "deleted softly"],
)
async def test_the_channels_of_whoever_may_not_be_here_are_closed(
    served: Served, person: Person, statement: str
):
    async with served.connect() as one, served.connect() as other:
        await one.join(access_token=person.token(0))
        await other.join(access_token=person.token(1))
        await served.sql(statement.format(id=person.id))
        for client in (one, other):
            assert await is_closed(client) == "Session has been revoked"


async def test_a_socket_that_was_opened_with_the_sessions_token_is_closed(
    served: Served, person: Person
):
    async with served.connect(person.token()) as client:
        await client.join()
        await served.sql(f"delete from auth.sessions where id = '{person.sessions[0]}'")
        await asyncio.wait_for(client.socket.wait_closed(), WITHIN)
        assert client.socket.close_code == 1000
    with pytest.raises(websockets.InvalidStatus) as caught:
        async with served.connect(person.token()):
            pass
    assert caught.value.response.status_code == 401


async def test_a_revoked_session_neither_joins_nor_refreshes(served: Served, person: Person):
    async with served.connect() as one, served.connect() as other:
        await one.join("first", access_token=person.token(0))
        await other.join("other", access_token=person.token(1))
        await served.sql(f"delete from auth.sessions where id = '{person.sessions[0]}'")
        assert await is_closed(one) == "Session has been revoked"
        reply = await one.join("second", access_token=person.token(0, again=True))
        assert reply["response"] == {"reason": "InvalidJWTToken: Session has been revoked"}
        body = {"access_token": person.token(0, again=True)}
        await other.send("realtime:other", "access_token", body)
        assert await is_closed(other) == "Session has been revoked"


async def test_a_session_that_was_gone_before_is_found_at_its_join(served: Served, person: Person):
    await served.sql(f"delete from auth.sessions where id = '{person.sessions[0]}'")
    async with served.connect() as client:
        reply = await client.join(access_token=person.token())
        if reply["status"] == "ok":  # the join was answered before the session was looked up
            assert await is_closed(client) == "Session has been revoked"
        else:
            assert "Session has been revoked" in reply["response"]["reason"]


async def test_what_was_missed_while_nobody_listened_is_asked_for(served: Served, person: Person):
    async with served.connect() as client:
        await client.join(access_token=person.token())
        await client.frames_until_heartbeat()
        await served.sql(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where application_name = 'realtime_sessions' and datname = current_database()",
        )
        await served.sql(
            "alter table auth.sessions disable trigger tell_revoked_sessions",
            f"delete from auth.sessions where id = '{person.sessions[0]}'",
            "alter table auth.sessions enable trigger tell_revoked_sessions",
            "select 1",
        )
        assert await is_closed(client) == "Session has been revoked"


async def test_a_banned_user_is_let_in_again_when_the_ban_is_over(served: Served, person: Person):
    async with served.connect() as client:
        await client.join("first", access_token=person.token())
        await served.sql(
            f"update auth.users set banned_until = 'infinity' where id = '{person.id}'"
        )
        await is_closed(client)
        await served.sql(f"update auth.users set banned_until = null where id = '{person.id}'")
        async with asyncio.timeout(WITHIN):
            while (await client.join("again", access_token=person.token()))["status"] != "ok":  # noqa: ASYNC110
                await asyncio.sleep(0.1)


async def test_thousands_of_deletes_are_few_notifications(served: Served):
    notified: list[str] = []
    person = await Person(served).sign_up()
    ids = ", ".join(f"('{uuid4()}'::uuid, '{person.id}'::uuid)" for _ in range(3000))
    await served.sql(f"insert into auth.sessions (id, user_id) values {ids}")
    async with listening(served, notified):
        await served.sql(f"delete from auth.sessions where user_id = '{person.id}'")
        await served.sql("select pg_notify('realtime_revoked', 'end')")
        async with asyncio.timeout(WITHIN):
            while "end" not in notified:  # noqa: ASYNC110 — a list has no event
                await asyncio.sleep(0.02)
    assert notified == ["*", "end"]


async def test_the_long_poll_session_of_a_revoked_session_ends(served: Served, person: Person):
    async with httpx2.AsyncClient(base_url=f"http://{served.address}") as http:
        path = "/socket/longpoll"
        key = {"apikey": person.token(), "vsn": "2.0.0"}
        opened = (await http.get(path, params=key)).json()
        poll = {"token": opened["token"], "vsn": "2.0.0"}
        await served.sql(f"delete from auth.sessions where id = '{person.sessions[0]}'")
        async with asyncio.timeout(TIMEOUT):
            while (await http.get(path, params=poll)).json()["status"] != 410:
                pass


async def test_a_start_clears_what_dead_nodes_left_and_nothing_else(
    server, realtime_database: str, served: Served
):
    rows = "select count(*)::int as n from realtime.subscription"

    async def become(count: int) -> None:
        async with asyncio.timeout(TIMEOUT):
            while (await served.sql(rows))[0]["n"] != count:  # noqa: ASYNC110 — in the database
                await asyncio.sleep(0.05)

    await become(0)  # those of sockets that have closed go a moment later
    process, address = await asyncio.to_thread(realtime_process, server.url(realtime_database))
    dying = Served(address, served.settings, served.database_url, [])
    async with AsyncExitStack() as stack:
        living = await stack.enter_async_context(served.connect())
        await living.subscribe(TODOS)
        doomed = dying.connect()
        await (await doomed.__aenter__()).subscribe(TODOS, TODOS | {"event": "INSERT"})
        assert (await served.sql(rows))[0]["n"] == 3
        process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(process.wait)
        await doomed.__aexit__(None, None, None)
        starting = await stack.enter_async_context(serve_realtime(server.url(realtime_database)))
        assert starting
        await become(1)
        await served.sql("insert into todos (task) values ('still')")
        assert (await living.change())["data"]["record"]["task"] == "still"


async def test_nodes_that_start_together_never_fail(server, services_template: str):
    for _ in range(3):
        name = await asyncio.to_thread(server.clone, services_template)
        async with AsyncExitStack() as stack:
            services = [serve_realtime(server.url(name), is_streaming=False) for _ in range(8)]
            nodes = await asyncio.gather(*map(stack.enter_async_context, services))
            for node in nodes:
                client = await stack.enter_async_context(node.connect())
                assert (await client.join())["status"] == "ok"
            held = "select count(*)::int as n from pg_locks where locktype = 'advisory' and objsubid = 1"
            async with asyncio.timeout(TIMEOUT):
                while (await nodes[0].sql(held))[0]["n"] < len(nodes):  # noqa: ASYNC110 — in the database
                    await asyncio.sleep(0.05)
            failed = {"maintenance_failed", "session_listener_down", "task_failed"}
            assert failed.isdisjoint(seen.name for node in nodes for seen in node.observed)
        await asyncio.to_thread(server.drop, name)


@asynccontextmanager
async def listening(served: Served, notified: list[str]) -> AsyncIterator[None]:
    """Collect what the channel carries."""
    connection = await asyncpg.connect(served.database_url)
    try:
        await connection.add_listener("realtime_revoked", lambda *parts: notified.append(parts[3]))
        yield
    finally:
        await connection.close()
