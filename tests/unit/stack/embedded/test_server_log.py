"""PostgreSQL's log has a bound, and who writes it goes on in the same file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compat_stack.data_folder.private import ForeignFolderError
from compat_stack.embedded.server_log import rotate_log, rotated_name

LIMIT = 1000


def appending(log: Path) -> int:
    return os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def test_a_log_within_its_bound_is_left_alone(tmp_path: Path):
    log = tmp_path / "postgres.log"
    assert not rotate_log(log, LIMIT)
    log.write_bytes(b"x" * LIMIT)
    assert not rotate_log(log, LIMIT)
    assert not rotated_name(log).exists()


def test_a_longer_log_is_put_aside_and_its_writer_goes_on_at_the_beginning(tmp_path: Path):
    log = tmp_path / "postgres.log"
    writer = appending(log)
    os.write(writer, b"first\n" * LIMIT)
    assert rotate_log(log, LIMIT)
    os.write(writer, b"second\n")
    os.close(writer)
    assert log.read_bytes() == b"second\n"
    assert rotated_name(log).read_bytes().endswith(b"first\n")


def test_of_a_log_that_grew_for_months_the_last_part_alone_is_kept(tmp_path: Path):
    log = tmp_path / "postgres.log"
    log.write_bytes(b"old" * LIMIT + b"n" * LIMIT)
    assert rotate_log(log, LIMIT)
    assert rotated_name(log).read_bytes() == b"n" * LIMIT


def test_what_was_put_aside_before_goes(tmp_path: Path):
    log = tmp_path / "postgres.log"
    for letter in (b"a", b"b"):
        log.write_bytes(letter * (LIMIT + 1))
        assert rotate_log(log, LIMIT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["postgres.log", "postgres.log.1"]
    assert rotated_name(log).read_bytes() == b"b" * LIMIT
    assert rotated_name(log).stat().st_mode & 0o777 == 0o600


def test_a_log_that_is_a_link_is_not_emptied(tmp_path: Path):
    target, log = tmp_path / "letters", tmp_path / "postgres.log"
    target.write_bytes(b"x" * (LIMIT + 1))
    log.symlink_to(target)
    with pytest.raises(ForeignFolderError):
        rotate_log(log, LIMIT)
    assert target.stat().st_size == LIMIT + 1
