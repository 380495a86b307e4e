"""Files of variables: which says what, and which counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotrue_compat.app.variables import read_variables


def test_a_named_file_overrides_the_environment_and_a_folder_both(tmp_path: Path):
    file, folder = tmp_path / "base", tmp_path / "more"
    file.write_text("A=file\nB=file\nC=file\n")
    folder.mkdir()
    (folder / "20.env").write_text("C=last\n")
    (folder / "10.env").write_text("B=folder\nC=first\n")
    (folder / "30.txt").write_text("A=not read\n")
    found = read_variables({"A": "set", "D": "set"}, str(file), str(folder))
    assert found == {"A": "file", "B": "folder", "C": "last", "D": "set"}


def test_the_usual_file_fills_in_what_is_unset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert read_variables({"A": "set"}, None, None) == {"A": "set"}
    (tmp_path / ".env").write_text("A=file\nB=file\n")
    assert read_variables({"A": "set"}, None, None) == {"A": "set", "B": "file"}


@pytest.mark.parametrize(("file", "folder"), [("missing", None), (None, "missing")])
def test_what_is_named_must_be_there(tmp_path: Path, file: str | None, folder: str | None):
    named = [name and str(tmp_path / name) for name in (file, folder)]
    with pytest.raises(FileNotFoundError):
        read_variables({}, *named)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"), ("export A = b ", "b"), ("A='b # c' # d", "b # c"), ('A="b"', "b"),
        ("A=b # c", "b"), ("A=b#c", "b#c"), ("A=", ""), ("A='b", "'b"), ("# A=b", None), ("A", None),
    ],
)  # fmt: skip
def test_a_line_is_a_pair(tmp_path: Path, line: str, value: str | None):
    (tmp_path / "file").write_text(line)
    found = read_variables({}, str(tmp_path / "file"), None)
    assert found == ({} if value is None else {"A": value})
