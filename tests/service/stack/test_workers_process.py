"""Several workers behind one address: starts, deaths, restarts without a refusal, the end."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from compat_stack.embedded import postgres
from tests.harness_stack import Stack, run_stack, start_stack
from tests.harness_states import PAUSE
from tests.harness_workers import (
    broker_of,
    children,
    client_of_each,
    get,
    is_alive,
    is_ready,
    until,
    workers,
)

REST = "/rest/v1/actividades?limit=1"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("workers")
    started = start_stack(folder / "data", WORKERS="2", DATABASE_PORT="0")
    yield started
    if started.process.poll() is None:
        started.stop()


@pytest.fixture
def ready(stack: Stack) -> Stack:
    until(lambda: is_ready(stack), "ready")
    return stack


def test_each_worker_serves_every_service(ready: Stack):
    assert len(workers(ready)) == 2
    for _ in range(16):
        assert get(ready, REST)[0] == 200
        assert get(ready, "/auth/v1/settings")[0] == 200
        assert get(ready, "/realtime/v1/api/ping")[0] == 200


def test_status_tells_of_the_one_that_supervises(ready: Stack):
    done = run_stack(ready.data_dir, "status")
    assert done.returncode == 0
    assert f"process:   {ready.process.pid}," in done.stdout
    assert "ready:     yes" in done.stdout


def test_a_worker_that_is_killed_is_replaced_while_the_other_serves(ready: Stack):
    before = workers(ready)
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    until(lambda: len(workers(ready) - {killed}) == 2 and is_ready(ready), "two again")
    assert max(before) in workers(ready)
    assert get(ready, REST)[0] == 200


def test_a_restart_replaces_every_worker_and_refuses_nobody(ready: Stack):
    before = workers(ready)
    failures: list[BaseException | int] = []
    is_over = threading.Event()

    def send_requests() -> None:
        while not is_over.wait(PAUSE):
            try:
                status = get(ready, "/livez")[0]
                failures.extend([status] if status != 200 else [])
            except OSError as error:
                failures.append(error)

    senders = [threading.Thread(target=send_requests) for _ in range(4)]
    for thread in senders:
        thread.start()
    ready.process.send_signal(signal.SIGHUP)
    try:
        until(lambda: not (before & children(ready.process.pid)), "every worker is new")
        until(lambda: len(workers(ready)) == 2 and is_ready(ready), "ready")
    finally:
        is_over.set()
        for thread in senders:
            thread.join()
    assert failures == []


def test_the_database_is_started_again_at_its_port_where_it_dies(ready: Stack):
    url, database = ready.keys["DATABASE_URL"], ready.database_pid
    assert "127.0.0.1" in url
    os.kill(database, signal.SIGKILL)
    until(lambda: not is_alive(database), "the database is dead")
    until(
        lambda: ready.database_pid not in {0, database} and is_ready(ready),
        "the database is back",
    )
    until(lambda: get(ready, REST)[0] == 200, "served again")
    until(lambda: can_connect(url), "tools connect again")


def test_the_workers_of_a_supervisor_that_is_killed_end_and_the_next_start_takes_over(
    tmp_path: Path,
):
    first = start_stack(tmp_path / "data", WORKERS="2")
    left = children(first.process.pid)
    database = first.database_pid
    first.process.kill()
    first.process.wait()
    until(lambda: not any(map(is_alive, left)), "every worker has ended")
    second = start_stack(tmp_path / "data", WORKERS="2")
    assert second.database_pid == database
    assert second.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_processes_and_the_database(tmp_path: Path, number: signal.Signals):
    stack = start_stack(tmp_path / "data", WORKERS="2")
    every = children(stack.process.pid) | {stack.database_pid}
    sockets = postgres.embedded_cluster(stack.data_dir / "postgres").sockets
    assert stack.stop(number) == 0
    assert not any(map(is_alive, every))
    assert not sockets.exists()


def test_a_worker_that_cannot_start_ends_all_with_its_sentence(tmp_path: Path):
    done = run_stack(tmp_path, "serve", WORKERS="2", GOTRUE_RATE_LIMIT_TOKEN_REFRESH="nonsense")
    assert done.returncode == 1
    assert "error: GOTRUE_RATE_LIMIT_TOKEN_REFRESH must be" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_refused_not_shared(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run_stack(tmp_path, "serve", WORKERS="2", PORT=port)
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr


@pytest.mark.parametrize("workers", ["0", "65", "many"])
def test_a_number_of_workers_that_cannot_be_is_refused(tmp_path: Path, workers: str):
    done = run_stack(tmp_path, "check-config", WORKERS=workers)
    assert done.returncode == 1
    assert "WORKERS" in done.stderr


def test_check_config_adds_up_the_connections_of_all_workers(tmp_path: Path):
    done = run_stack(tmp_path, "check-config", WORKERS="4")
    assert done.returncode == 0
    assert "(auth 20, rest 16," in done.stdout


def test_one_process_alone_waits_for_requests_and_jobs_of_the_database(ready: Stack):
    query = (
        "select count(*) from pg_stat_activity "
        "where application_name = 'workers' and query ilike 'listen %'"
    )
    with psycopg.connect(ready.keys["DATABASE_URL"]) as connection:

        def listening() -> int:
            row = connection.execute(query).fetchone()
            connection.rollback()
            return row[0] if row else 0

        until(lambda: listening() == 1, "one listens")


def replace_key(stack: Stack, name: str, value: str) -> None:
    path = stack.data_dir / "keys.env"
    path.write_text(path.read_text().replace(stack.keys[name], value))


def test_a_restart_reads_keys_anew(ready: Stack):
    """Asked for twice, the second time while the first is under way: the last keys count."""
    before, fresh = workers(ready), "sb_publishable_" + "n" * 31
    old = ready.keys["SUPABASE_PUBLISHABLE_KEY"]
    ready.process.send_signal(signal.SIGHUP)
    until(lambda: workers(ready) - before, "a successor starts")
    replace_key(ready, "SUPABASE_PUBLISHABLE_KEY", fresh)
    ready.process.send_signal(signal.SIGHUP)

    def are_new() -> bool:
        with suppress(OSError), client_of_each(ready, fresh, 2) as found:
            answers = [each.request("GET", "/auth/v1/settings")[0] for each in found.values()]
            return answers == [200, 200] and found.keys() == workers(ready) and is_ready(ready)
        return False

    until(are_new, "every worker has the last key")
    with client_of_each(ready, old, 2) as found:
        for client in found.values():
            assert client.request("GET", "/auth/v1/settings")[0] == 401


def test_a_restart_by_keys_that_cannot_be_read_changes_nothing(ready: Stack):
    before = workers(ready)
    path = ready.data_dir / "keys.env"
    kept = path.read_text()
    path.write_text("JWT_SECRET='never closed")
    try:
        ready.process.send_signal(signal.SIGHUP)
        until(lambda: any("Everything stays as it was" in line for line in ready.output), "told")
    finally:
        path.write_text(kept)
    assert workers(ready) == before
    assert is_ready(ready)


def test_a_data_folder_of_a_long_path_has_its_broker_elsewhere(tmp_path: Path):
    stack = start_stack(tmp_path / ("long" * 25) / "data", WORKERS="2")
    try:
        until(lambda: is_ready(stack), "ready")
        assert broker_of(stack) in children(stack.process.pid)
    finally:
        assert stack.stop() == 0


def can_connect(url: str) -> bool:
    try:
        with psycopg.connect(url, connect_timeout=5):
            return True
    except psycopg.OperationalError:
        return False


def test_a_project_whose_settings_a_service_refuses_is_told_so(tmp_path: Path):
    folder = tmp_path / "supabase"
    folder.mkdir()
    (folder / "config.toml").write_text("[auth]\njwt_expiry = -5\n")
    done = run_stack(
        tmp_path / "data", "--project", str(tmp_path), "serve", WORKERS="2",
        GOTRUE_RATE_LIMIT_TOKEN_REFRESH="nonsense",
    )  # fmt: skip
    assert done.returncode == 1
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr
