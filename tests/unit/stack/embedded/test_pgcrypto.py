"""What is taken of the package that has pgcrypto, and where it comes to lie."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from compat_stack.embedded import pgcrypto
from compat_stack.embedded.extension_paths import extension_settings

WHOLE = {
    "package/native/lib/postgresql/pgcrypto.so": "lib/postgresql/pgcrypto.so",
    "package/native/lib/libcrypto.so.1.1": "lib/libcrypto.so.1.1",
    "package/native/lib/libz.so.1": "lib/libz.so.1",
    "package/native/share/postgresql/extension/pgcrypto.control": "extension/pgcrypto.control",
    "package/native/share/postgresql/extension/pgcrypto--1.3.sql": "extension/pgcrypto--1.3.sql",
}
OTHERS = (
    "package/native/bin/postgres",
    "package/native/lib/postgresql/plperl.so",
    "package/native/share/postgresql/extension/../../pgcrypto.control",
)


def package(folder: Path, *names: str) -> Path:
    path = folder / "package.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 1
            archive.addfile(member, io.BytesIO(b"x"))
    return path


def test_pgcrypto_its_libraries_and_its_sql_are_taken_and_nothing_else(tmp_path: Path) -> None:
    pgcrypto.unpack(package(tmp_path, *WHOLE, *OTHERS), tmp_path / "made")
    made = [path for path in (tmp_path / "made").rglob("*") if path.is_file()]
    assert {str(path.relative_to(tmp_path / "made")) for path in made} == set(WHOLE.values())
    assert pgcrypto.has_pgcrypto(tmp_path / "made")


@pytest.mark.parametrize("missing", ["lib/postgresql", "lib/lib", "extension"])
def test_a_package_without_a_part_is_refused(tmp_path: Path, missing: str) -> None:
    names = [name for name, place in WHOLE.items() if not place.startswith(missing)]
    with pytest.raises(pgcrypto.PgcryptoError, match="no whole pgcrypto"):
        pgcrypto.unpack(package(tmp_path, *names), tmp_path / "made")


def test_an_extension_that_any_owner_may_create_keeps_the_rest_of_its_control_file(
    tmp_path: Path,
) -> None:
    system = tmp_path / "install" / "share" / "extension"
    system.mkdir(parents=True)
    (system / "plpgsql.control").touch()
    (system / "moddatetime.control").write_text("default_version = '1.0'\nrelocatable = true\n")
    text = extension_settings(tmp_path / "install" / "bin", tmp_path, None)
    written = (tmp_path / "extensions/extension/moddatetime.control").read_text().splitlines()
    assert written == [
        "default_version = '1.0'",
        "relocatable = true",
        "trusted = true",
        f"directory = '{system}'",
    ]
    assert text.startswith(f"extension_control_path = '{tmp_path}/extensions:$system:")


def test_pgtap_comes_from_the_machines_newest_package_of_it(tmp_path: Path) -> None:
    for version in ("15", "17"):
        folder = tmp_path / "machine" / version / "extension"
        folder.mkdir(parents=True)
        (folder / "pgtap.control").write_text("default_version = '1'\nsuperuser = false\n")
    extension_settings(tmp_path / "none/bin", tmp_path, None, machine=tmp_path / "machine")
    written = (tmp_path / "extensions/extension/pgtap.control").read_text().splitlines()
    assert written[1:] == [
        "superuser = false", "trusted = true", f"directory = '{tmp_path}/machine/17/extension'"
    ]  # fmt: skip
    extension_settings(tmp_path / "none/bin", tmp_path, None, machine=tmp_path / "gone")
    assert not (tmp_path / "extensions/extension/pgtap.control").exists()


def test_a_control_file_is_written_again_only_where_it_says_something_else(tmp_path: Path) -> None:
    system = tmp_path / "install" / "share" / "extension"
    system.mkdir(parents=True)
    (system / "plpgsql.control").touch()
    (system / "moddatetime.control").write_text("default_version = '1.0'\n")
    path = tmp_path / "extensions/extension/moddatetime.control"

    def write() -> str:
        extension_settings(tmp_path / "install" / "bin", tmp_path, None)
        return path.read_text()

    text, first = write(), path.stat().st_ino
    assert (write(), path.stat().st_ino) == (text, first)
    path.write_text("default_version = '0.9'\n")
    assert write() == text
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert write() == text
    assert not path.is_symlink()
