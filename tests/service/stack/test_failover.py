"""A standby answers reads, and takes over where the primary dies: by `target_session_attrs`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from compat_stack.embedded import postgres
from tests.conftest import Server
from tests.harness_live import open_socket
from tests.harness_replica import Replica, running_replica
from tests.harness_stack import Stack, start_stack
from tests.harness_template import copy_cluster
from tests.harness_workers import Client, client_of_each, connect, is_ready, until

WORKERS = 2


@pytest.fixture(scope="module")
def primary() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        copy_cluster(Path(folder), "empty")
        cluster = postgres.embedded_cluster(Path(folder), durable=False)
        postgres.start(cluster)
        running = Server(cluster)
        try:
            yield running
        finally:
            postgres.stop(cluster)


@pytest.fixture(scope="module")
def standby(primary: Server) -> Iterator[Replica]:
    with (
        tempfile.TemporaryDirectory(prefix="pg-") as folder,
        running_replica(primary, Path(folder)) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def stack(
    primary: Server, standby: Replica, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    hosts = f"{primary.cluster.sockets},{standby.sockets}"
    url = (
        f"postgresql://{postgres.SUPERUSER}@/postgres?host={hosts}&target_session_attrs=read-write"
    )
    folder = tmp_path_factory.mktemp("failover") / "data"
    read = standby.url("postgres")
    started = start_stack(folder, DATABASE_URL=url, DATABASE_READ_URL=read, WORKERS=str(WORKERS))
    yield started
    started.stop()


def written(stack: Stack, number: int) -> bool:
    key = stack.keys["SUPABASE_SERVICE_ROLE_KEY"]
    client = Client(connect(stack), key)
    try:
        status, _, _ = client.request("POST", "/rest/v1/pasos", {"id": number})
    except OSError:
        return False
    finally:
        client.connection.close()
    return status in {201, 409}


def is_replayed(primary: Server, standby: Replica) -> bool:
    with psycopg.connect(primary.url()) as connection:
        written = connection.execute("select pg_current_wal_lsn()").fetchone()
    with psycopg.connect(standby.url("postgres")) as connection:
        query = "select pg_last_wal_replay_lsn() >= %s::pg_lsn"
        return bool((connection.execute(query, written).fetchone() or [False])[0])


@pytest.fixture(scope="module")
def table(stack: Stack, primary: Server) -> None:
    primary.run(
        "create table public.pasos (id int primary key)",
        "create function public.in_recovery() returns bool stable language sql"
        " as $$ select pg_is_in_recovery() $$",
        "grant all on public.pasos to service_role",
        "grant select on public.pasos to anon",
        "alter publication supabase_realtime add table public.pasos",
        "notify pgrst, 'reload schema'",
    )
    until(lambda: written(stack, 1), "the table is known")


def test_whoever_wrote_at_one_worker_reads_it_back_at_another(
    stack: Stack, standby: Replica, table: None
):
    with client_of_each(stack, stack.keys["SUPABASE_SERVICE_ROLE_KEY"], WORKERS) as found:
        one, other = found.values()
        for client in (one, other):
            until(lambda c=client: is_answered_by_standby(c), "the standby answers")
        standby.run("select pg_wal_replay_pause()")
        try:
            status, body, _ = one.request("POST", "/rest/v1/pasos", {"id": 10})
            assert status == 201, body
            status, body, _ = other.request("GET", "/rest/v1/pasos?id=eq.10")
            assert (status, json.loads(body)) == (200, [{"id": 10}])
        finally:
            standby.run("select pg_wal_replay_resume()")


def is_answered_by_standby(client: Client) -> bool:
    status, body, _ = client.request("GET", "/rest/v1/rpc/in_recovery")
    return (status, body) == (200, b"true")


async def test_writes_reads_sign_ups_and_changes_go_on_at_the_promoted_standby(
    stack: Stack, primary: Server, standby: Replica, table: None
):
    async with open_socket(stack.url, stack.keys["SUPABASE_ANON_KEY"]) as live:
        wanted = {"event": "INSERT", "schema": "public", "table": "pasos"}
        await live.subscribe("pasos", None, wanted)
        # What the standby does not have yet dies with the primary.
        await asyncio.to_thread(until, lambda: is_replayed(primary, standby), "replayed")
        os.kill(
            int((primary.cluster.data / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT
        )
        await asyncio.to_thread(standby.promote)
        await asyncio.to_thread(until, lambda: written(stack, 2), "a row is written")
        await asyncio.to_thread(until, lambda: is_ready(stack), "ready")
        # Nobody knows what was committed meanwhile: who listens is told, and joins anew.
        await live.await_frame(lambda frame: frame.event == "phx_error")
    client = Client(connect(stack), stack.keys["SUPABASE_ANON_KEY"])
    sent = {"email": "ana@example.com", "password": "una larga contraseña"}
    assert client.request("POST", "/auth/v1/signup", sent)[0] == 200
    client.connection.close()
    async with open_socket(stack.url, stack.keys["SUPABASE_ANON_KEY"]) as live:
        await live.subscribe("pasos", None, wanted)
        assert await asyncio.to_thread(written, stack, 3)
        change = await live.await_change(lambda change: change["record"]["id"] == 3)
        assert change["type"] == "INSERT"
