"""The data folder before and after a restore: its contents moved aside, and back on failure.

A marker file in a half-restored folder keeps every other command from using it.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from compat_stack.archive.format import FILES, FOLDERS, BackupError
from compat_stack.data_folder.private import sync_folder, write_private
from compat_stack.data_folder.restore_mark import MARK
from compat_stack.embedded import postgres
from compat_stack.settings import Settings

KEPT = (*FILES, *(folder for folder, _ in FOLDERS))
WORK = "restoring-work"
_MARK = re.compile(rb"(moving|restoring) (replaced-\d{8}T\d{12})")
_REMOVING_SECONDS = 30.0
_PAUSE_SECONDS = 0.05


def refuse_full(settings: Settings, *, replace: bool) -> None:
    """Raise BackupError where the folder has what a restore would write, unless it may replace."""
    found = _contents(settings.data_dir)
    if found and not replace:
        raise BackupError(
            f"{settings.data_dir} is not empty ({found[0].name}): set DATA_DIR to a new folder, or"
            " add --replace"
        )


def _contents(data_dir: Path) -> list[Path]:
    names = (*KEPT, "postgres")
    return [data_dir / name for name in names if (data_dir / name).exists()]


def move_aside(data_dir: Path) -> Path | None:
    """Move the contents into a folder of their own; the marker says how to undo each step."""
    found = _contents(data_dir)
    aside = data_dir / f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    if found:
        aside.mkdir(mode=0o700)
    write_mark(data_dir, f"moving {aside.name}")
    for path in found:
        path.rename(aside / path.name)
    write_mark(data_dir, f"restoring {aside.name}")
    return aside if found else None


def recover(settings: Settings) -> None:
    """Undo a restore that was cut off or failed."""
    data_dir = settings.data_dir
    if not (data_dir / MARK).exists():
        return
    stage, name = _read_mark(data_dir)
    if stage == "restoring":
        stop_left(settings)
        _remove([*_contents(data_dir), data_dir / WORK])
        write_mark(data_dir, f"moving {name}")
    aside = data_dir / name
    for path in list(aside.iterdir()) if aside.is_dir() else []:
        path.rename(data_dir / path.name)
    with suppress(FileNotFoundError):
        aside.rmdir()
    write_mark(data_dir, None)


def _read_mark(data_dir: Path) -> tuple[str, str]:
    """The marker's stage, and the folder with the earlier contents."""
    found = _MARK.fullmatch((data_dir / MARK).read_bytes())
    if found is None:
        raise BackupError(
            f"{data_dir / MARK} is damaged: move what a folder {data_dir / 'replaced-…'} of that"
            " restore has back into its place, remove the file, and run `restore` again"
        )
    return found[1].decode(), found[2].decode()


def stop_left(settings: Settings) -> None:
    """Stop the embedded server that a killed process left running in this folder."""
    if settings.database_url is None:
        postgres.stop(postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs))


def write_mark(data_dir: Path, text: str | None) -> None:
    """Write the marker with the restore's progress; None removes it."""
    if text is None:
        (data_dir / MARK).unlink(missing_ok=True)
    else:
        write_private(data_dir / MARK, text)
    sync_folder(data_dir)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir():
            _remove_folder(path)
        else:
            path.unlink(missing_ok=True)


def _remove_folder(path: Path) -> None:
    """Remove a folder to which an initdb whose starter was killed may still write for a moment.

    Raises BackupError where something goes on writing to it.
    """
    ended = time.monotonic() + _REMOVING_SECONDS
    while path.exists():
        try:
            shutil.rmtree(path)
        except OSError as error:
            if time.monotonic() > ended:
                raise BackupError(
                    f"{path} cannot be removed ({error.strerror}): end what writes to it, and run"
                    " `restore` again"
                ) from error
            time.sleep(_PAUSE_SECONDS)
