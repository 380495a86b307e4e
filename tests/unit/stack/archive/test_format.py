"""The file of a backup: it appears under its name whole, or not at all."""

import errno
import os
from pathlib import Path

import pytest

from compat_stack.archive.format import HEADER, BackupError, write_archive


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_that_of_the_backup_and_leaves_no_file(tmp_path: Path, number: int):
    file = tmp_path / "planes.backup"
    refused = pytest.raises(BackupError, match=f"^the disk of {file} is full")
    with refused, write_archive(file) as writer:
        writer.add(HEADER, [b"{}"])
        raise OSError(number, "no room")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_until_the_end_is_that_of_the_backup(tmp_path: Path):
    file = tmp_path / "planes.backup"
    refused = pytest.raises(BackupError, match=f"^the disk of {file} is full")
    with Path("/dev/full").open("wb") as full, refused, write_archive(file) as writer:
        os.dup2(full.fileno(), writer._file.fileno())
    assert list(tmp_path.iterdir()) == []
