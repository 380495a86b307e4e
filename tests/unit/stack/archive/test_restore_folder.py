"""A data folder whose contents make room for a backup, and come back where it fails."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from compat_stack.archive.format import BackupError
from compat_stack.archive.restore_folder import (
    WORK,
    Restoring,
    move_aside,
    record_transaction,
    recover,
    refuse_full,
    write_mark,
)
from compat_stack.data_folder.restore_mark import MARK
from compat_stack.settings import Settings, read_settings


def never(_: Restoring) -> bool:
    """No transaction is asked for: the marker names none."""
    raise AssertionError


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "keys.env").write_text("earlier")
    environment = {"DATA_DIR": str(tmp_path), "DATABASE_URL": "postgresql://localhost/none"}
    return read_settings(environment)


def test_a_folder_with_contents_is_refused_unless_it_may_be_replaced(settings: Settings):
    refuse_full(settings, replace=True)
    with pytest.raises(BackupError, match="is not empty"):
        refuse_full(settings, replace=False)


def test_what_was_there_is_put_aside(settings: Settings):
    aside = move_aside(settings.data_dir)
    assert aside is not None
    assert (aside / "keys.env").read_text() == "earlier"
    assert not (settings.data_dir / "keys.env").exists()


def test_a_restore_that_was_cut_off_is_undone(settings: Settings):
    move_aside(settings.data_dir)
    (settings.data_dir / "keys.env").write_text("half")
    recover(settings, never)
    assert (settings.data_dir / "keys.env").read_text() == "earlier"
    assert not (settings.data_dir / MARK).exists()


def test_what_a_database_has_committed_is_ended(settings: Settings):
    move_aside(settings.data_dir)
    record_transaction(settings.data_dir, "12", "345", "a" * 64)
    (settings.data_dir / "keys.env").write_text("new")
    (settings.data_dir / WORK).mkdir()
    requested: list[Restoring] = []
    ended = recover(settings, lambda restoring: not requested.append(restoring))
    assert requested == [ended]
    assert (settings.data_dir / "keys.env").read_text() == "new"
    assert not (settings.data_dir / MARK).exists()
    assert not (settings.data_dir / WORK).exists()


def test_what_a_database_has_rolled_back_is_undone(settings: Settings):
    move_aside(settings.data_dir)
    record_transaction(settings.data_dir, "12", "345", "a" * 64)
    (settings.data_dir / "keys.env").write_text("half")
    assert recover(settings, lambda _: False) is None
    assert (settings.data_dir / "keys.env").read_text() == "earlier"


def test_while_a_database_cannot_tell_everything_stays(settings: Settings):
    aside = move_aside(settings.data_dir)
    record_transaction(settings.data_dir, "12", "345", "a" * 64)
    mark = (settings.data_dir / MARK).read_text()
    assert aside is not None

    def unreachable(_: Restoring) -> bool:
        raise BackupError

    with pytest.raises(BackupError):
        recover(settings, unreachable)
    assert (settings.data_dir / MARK).read_text() == mark
    assert (aside / "keys.env").read_text() == "earlier"


def test_what_a_killed_start_still_writes_is_removed_once_it_ends(settings: Settings):
    move_aside(settings.data_dir)
    draft = settings.data_dir / "postgres/draft-x"
    draft.mkdir(parents=True)

    def write() -> None:
        for number in range(3_000):
            with suppress(OSError):
                (draft / str(number)).mkdir(parents=True)

    writing = threading.Thread(target=write)
    writing.start()
    try:
        recover(settings, never)
    finally:
        writing.join()
    assert (settings.data_dir / "keys.env").read_text() == "earlier"
    assert not (settings.data_dir / MARK).exists()


def test_without_a_mark_nothing_is_undone(settings: Settings):
    write_mark(settings.data_dir, None)
    recover(settings, never)
    assert (settings.data_dir / "keys.env").read_text() == "earlier"


@pytest.mark.parametrize(
    "mark",
    [
        b"",
        b"\xff\xfe\0",
        b"restoring ",
        b"moving x",
        b"restoring ../..",
        b"restoring replaced-",
        b"restoring replaced-20260101T000000000000 1 2 x",
    ],
)
def test_a_damaged_mark_is_said_and_nothing_is_touched(settings: Settings, mark: bytes):
    (settings.data_dir / MARK).write_bytes(mark)
    with pytest.raises(BackupError, match=r"restoring is damaged: .* run `restore` again"):
        recover(settings, never)
    assert (settings.data_dir / "keys.env").read_text() == "earlier"
    assert (settings.data_dir / MARK).read_bytes() == mark
