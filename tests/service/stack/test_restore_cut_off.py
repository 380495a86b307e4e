"""A restore into a server's database that is cut off: the old state or the new one, never half."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from compat_stack.archive.programs import Programs
from compat_stack.embedded import postgres
from tests.conftest import Server
from tests.harness_stack import run_stack
from tests.harness_template import give_database

PROGRAMS = ("pg_dump", "pg_restore", "psql")
CUT_OFF = "a restore into {} was cut off: run `restore` again"
# A script goes to psql with -o; pg_restore writes it with --file.
AFTER_THE_COMMIT = """
real/psql "$@"; status=$?
case "$*" in *"-o /dev/null"*) {then};; esac
exit $status
"""
WHILE_IT_IS_WRITTEN = """
case "$*" in *--file=*) {then};; esac
exec real/pg_restore "$@"
"""
KILLED = "kill -9 $PPID; exit"
NO_ANSWER = "echo 'psql: error: server closed the connection unexpectedly' >&2; exit 2"


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    give_database(folder / "data")
    assert run_stack(folder / "data", "migrate").returncode == 0
    assert run_stack(folder / "data", "backup", str(folder / "a.backup")).returncode == 0
    return folder / "a.backup"


@pytest.fixture
def url(server: Server) -> Generator[str]:
    server.run('create database "cut_off"')
    yield server.url("cut_off")
    server.drop("cut_off")


def real_programs() -> Path:
    return postgres.embedded_cluster(Path("/nowhere")).programs


def programs_with(folder: Path, name: str, script: str) -> str:
    """A folder of PostgreSQL's client programs, one of which is a shell script."""
    folder.mkdir()
    (folder / "real").symlink_to(real_programs())
    for each in PROGRAMS:
        if each != name:
            (folder / each).symlink_to(real_programs() / each)
    (folder / name).write_text(f"#!/bin/sh\n{script.replace('real/', f'{folder}/real/')}")
    (folder / name).chmod(0o700)
    return str(folder)


def tables(url: str) -> int:
    query = "select count(*) from pg_catalog.pg_tables where schemaname = 'auth'"
    return int(Programs(real_programs(), url).query(query)[0])


def make_earlier_state(data: Path) -> str:
    """Keys of before; gives them."""
    data.mkdir()
    (data / "signing_keys.json").write_text("earlier")
    return "earlier"


def restore_killed_after_the_commit(backup: Path, url: str, folder: Path) -> tuple[Path, str]:
    """The data folder of such a restore, and the keys that were there before it."""
    data = folder / "data"
    earlier = make_earlier_state(data)
    programs = programs_with(folder / "bin", "psql", AFTER_THE_COMMIT.format(then=KILLED))
    command = ("restore", str(backup), "--replace")
    assert run_stack(data, *command, DATABASE_URL=url, PG_BIN=programs).returncode == -9
    return data, earlier


def signing_keys(data: Path) -> str:
    return (data / "signing_keys.json").read_text()


def test_one_that_was_killed_after_the_commit_is_ended_by_the_next(
    backup: Path, url: str, tmp_path: Path
):
    data, earlier = restore_killed_after_the_commit(backup, url, tmp_path)
    refused = run_stack(data, "serve", DATABASE_URL=url)
    assert refused.stderr == f"error: {CUT_OFF.format(data)}\n"
    done = run_stack(data, "restore", str(backup), DATABASE_URL=url)
    assert (done.returncode, done.stderr) == (0, "")
    assert signing_keys(data) != earlier
    assert tables(url) > 0
    assert not (data / "restoring").exists()
    assert not (data / "restoring-work").exists()


def test_one_whose_server_went_away_after_the_commit_is_done(
    backup: Path, url: str, tmp_path: Path
):
    data = tmp_path / "data"
    earlier = make_earlier_state(data)
    programs = programs_with(tmp_path / "bin", "psql", AFTER_THE_COMMIT.format(then=NO_ANSWER))
    done = run_stack(data, "restore", str(backup), "--replace", DATABASE_URL=url, PG_BIN=programs)
    assert (done.returncode, done.stderr) == (0, "")
    assert signing_keys(data) != earlier
    assert not (data / "restoring").exists()


def test_one_that_was_killed_before_the_commit_is_undone_and_done_again(
    backup: Path, url: str, tmp_path: Path
):
    data = tmp_path / "data"
    earlier = make_earlier_state(data)
    script = WHILE_IT_IS_WRITTEN.format(then=KILLED)
    programs = programs_with(tmp_path / "bin", "pg_restore", script)
    command = ("restore", str(backup), "--replace")
    assert run_stack(data, *command, DATABASE_URL=url, PG_BIN=programs).returncode == -9
    done = run_stack(data, *command[:2], DATABASE_URL=url)
    assert done.stderr.startswith(f"error: {data} is not empty")
    assert (signing_keys(data), tables(url)) == (earlier, 0)
    done = run_stack(data, *command, DATABASE_URL=url)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_became_of_one_is_asked_again_once_the_database_answers(
    backup: Path, url: str, tmp_path: Path
):
    data, earlier = restore_killed_after_the_commit(backup, url, tmp_path)
    command = ("restore", str(backup), "--replace")
    nowhere = "postgresql://postgres@127.0.0.1:1/postgres"
    refused = run_stack(data, *command, DATABASE_URL=nowhere)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert refused.stderr.endswith("run `restore` again when the database answers\n")
    assert run_stack(data, *command, DATABASE_URL=url).returncode == 0
    assert signing_keys(data) != earlier
