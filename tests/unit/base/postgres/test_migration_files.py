"""A folder of migrations, read without a database."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_base.postgres.migration_files import Migration, MigrationError, read_folder
from compat_base.postgres.sqlfiles import SQL_FOLDER


def test_files_are_read_in_the_order_of_their_versions_and_others_are_ignored(tmp_path: Path):
    for name in ("0002_b.sql", "0001_a.sql", "notes.md", "seed.sql"):
        (tmp_path / name).write_text(f"-- {name}")
    assert read_folder(tmp_path) == (
        Migration("0001", "a", "-- 0001_a.sql"),
        Migration("0002", "b", "-- 0002_b.sql"),
    )


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path):
    (tmp_path / "1_a.sql").write_bytes(b"\xef\xbb\xbfselect 1")
    assert read_folder(tmp_path)[0].text == "select 1"


@pytest.mark.parametrize(
    ("content", "problem"), [(b"\xff", "is not UTF-8"), (b"select\0", "has a NUL byte")]
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes, problem: str):
    (tmp_path / "1_a.sql").write_bytes(content)
    with pytest.raises(MigrationError, match=problem):
        read_folder(tmp_path)


def test_two_files_of_one_version_are_refused(tmp_path: Path):
    for name in ("1_a.sql", "1_b.sql"):
        (tmp_path / name).touch()
    with pytest.raises(MigrationError, match=r"two migrations in .* have the version 1"):
        read_folder(tmp_path)


@pytest.mark.parametrize(
    ("name", "what"), [("nowhere", "does not exist"), ("file", "is no folder")]
)
def test_a_missing_folder_is_refused_with_the_remedy(tmp_path: Path, name: str, what: str):
    (tmp_path / "file").touch()
    with pytest.raises(MigrationError, match=f"{name} {what}: set MIGRATIONS_DIR"):
        read_folder(tmp_path / name)


@pytest.mark.parametrize("name", ["platform", "auth", "realtime", "planner"])
def test_the_sets_of_the_package_are_found(name: str):
    assert read_folder(SQL_FOLDER / name)


def test_files_are_taken_in_the_order_of_their_names_as_the_cli_takes_them(tmp_path: Path):
    for name in ("20240101_day.sql", "20240101000000_second.sql", "2_.sql"):
        (tmp_path / name).touch()
    versions = [migration.version for migration in read_folder(tmp_path)]
    assert versions == ["20240101000000", "20240101", "2"]


def test_what_is_no_migration_is_said(tmp_path: Path):
    for name in ("20200101000000_init.sql", "20240101000000_a.sql", "README.md", "a.gitkeep"):
        (tmp_path / name).touch()
    (tmp_path / "archive").mkdir()
    skipped: list[str] = []
    found = read_folder(tmp_path, skipped=skipped.append)
    assert [migration.name for migration in found] == ["a"]
    assert [line.partition(":")[0] for line in skipped] == [
        "skipping 20200101000000_init.sql",
        "skipping README.md",
        "skipping a.gitkeep",
    ]
