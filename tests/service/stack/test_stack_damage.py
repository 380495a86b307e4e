"""A disk that is full and a folder that cannot be read: one sentence, status 1, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_stack.embedded.processes import servers_of
from tests.harness_stack import run_stack

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


@pytest.mark.parametrize("name", ["keys.env", "signing_keys.json", "lock", "postgres", "mailbox"])
def test_a_folder_where_a_file_belongs_is_one_sentence(tmp_path: Path, name: str):
    if name in {"postgres", "mailbox"}:
        (tmp_path / name).write_text("")
    else:
        (tmp_path / name).mkdir()
    done = run_stack(tmp_path, "migrate")
    if name == "mailbox":  # needed at the first mail, not before
        assert done.returncode == 0
    else:
        assert name in sentence(done)


def test_a_database_that_was_cut_off_while_running_is_recovered(tmp_path: Path):
    assert run_stack(tmp_path, "migrate").returncode == 0
    for pid in servers_of(tmp_path / "postgres/data"):
        os.kill(pid, signal.SIGKILL)
    (tmp_path / "postgres/data/compat.conf").write_text("wal_level = log")
    assert run_stack(tmp_path, "migrate").returncode == 0
