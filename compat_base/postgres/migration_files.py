"""The migrations of a folder: which files are migrations, their order and text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from compat_base.values.errors import OperatorError

_FILE_NAME = re.compile(r"([0-9]+)_(.*)\.sql")
_FIRST_SCHEMA = re.compile(r"([0-9]{14})_init\.sql")
_FIRST_SCHEMAS_END = "20211209000000"  # before it, the CLI itself wrote the first file


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: `0007_policies.sql` has version `0007` and name `policies`."""

    version: str
    name: str
    text: str


class MigrationError(OperatorError):
    """A migration that cannot be applied: one sentence that names the file and the reason."""


def read_folder(
    folder: Path,
    *,
    skipped: Callable[[str], None] = lambda _sentence: None,
    replaced: Callable[[str], None] | None = None,
) -> tuple[Migration, ...]:
    """The migrations of a folder in the order of their file names, as the Supabase CLI takes them.

    `skipped` is called with a sentence for each other file, `replaced` as by `read_sql`. Raises
    MigrationError where the folder is missing, a file is no text or two files share a version.
    """
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        message = f"the migrations folder {folder} {what}: set MIGRATIONS_DIR to your folder"
        raise MigrationError(message)
    found: dict[str, Migration] = {}
    files = sorted(path for path in folder.iterdir() if not path.is_dir())
    for number, path in enumerate(files):
        match = _FILE_NAME.fullmatch(path.name)
        if match is None or (number == 0 and _is_first_schema(path.name)):
            if not path.name.startswith("."):
                why = (
                    "its name is not <timestamp>_name.sql" if match is None else "an old first one"
                )
                skipped(f"skipping {path.name}: {why}")
            continue
        version, name = match.groups()
        if version in found:
            other = f"{version}_{found[version].name}.sql"
            names = f"{other} and {path.name}"
            message = f"two migrations in {folder} have the version {version}: {names}"
            raise MigrationError(message)
        found[version] = Migration(version, name, read_sql(path, replaced=replaced))
    return tuple(found.values())


def _is_first_schema(name: str) -> bool:
    """Whether a file is a schema that earlier CLIs wrote and later ones skip."""
    match = _FIRST_SCHEMA.fullmatch(name)
    return match is not None and match[1] < _FIRST_SCHEMAS_END


def read_sql(
    path: Path, what: str = "migration", *, replaced: Callable[[str], None] | None = None
) -> str:
    """The text of a file of SQL. Raises MigrationError.

    Bytes that are not UTF-8 are read as U+FFFD, as the Supabase CLI reads them, and `replaced` is
    called with a sentence; without it such a file is refused.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MigrationError(f"the {what} {path} cannot be read ({error.strerror})") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 (at byte {error.start})"
        if replaced is None or b"\0" in content:  # UTF-16 has them
            raise MigrationError(f"the {what} {path} {problem}: save it as UTF-8") from error
        replaced(f"the {what} {path.name} {problem}: what is not is read as U+FFFD")
        text = content.decode("utf-8-sig", "replace")
    if "\0" in text:
        raise MigrationError(f"the {what} {path} is damaged, it has a NUL byte: restore it")
    return text
