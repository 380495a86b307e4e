"""The stack as a process: first start, second start, a killed one, and every clear refusal."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import tempfile
import urllib.request
from pathlib import Path

import pytest

from compat_stack.embedded import postgres
from compat_stack.embedded.processes import servers_of
from tests.harness_stack import (
    BY_ITSELF,
    END_SECONDS,
    Stack,
    interrupted_stack,
    kill_stack_at,
    run_stack,
    start_stack,
)
from tests.harness_workers import children


@pytest.fixture
def stack(tmp_path: Path):
    started = start_stack(tmp_path / "data")
    yield started
    if started.process.poll() is None:
        started.stop()


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory):
    """A stack as people start it, which has made its database itself."""
    data = tmp_path_factory.mktemp("first") / "data"
    started = start_stack(data, program=BY_ITSELF, is_database_given=False)
    yield started
    started.stop()


def get(stack: Stack, path: str, key: str = "SUPABASE_ANON_KEY") -> tuple[int, bytes]:
    request = urllib.request.Request(stack.url + path, headers={"apikey": stack.keys[key]})
    with urllib.request.urlopen(request, timeout=END_SECONDS) as answer:
        return answer.status, answer.read()


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_one_worker_is_the_process_itself_without_supervisor_or_broker(first: Stack):
    assert children(first.process.pid) <= {first.database_pid}
    assert not (first.data_dir / "broker.sock").exists()


def test_the_three_services_and_the_web_app_answer_on_one_origin(first: Stack):
    assert get(first, "/auth/v1/settings")[0] == 200
    assert get(first, "/rest/v1/actividades", "SUPABASE_SECRET_KEY")[0] == 200
    assert get(first, "/realtime/v1/api/ping")[0] == 200
    assert b"supabase-key" in get(first, "/")[1] or b"make web" in get(first, "/")[1]


def test_browsers_of_other_origins_may_ask_auth_with_the_gateways_key(first: Stack):
    request = urllib.request.Request(
        f"{first.url}/auth/v1/token",
        method="OPTIONS",
        headers={
            "Origin": "http://elsewhere.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "apikey,authorization,content-type",
        },
    )
    with urllib.request.urlopen(request, timeout=END_SECONDS) as answer:
        assert "apikey" in answer.headers["Access-Control-Allow-Headers"]


def test_it_says_where_it_is_where_the_keys_are_and_how_to_stop(first: Stack):
    text = "".join(first.output)
    assert first.url in text
    assert str(first.data_dir / "keys.env") in text
    assert "Ctrl-C" in text


def test_the_data_folder_is_private(first: Stack):
    assert stat.S_IMODE(first.data_dir.stat().st_mode) == 0o700


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_everything_that_was_started(stack: Stack, number: signal.Signals):
    database = stack.database_pid
    sockets = postgres.embedded_cluster(stack.data_dir / "postgres").sockets
    assert sockets.exists()
    assert stack.stop(number) == 0
    assert not is_running(database)
    assert not sockets.exists()


def test_keys_and_data_are_there_after_a_restart(tmp_path: Path):
    stack = start_stack(tmp_path, is_database_given=False)
    assert any("making the database" in line for line in stack.output)
    before = stack.keys
    stack.stop()
    again = start_stack(tmp_path)
    try:
        assert again.keys["SUPABASE_SECRET_KEY"] == before["SUPABASE_SECRET_KEY"]
        assert not any("making the database" in line for line in again.output)
    finally:
        again.stop()


def test_a_killed_stack_starts_again_and_takes_its_database_over(stack: Stack):
    os.kill(stack.process.pid, signal.SIGKILL)
    stack.process.wait(timeout=END_SECONDS)
    again = start_stack(stack.data_dir)
    try:
        assert get(again, "/rest/v1/actividades", "SUPABASE_SECRET_KEY")[0] == 200
    finally:
        assert again.stop() == 0


@pytest.mark.parametrize(
    "step", ["making the database", "setting up sign-in", "migrating 20261121000005"]
)
def test_a_first_start_that_was_killed_is_begun_again(tmp_path: Path, step: str):
    kill_stack_at(step, tmp_path)
    again = start_stack(tmp_path)
    try:
        assert get(again, "/rest/v1/actividades", "SUPABASE_SECRET_KEY")[0] == 200
    finally:
        assert again.stop() == 0


def test_what_a_power_cut_left_of_a_database_is_no_hindrance(tmp_path: Path):
    draft = tmp_path / "postgres/draft-cut"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("18\n")
    assert run_stack(tmp_path, "migrate").returncode == 0
    assert not draft.exists()


def test_a_database_that_cannot_start_is_one_clear_sentence(stack: Stack):
    stack.stop()
    (stack.data_dir / "postgres/data/global/pg_control").unlink()
    done = run_stack(stack.data_dir, "serve")
    log = stack.data_dir / "postgres/postgres.log"
    assert done.returncode == 1
    assert done.stderr == f"error: PostgreSQL did not start; {log} says why\n"


def test_a_second_process_on_the_same_folder_is_refused_and_the_first_goes_on(stack: Stack):
    done = run_stack(stack.data_dir, "serve")
    assert done.returncode == 1
    assert "another process works on" in done.stderr
    assert get(stack, "/auth/v1/settings")[0] == 200


def test_another_path_to_the_same_folder_is_the_same_folder(stack: Stack, tmp_path: Path):
    (tmp_path / "link").symlink_to(stack.data_dir)
    assert "another process works on" in run_stack(tmp_path / "link", "migrate").stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_during_the_first_start_ends_it_and_its_database(tmp_path: Path, number):
    with interrupted_stack("migrating 20261121000003", tmp_path, number) as process:
        assert process.wait(timeout=END_SECONDS) == 130
    assert servers_of(tmp_path / "postgres/data") == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user for PostgreSQL")
def test_root_without_user_namespaces_runs_the_database_as_nobody():
    folder = Path(tempfile.mkdtemp(prefix="nobody-"))
    folder.chmod(0o711)
    unshare = folder / "bin/unshare"
    unshare.parent.mkdir()
    unshare.write_text("#!/bin/sh\nexit 1\n")
    unshare.chmod(0o755)
    path = f"{unshare.parent}:{os.environ['PATH']}"
    try:
        for _ in range(2):
            assert run_stack(folder / "data", "migrate", PATH=path).stderr == ""
        assert (folder / "data/postgres").owner() == "nobody"
        assert stat.S_IMODE((folder / "data").stat().st_mode) == 0o710
        assert (folder / "data").owner() == "root"
    finally:
        shutil.rmtree(folder)


def test_a_taken_port_is_one_clear_sentence(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_stack(tmp_path, "serve", PORT=str(port))
    assert done.returncode == 1
    assert done.stderr == (
        f"error: cannot listen on 127.0.0.1:{port}: Address already in use:"
        " stop what runs there, or set PORT\n"
    )


def test_an_unreachable_database_is_one_clear_sentence(tmp_path: Path):
    done = run_stack(tmp_path, "serve", DATABASE_URL="postgresql://a:b@127.0.0.1:1/x")
    assert done.returncode == 1
    assert done.stderr.startswith("error: the database cannot be reached")
    assert len(done.stderr.splitlines()) == 1


def test_a_wrong_setting_is_one_clear_sentence(tmp_path: Path):
    done = run_stack(tmp_path, "serve", PORT="many")
    assert (done.returncode, done.stderr) == (1, "error: PORT must be a whole number\n")


def test_a_data_folder_that_cannot_be_made_is_one_clear_sentence(tmp_path: Path):
    (tmp_path / "file").write_text("")
    done = run_stack(tmp_path / "file" / "data", "check-config")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "set DATA_DIR" in done.stderr


def test_a_missing_migrations_folder_is_one_clear_sentence(tmp_path: Path):
    done = run_stack(tmp_path, "migrate", MIGRATIONS_DIR=str(tmp_path / "none"))
    assert done.returncode == 1
    assert "does not exist" in done.stderr


def test_a_project_of_ones_own_takes_the_planners_place(tmp_path: Path):
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "20260101000000_todos.sql").write_text(
        'create extension if not exists "uuid-ossp";'
        "create table public.todos (id int primary key, note text, tag uuid default"
        " uuid_generate_v4());"
        "insert into public.todos values (1, 'x');"
    )
    started = start_stack(tmp_path / "data", MIGRATIONS_DIR=str(folder))
    try:
        found = get(started, "/rest/v1/todos?select=id,note", "SUPABASE_SECRET_KEY")[1]
        assert found == b'[{"id":1,"note":"x"}]'
    finally:
        started.stop()


def test_an_edited_migration_is_refused(tmp_path: Path):
    folder = tmp_path / "migrations"
    folder.mkdir()
    file = folder / "20260101000000_a.sql"
    file.write_text("create table public.a (id int)")
    assert run_stack(tmp_path / "data", "migrate", MIGRATIONS_DIR=str(folder)).returncode == 0
    file.write_text("create table public.a (id text)")
    done = run_stack(tmp_path / "data", "migrate", MIGRATIONS_DIR=str(folder))
    assert done.returncode == 1
    assert "forward only" in done.stderr


def test_a_failing_migration_names_its_file_and_leaves_nothing_behind(tmp_path: Path):
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "1_bad.sql").write_text("create table public.a (id int); select 1/0;")
    done = run_stack(tmp_path / "data", "migrate", MIGRATIONS_DIR=str(folder))
    assert "the migration 1_bad.sql:1 failed: division by zero" in done.stderr
    (folder / "1_bad.sql").write_text("create table public.a (id int);")
    assert run_stack(tmp_path / "data", "migrate", MIGRATIONS_DIR=str(folder)).returncode == 0
