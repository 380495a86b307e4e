"""`backup` and `restore` against hostile names in the database and in the file system."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from compat_stack.archive.format import CHECKSUMS, HEADER, BackupError, write_archive
from compat_stack.archive.programs import Programs
from compat_stack.data_folder.private import ForeignFolderError
from compat_stack.embedded import postgres
from tests.harness_stack import run_stack

TABLES = (
    "a COMMENT - EXTENSION b",
    "9; 1 1 EXTENSION - pgcrypto c",
    "3; 1 1 COMMENT - EXTENSION d",
    "\\! touch pwned",
    'x"; drop table public.kept; --',
    "two\n\\! touch pwned\nlines",
    "$role$ :name 'a' \\gexec",
)
ROLE = "x$role$; create table public.pwned (); do $role$ begin"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


MIGRATION = "".join(
    f"create table public.{quoted(name)} (a text);\n"
    f"insert into public.{quoted(name)} values ('kept');\n"
    for name in (*TABLES, "kept")
) + (
    f"create role {quoted(ROLE)} login;\n"
    f"grant select on public.kept to {quoted(ROLE)};\n"
    f"alter role {quoted(ROLE)} set my.setting to '$role$; drop table public.kept; --';\n"
    "select set_config('search_path', 'a;drop/**/table/**/public.kept;--', true);\n"
    f"alter role {quoted(ROLE)} set search_path from current;\n"
    "set local search_path to public;\n"
)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_hostile_names_come_back_as_names(tmp_path: Path):
    migrations, file = tmp_path / "migrations", tmp_path / "a.backup"
    migrations.mkdir()
    (migrations / "20260101000000_names.sql").write_text(MIGRATION)
    old, new = tmp_path / "old", tmp_path / "new"
    assert run_stack(old, "migrate", MIGRATIONS_DIR=str(migrations)).stderr == ""
    assert run_stack(old, "backup", str(file)).returncode == 0
    done = run_stack(new, "restore", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    cluster = postgres.embedded_cluster(new / "postgres")
    postgres.start(cluster)
    try:
        programs = Programs(cluster.programs, cluster.url())
        query = "select json_agg(tablename) from pg_tables where schemaname = 'public'"
        assert sorted(json.loads(programs.query(query)[0])) == sorted((*TABLES, "kept"))
        assert programs.query("select a from public.kept") == ["kept"]
        query = "select json_agg(rolname) from pg_roles where rolname like 'x%'"
        assert json.loads(programs.query(query)[0]) == [ROLE]
        assert not Path("pwned").exists()
    finally:
        postgres.stop(cluster)


@pytest.mark.parametrize(
    "make",
    [
        os.mkfifo,
        lambda path: path.symlink_to(path.parent / "elsewhere"),
        lambda path: path.hardlink_to(path.parent / "readable"),
    ],
    ids=["pipe", "symbolic link", "hard link"],
)
def test_what_somebody_put_in_the_drafts_place_is_not_written_to(
    tmp_path: Path, make: Callable[[Path], None]
):
    (tmp_path / "readable").write_text("")
    make(tmp_path / "a.backup.draft")
    with (
        pytest.raises((BackupError, ForeignFolderError), match=r"a\.backup\.draft"),
        write_archive(tmp_path / "a.backup") as writer,
    ):
        writer.add("keys.env", [b"secret"])
    assert (tmp_path / "readable").read_text() == ""
    assert "a.backup" not in names_in(tmp_path)


def test_what_took_the_name_meanwhile_is_not_replaced(tmp_path: Path):
    file = tmp_path / "a.backup"
    with (  # noqa: PT012 — the name is taken while the archive is written
        pytest.raises(BackupError, match="exists"),
        write_archive(file) as writer,
    ):
        writer.add("keys.env", [b"secret"])
        file.write_text("somebody's")
    assert file.read_text() == "somebody's"
    assert names_in(tmp_path) == ["a.backup"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_not_restored_from(tmp_path: Path, make: Callable[[Path], None]):
    make(tmp_path / "a.backup")
    done = run_stack(tmp_path / "data", "restore", str(tmp_path / "a.backup"))
    assert (
        done.stderr == f"error: {tmp_path / 'a.backup'} is no file: name one that `backup` wrote\n"
    )


@pytest.mark.parametrize("name", ["made_at", "program", "server", "major", "dump_major", "owner"])
def test_a_header_of_other_types_is_one_sentence(tmp_path: Path, name: str):
    header = {
        "made_at": "x", "program": "x", "server": "x", "major": 18, "dump_major": 18,
        "owner": "x", "format": 1, name: [],
    }  # fmt: skip
    with tarfile.open(tmp_path / "a.backup", "w:", format=tarfile.GNU_FORMAT) as tar:
        for member, content in ((HEADER, json.dumps(header)), (CHECKSUMS, "{}")):
            info = tarfile.TarInfo(member)
            info.size = len(content)
            tar.addfile(info, BytesIO(content.encode()))
    done = run_stack(tmp_path / "data", "restore", str(tmp_path / "a.backup"))
    sentence = "is damaged: its header cannot be read"
    assert done.stderr == f"error: {tmp_path / 'a.backup'} {sentence}\n"
