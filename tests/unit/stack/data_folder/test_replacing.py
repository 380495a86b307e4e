"""Several files are replaced as one: whenever it is cut off, all are old or all are new."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_stack.data_folder.private import ForeignFolderError
from compat_stack.data_folder.replacing import finish_replacing, replace_all
from compat_stack.data_folder.restore_mark import MARK, HalfRestoredError, refuse_half_restored

OLD, NEW = {"a": "old a", "b": "old b"}, {"a": "new a", "b": "new b"}
STEPS = 6  # more than a replacement of two files has


class CutOffError(Exception):
    """The process was killed here."""


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("last", range(STEPS))
def test_a_replacement_that_is_cut_off_is_whole_or_not_there(tmp_path: Path, last: int):
    for name, text in OLD.items():
        (tmp_path / name).write_text(text)
    steps = 0

    def step() -> None:
        nonlocal steps
        if steps == last:
            raise CutOffError
        steps += 1

    with pytest.raises(CutOffError):
        replace_all(tmp_path, NEW, step)
    finish_replacing(tmp_path)
    assert contents(tmp_path) in (OLD, NEW)
    replace_all(tmp_path, NEW)
    assert contents(tmp_path) == NEW
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())


def test_files_that_a_link_leads_to_are_left_where_they_are(tmp_path: Path):
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "a").write_text("foreign")
    (tmp_path / "rotation").symlink_to(foreign)
    with pytest.raises(ForeignFolderError, match="is a link: remove it"):
        finish_replacing(tmp_path)
    assert contents(foreign) == {"a": "foreign"}


def test_nothing_runs_on_a_folder_whose_restore_was_cut_off(tmp_path: Path):
    refuse_half_restored(tmp_path)
    (tmp_path / MARK).touch()
    with pytest.raises(HalfRestoredError, match="run `restore` again"):
        refuse_half_restored(tmp_path)
