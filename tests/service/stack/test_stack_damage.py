"""A disk that is full and a folder that cannot be read: one sentence, status 1, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx2
import pytest

from compat_stack.embedded.processes import servers_of
from tests.harness_stack import run_stack, start_stack
from tests.harness_template import give_database
from tests.harness_workers import until

IS_ROOT = os.geteuid() == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 60 MB; an installation takes some 44."""
    if not IS_ROOT:
        pytest.skip("only root can mount a disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=80m,mode=700", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a disk is not permitted here")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def fill(disk: Path, leave: int = 0) -> Path:
    path = disk / "fill"
    space = os.statvfs(disk)
    size = max(space.f_bavail * space.f_frsize - leave, 0)
    with path.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)
    return path


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("left", [0, 200_000, 20_000_000], ids="{} bytes left".format)
def test_a_full_disk_is_one_sentence_at_a_first_start(small_disk: Path, left: int):
    filling = fill(small_disk, left)
    assert "full" in sentence(run_stack(small_disk / "data", "migrate"))
    filling.unlink()
    assert run_stack(small_disk / "data", "migrate").returncode == 0


def test_a_full_disk_is_one_sentence_at_a_later_start(small_disk: Path):
    assert run_stack(small_disk / "data", "migrate").returncode == 0
    filling = fill(small_disk)
    assert "full" in sentence(run_stack(small_disk / "data", "serve"))
    filling.unlink()
    assert run_stack(small_disk / "data", "migrate").returncode == 0


def test_a_disk_that_fills_up_while_migrating_is_one_sentence(small_disk: Path):
    folder = small_disk / "migrations"
    folder.mkdir()
    (folder / "1_big.sql").write_text(
        "create table public.big as select repeat(md5(n::text), 30) from generate_series(1, 200000) n"
    )
    done = run_stack(small_disk / "data", "migrate", MIGRATIONS_DIR=str(folder))
    assert "make room" in sentence(done)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_disk_that_fills_up_while_serving_is_named_and_everything_comes_back(
    small_disk: Path, workers: str
):
    stack = start_stack(small_disk / "data", WORKERS=workers)
    try:
        key = {"apikey": stack.keys["SUPABASE_PUBLISHABLE_KEY"]}
        with httpx2.Client(base_url=stack.url, headers=key, timeout=60) as client:

            def sign_up(number: int) -> httpx2.Response:
                body = {"email": f"a{number}@example.com", "password": "una larga contraseña"}
                return client.post("/auth/v1/signup", json={**body, "data": {"x": "y" * 50_000}})

            assert sign_up(0).status_code == 200
            filling = fill(small_disk)
            answers = [sign_up(number) for number in range(1, 9)]
            refused = [answer for answer in answers if answer.status_code != 200]
            assert {answer.status_code for answer in refused} <= {500, 503}
            assert refused
            texts = {answer.json()["msg"] for answer in refused}
            assert texts <= {
                "The disk of the database is full", "Database error saving new user",
                "The database is not reachable at the moment",
            }, texts  # fmt: skip
            assert texts != {"The database is not reachable at the moment"}
            assert client.get("/livez").status_code == 200
            filling.unlink()
            further = count(100)
            until(lambda: sign_up(next(further)).status_code == 200, "room again")
            until(lambda: client.get("/readyz").status_code == 200, "everything is back")
    finally:
        assert stack.stop() == 0


@pytest.mark.parametrize("name", ["keys.env", "signing_keys.json", "lock", "postgres", "mailbox"])
def test_a_folder_where_a_file_belongs_is_one_sentence(tmp_path: Path, name: str):
    if name in {"postgres", "mailbox"}:
        (tmp_path / name).write_text("")
    else:
        (tmp_path / name).mkdir()
    done = run_stack(tmp_path, "migrate")
    if name == "mailbox":  # needed by who serves
        assert done.returncode == 0
    else:
        assert str(tmp_path / name) in sentence(done)


@pytest.mark.parametrize(
    ("name", "workers"), [("storage", "1"), ("mailbox", "1"), ("mailbox", "2")]
)
def test_what_a_service_cannot_open_is_one_sentence_with_its_remedy(
    tmp_path: Path, name: str, workers: str
):
    (tmp_path / name).write_text("")
    give_database(tmp_path)
    error = sentence(run_stack(tmp_path, "serve", WORKERS=workers))
    assert error.startswith(f"error: {tmp_path / name} cannot be used")
    assert "move it away" in error


def test_a_database_that_was_cut_off_while_running_is_recovered(tmp_path: Path):
    assert run_stack(tmp_path, "migrate").returncode == 0
    for pid in servers_of(tmp_path / "postgres/data"):
        os.kill(pid, signal.SIGKILL)
    (tmp_path / "postgres/data/compat.conf").write_text("wal_level = log")
    assert run_stack(tmp_path, "migrate").returncode == 0
