"""Reads are answered by a replica, but never an older state than their asker wrote."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.conftest import Server
from tests.harness_replica import Replica, running_replica
from tests.harness_rest import Api, make_database, serving, token

WRITER = f"Bearer {token(role='rest_member', sub='writer')}"
READER = f"Bearer {token(role='rest_member', sub='reader')}"
_SECONDS = 60
_IN_RECOVERY = """
create function api.in_recovery() returns bool stable language sql
  as $$ select pg_is_in_recovery() $$
"""
_NOTE_IN_RECOVERY = """
create function api.note_in_recovery() returns bool volatile language plpgsql
  as $$ begin insert into api.note values ('x'); return pg_is_in_recovery(); end $$
"""


@pytest.fixture(scope="module")
def database(server: Server) -> Iterator[str]:
    name = make_database(server)
    server.run(_IN_RECOVERY, _NOTE_IN_RECOVERY, database=name)
    yield name
    server.drop(name)


@pytest.fixture(scope="module")
def replica(server: Server, database: str) -> Iterator[Replica]:
    assert database  # the copy has it from the beginning
    folder = Path(tempfile.mkdtemp(prefix="replica-"))
    with running_replica(server, folder) as running:
        yield running
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def api(server: Server, database: str, replica: Replica) -> AsyncIterator[Api]:
    uri = replica.url(database, "rest_authenticator")
    async with serving(server, database, DB_READ_URI=uri) as api:
        await until_used(api, READER, is_replica=True)
        yield api
        replica.run("select pg_wal_replay_resume()")


async def is_replica_used(api: Api, caller: str, method: str = "GET") -> bool:
    """Whether the caller's reads come to the replica: only that is in recovery."""
    return (await api(method, "/rpc/in_recovery", Authorization=caller)).json()


async def until_used(api: Api, caller: str, *, is_replica: bool) -> None:
    deadline = time.monotonic() + _SECONDS
    while await is_replica_used(api, caller) is not is_replica:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


async def notes(api: Api, caller: str, body: str) -> int:
    answer = await api("GET", f"/note?body=eq.{body}", Authorization=caller)
    assert answer.status_code == 200, answer.text
    return len(answer.json())


async def test_whoever_wrote_reads_it_back_while_others_are_answered_by_the_replica(
    api: Api, replica: Replica
):
    replica.run("select pg_wal_replay_pause()")
    answer = await api("POST", "/note", body={"body": "own"}, Authorization=WRITER)
    assert answer.status_code == 201, answer.text
    assert (await notes(api, WRITER, "own"), await notes(api, READER, "own")) == (1, 0)
    replica.run("select pg_wal_replay_resume()")
    await until_used(api, WRITER, is_replica=True)
    assert await notes(api, WRITER, "own") == 1


async def test_a_replica_that_is_behind_answers_nobody_until_it_is_there(
    api: Api, replica: Replica
):
    replica.run("select pg_wal_replay_pause()")
    await api("POST", "/note", body={"body": "late"}, Authorization=WRITER)
    await until_used(api, READER, is_replica=False)
    assert await notes(api, READER, "late") == 1
    replica.run("select pg_wal_replay_resume()")
    await until_used(api, READER, is_replica=True)


async def test_what_may_write_is_asked_at_the_server_itself(api: Api):
    answer = await api("POST", "/rpc/note_in_recovery", Authorization=WRITER)
    assert answer.json() is False
    assert await is_replica_used(api, WRITER) is False
    assert await is_replica_used(api, READER, "POST") is False
    assert (await api("HEAD", "/note", Authorization=READER)).status_code == 200


async def test_what_the_replica_refuses_is_asked_at_the_server_itself(
    server: Server, database: str, api: Api, replica: Replica
):
    replica.run("select pg_wal_replay_pause()")
    await asyncio.to_thread(
        server.run,
        "create table api.fresh (id int)",
        "grant select on api.fresh to rest_member",
        "notify pgrst, 'reload schema'",
        database=database,
    )
    deadline = time.monotonic() + _SECONDS
    while (await api("GET", "/fresh", Authorization=READER)).status_code != 200:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


async def test_a_replica_that_is_gone_is_missed_by_nobody_and_used_when_it_is_back(
    api: Api, replica: Replica
):
    await asyncio.to_thread(replica.stop)
    try:
        for _ in range(20):
            assert (await api("GET", "/dept", Authorization=READER)).status_code == 200
    finally:
        await asyncio.to_thread(replica.start)
    await until_used(api, READER, is_replica=True)
