"""What others may have made before us, and what they may read: folders, drafts, locks."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

from compat_stack.data_folder.folder import InUseError, held_data_folder, open_data_folder
from compat_stack.data_folder.private import (
    ForeignFolderError,
    is_private_folder,
    make_private_folder,
    open_private,
    write_private,
)
from compat_stack.embedded import postgres

IS_ROOT = os.geteuid() == 0
ONLY_ROOT = pytest.mark.skipif(not IS_ROOT, reason="only root can make another user's folder")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def opened(folder: Path) -> list[str]:
    warnings: list[str] = []
    os.close(open_data_folder(folder, warnings.append))
    return warnings


def test_a_new_data_folder_is_private_and_nothing_is_said(tmp_path: Path):
    assert opened(tmp_path / "data") == []
    assert mode(tmp_path / "data") == 0o700


@pytest.mark.parametrize("left", [None, "keys.env", "postgres"])
def test_a_data_folder_that_others_read_is_narrowed_and_that_is_said(
    tmp_path: Path, left: str | None
):
    folder = tmp_path / "data"
    folder.mkdir()
    if left is not None:
        (folder / left).mkdir()
    folder.chmod(0o755)
    assert opened(folder) == [f"  {folder} had mode 0755: others have no right to it any more"]
    assert mode(folder) == 0o700
    assert opened(folder) == []


def test_a_folder_with_other_things_in_it_is_not_narrowed(tmp_path: Path):
    (tmp_path / "photos").mkdir()
    tmp_path.chmod(0o755)
    with pytest.raises(ForeignFolderError, match="set DATA_DIR"):
        opened(tmp_path)
    assert mode(tmp_path) == 0o755


def test_a_folder_that_everybody_shares_is_refused(tmp_path: Path):
    tmp_path.chmod(0o1777)
    with pytest.raises(ForeignFolderError, match="set DATA_DIR"):
        opened(tmp_path)


@pytest.mark.parametrize("name", ["keys.env", "lock", "vault.key"])
def test_a_pipe_in_a_files_place_is_refused_instead_of_waited_for(tmp_path: Path, name: str):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ForeignFolderError, match=f"{name} is a pipe or a device"):
        opened(tmp_path)


@ONLY_ROOT
def test_a_data_folder_of_somebody_else_is_refused(tmp_path: Path):
    shutil.chown(tmp_path, "nobody")
    with pytest.raises(ForeignFolderError, match="belongs to nobody"):
        opened(tmp_path)


def test_a_private_folder_is_never_a_link(tmp_path: Path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "sockets").symlink_to(tmp_path / "theirs")
    with pytest.raises(ForeignFolderError):
        make_private_folder(tmp_path / "sockets")
    assert not is_private_folder(tmp_path / "sockets")


@ONLY_ROOT
def test_a_private_folder_is_never_somebody_elses(tmp_path: Path):
    folder = tmp_path / "sockets"
    folder.mkdir(mode=0o700)
    shutil.chown(folder, "nobody")
    with pytest.raises(ForeignFolderError, match="another user"):
        make_private_folder(folder)
    assert not is_private_folder(folder)


def test_a_private_folder_of_ours_is_narrowed(tmp_path: Path):
    folder = tmp_path / "sockets"
    folder.mkdir()
    folder.chmod(0o755)
    make_private_folder(folder)
    assert is_private_folder(folder)


def test_a_file_is_written_to_no_link_and_no_draft_of_somebody_else(tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("keys.env", "keys.new"):
        (folder / name).symlink_to(victim)
    write_private(folder / "keys.env", "ours")
    assert victim.read_text() == "theirs"
    assert (folder / "keys.env").read_text() == "ours"
    assert mode(folder / "keys.env") == 0o600
    assert not (folder / "keys.env").is_symlink()


def test_drafts_that_a_crash_left_go_with_the_next_writing(tmp_path: Path):
    left = tmp_path / ".keys.env.0123.draft"
    left.write_text("secret")
    write_private(tmp_path / "keys.env", "ours")
    assert [path.name for path in tmp_path.iterdir()] == ["keys.env"]


def test_what_cannot_be_replaced_is_named_and_not_its_draft(tmp_path: Path):
    (tmp_path / "server.json").mkdir()
    with pytest.raises(IsADirectoryError) as refused:
        write_private(tmp_path / "server.json", "ours")
    assert refused.value.filename == str(tmp_path / "server.json")
    assert [path.name for path in tmp_path.iterdir()] == ["server.json"]


def test_drafts_that_a_crash_left_go_when_the_folder_is_held(tmp_path: Path):
    (tmp_path / "keys.env").write_text("ours")
    left = tmp_path / ".signing_keys.json.0123.draft"
    left.write_text("secret")
    with held_data_folder(tmp_path, report=print):
        assert {path.name for path in tmp_path.iterdir()} == {"keys.env", "lock"}
        left.write_text("being written")
        with pytest.raises(InUseError), held_data_folder(tmp_path, report=print):
            pass
        assert left.exists()


@pytest.mark.parametrize("kind", ["symlink", "hardlink"])
def test_a_lock_or_a_log_is_no_link(tmp_path: Path, kind: str):
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    path = tmp_path / "lock"
    path.symlink_to(victim) if kind == "symlink" else path.hardlink_to(victim)
    with pytest.raises((ForeignFolderError, OSError)):
        open_private(path, os.O_RDWR)


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A folder whose path is too long for a socket."""
    folder = tmp_path / ("d" * 100)
    folder.mkdir()
    return folder


def test_a_socket_folder_outside_has_a_name_that_nobody_can_guess(deep: Path, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    one, other = (postgres.embedded_cluster(deep).sockets for _ in range(2))
    assert one != other
    assert not one.exists()


def test_a_socket_folder_is_nowhere_where_others_can_put_theirs_in_its_place(
    deep: Path, monkeypatch: pytest.MonkeyPatch
):
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    try:
        assert postgres.embedded_cluster(deep).sockets.parent == place
        for open_to in (0o777, 0o770):
            place.chmod(open_to)
            assert postgres.embedded_cluster(deep).sockets.parent != place
        place.chmod(0o1777)
        assert postgres.embedded_cluster(deep).sockets.parent == place
    finally:
        place.rmdir()


def test_a_socket_folder_in_use_is_found_again_but_not_one_of_somebody_else(deep: Path):
    sockets = postgres.embedded_cluster(deep).sockets
    make_private_folder(sockets)
    try:
        write_private(deep / "socket_folder", str(sockets))
        assert postgres.embedded_cluster(deep).sockets == sockets
        sockets.chmod(0o777)
        assert postgres.embedded_cluster(deep).sockets != sockets
    finally:
        sockets.rmdir()
