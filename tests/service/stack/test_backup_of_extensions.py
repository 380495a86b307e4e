"""A backup brings back secrets, jobs, requests and queues, and who owns the project."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_stack.embedded import postgres
from tests.harness_stack import Stack, run_stack, start_stack

MADE = """
create extension pg_cron;
create extension pgmq;
create extension moddatetime with schema extensions;
select vault.create_secret('geheim', 'key');
select cron.schedule('nightly', '0 3 * * *', 'select 1');
select pgmq.create('jobs');
select pgmq.send('jobs', '{"a": 1}');
create table public.notes (id integer primary key, name text collate "de-x-icu");
create event trigger told on ddl_command_end execute function extensions.pgrst_ddl_watch();
"""
KEPT = {
    "select decrypted_secret from vault.decrypted_secrets where name = 'key'": "geheim",
    "select jobname, schedule, username from cron.job": "nightly|0 3 * * *|postgres",
    "select message from pgmq.read('jobs', 0, 1)": '{"a": 1}',
    "select collation_name from information_schema.columns where table_name = 'notes'"
    " and column_name = 'name'": "de-x-icu",
    "select tableowner from pg_tables where tablename = 'notes'": "postgres",
    "select rolsuper, rolcreaterole, rolbypassrls from pg_roles where rolname = 'postgres'": "f|t|t",
    "select evtname from pg_event_trigger where evtname = 'told'": "told",
    "show search_path": '"$user", public, extensions',
    "select count(*) > 0 from cron.schedule('another', '* * * * *', 'select 1')": "t",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that uses the extensions."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "1_made.sql").write_text(MADE)
    return folder


@pytest.fixture
def stack(tmp_path: Path, project: Path) -> Iterator[Stack]:
    started = start_stack(tmp_path / "data", MIGRATIONS_DIR=str(project))
    yield started
    started.stop()


def answers(data_dir: Path) -> dict[str, str]:
    """What a running installation's database says, asked as the project's owner."""
    cluster = postgres.embedded_cluster(data_dir / "postgres")
    return {
        question: subprocess.run(
            [cluster.programs / "psql", "-XqAt", cluster.url(user="postgres"), "-c", question],
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for question in KEPT
    }  # fmt: skip


def test_a_backup_brings_back_what_the_extensions_keep(
    tmp_path: Path, project: Path, stack: Stack
) -> None:
    file = tmp_path / "all.backup"
    stack.stop()
    assert run_stack(tmp_path / "data", "backup", str(file)).returncode == 0
    done = run_stack(tmp_path / "other", "restore", str(file))
    assert (done.returncode, done.stderr) == (0, "")

    again = start_stack(tmp_path / "other", MIGRATIONS_DIR=str(project))
    try:
        assert answers(tmp_path / "other") == KEPT
    finally:
        again.stop()


def test_a_server_without_the_extensions_gets_their_objects_and_their_rows(
    tmp_path: Path, project: Path, stack: Stack
) -> None:
    stack.stop()
    file, cluster = tmp_path / "all.backup", postgres.embedded_cluster(tmp_path / "elsewhere")
    assert run_stack(tmp_path / "data", "backup", str(file)).returncode == 0
    postgres.start(cluster)
    try:
        psql = [cluster.programs / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1"]
        statements = ("create database planner",
                      "alter database planner set extension_control_path = '$system'")  # fmt: skip
        for statement in statements:
            subprocess.run([*psql, cluster.url(), "-c", statement], check=True)
        url = cluster.url("planner")
        done = run_stack(tmp_path / "other", "restore", str(file), DATABASE_URL=url)
        assert (done.returncode, done.stderr) == (0, "")
        assert "the extension supabase_vault is left out" in done.stdout
        migrated = run_stack(
            tmp_path / "other", "migrate", DATABASE_URL=url, MIGRATIONS_DIR=str(project)
        )
        assert (migrated.returncode, migrated.stderr) == (0, "")
        query = ("select (select jobname from cron.job), (select message from pgmq.q_jobs),"
                 " (select count(*) from compat.extensions)")  # fmt: skip
        found = subprocess.run(
            [*psql, url, "-c", query], capture_output=True, text=True, check=True
        ).stdout.strip()
        assert found == 'nightly|{"a": 1}|4'
    finally:
        postgres.stop(cluster)
