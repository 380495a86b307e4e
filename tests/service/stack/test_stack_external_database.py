"""Any PostgreSQL by DATABASE_URL: migrated the same way, refused with one clear sentence."""

from __future__ import annotations

import tempfile
import urllib.request
from pathlib import Path

import pytest

from compat_stack.embedded import postgres
from tests.harness_stack import END_SECONDS, run_stack, start_stack


@pytest.fixture
def database(server):
    name = f"external_{id(server)}"
    server.run(f'create database "{name}"')
    yield name
    server.drop(name)


def test_a_server_of_ones_own_is_migrated_and_served(server, database: str, tmp_path: Path):
    started = start_stack(tmp_path, DATABASE_URL=server.url(database))
    try:
        request = urllib.request.Request(
            started.url + "/rest/v1/actividades",
            headers={"apikey": started.keys["SUPABASE_SECRET_KEY"]},
        )
        with urllib.request.urlopen(request, timeout=END_SECONDS) as answer:
            assert answer.read() == b"[]"
        assert started.keys["DATABASE_URL"] == server.url(database)
        assert not (tmp_path / "postgres").exists()
    finally:
        started.stop()


def test_a_server_without_logical_wal_is_refused_with_the_remedy(tmp_path: Path):
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        cluster = postgres.embedded_cluster(Path(folder), durable=False)
        postgres.start(cluster)
        try:
            postgres.stop(cluster)
            with (cluster.data / "postgresql.conf").open("a") as configuration:
                configuration.write("\nwal_level = replica\n")
            postgres.start(cluster)
            done = run_stack(tmp_path, "serve", DATABASE_URL=cluster.url())
        finally:
            postgres.stop(cluster)
    assert done.returncode == 1
    assert done.stderr == (
        "error: wal_level is replica, and live changes need logical: run"
        " `alter system set wal_level = 'logical'` and restart PostgreSQL\n"
    )
