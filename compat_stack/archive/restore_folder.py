"""The data folder before and after a restore: its contents moved aside, and back on failure.

Where a server's database was restored by the time of the failure, the folder's new contents stay.

A marker file in a half-restored folder keeps every other command from using it.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from compat_stack.archive.format import FILES, FOLDERS, BackupError
from compat_stack.data_folder.private import sync_folder, write_private
from compat_stack.data_folder.restore_mark import MARK
from compat_stack.embedded import postgres
from compat_stack.settings import Settings

KEPT = (*FILES, *(folder for folder, _ in FOLDERS))
WORK = "restoring-work"
_MARK = re.compile(
    r"(moving|restoring) (replaced-\d{8}T\d{12})(?: (\d+) (\d+) ([0-9a-f]{64}))?", re.ASCII
)
_REMOVING_SECONDS = 30.0
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Restoring:
    """What the marker of a restore holds: its stage, and the folder with the earlier contents.

    In a server's database also the identifier of that server, the transaction of the restore, and
    the digest of the backup.
    """

    stage: str
    aside: str
    server: str = ""
    transaction: str = ""
    digest: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, astuple(self)))


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
    write_mark(data_dir, Restoring("moving", aside.name))
    for path in found:
        path.rename(aside / path.name)
    write_mark(data_dir, Restoring("restoring", aside.name))
    return aside if found else None


def record_transaction(data_dir: Path, server: str, transaction: str, digest: str) -> None:
    """Add to the marker by which transaction a server's database is restored."""
    found = _read_mark(data_dir)
    write_mark(data_dir, replace(found, server=server, transaction=transaction, digest=digest))


def recover(settings: Settings, is_committed: Callable[[Restoring], bool]) -> Restoring | None:
    """Undo a restore that was cut off or failed, or end one that its database has committed.

    Gives the one that it has ended. Raises what `is_committed` does, and leaves all as it is then.
    """
    data_dir = settings.data_dir
    if not (data_dir / MARK).exists():
        return None
    found = _read_mark(data_dir)
    if found.transaction and is_committed(found):
        _remove([data_dir / WORK])
        write_mark(data_dir, None)
        return found
    if found.stage == "restoring":
        stop_left(settings)
        _remove([*_contents(data_dir), data_dir / WORK])
        write_mark(data_dir, Restoring("moving", found.aside))
    aside = data_dir / found.aside
    for path in list(aside.iterdir()) if aside.is_dir() else []:
        path.rename(data_dir / path.name)
    with suppress(FileNotFoundError):
        aside.rmdir()
    write_mark(data_dir, None)
    return None


def _read_mark(data_dir: Path) -> Restoring:
    found = _MARK.fullmatch((data_dir / MARK).read_text(encoding="ascii", errors="replace"))
    if found is None:
        raise BackupError(
            f"{data_dir / MARK} is damaged: move what a folder {data_dir / 'replaced-…'} of that"
            " restore has back into its place, remove the file, and run `restore` again"
        )
    return Restoring(*found.groups(""))


def stop_left(settings: Settings) -> None:
    """Stop the embedded server that a killed process left running in this folder."""
    if settings.database_url is None:
        postgres.stop(postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs))


def write_mark(data_dir: Path, restoring: Restoring | None) -> None:
    """Write the marker with the restore's progress; None removes it."""
    if restoring is None:
        (data_dir / MARK).unlink(missing_ok=True)
    else:
        write_private(data_dir / MARK, str(restoring))
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
