"""Put a backup back: into an empty data folder and an empty database, or in place of what is there.

The database comes back in one transaction (`restore_database`), the data folder in steps of which
each can be undone (`restore_folder`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from compat_stack.archive.format import DATABASE, ROLES, Archive
from compat_stack.archive.programs import Programs
from compat_stack.archive.restore_database import restore_database
from compat_stack.archive.restore_folder import (
    KEPT,
    WORK,
    move_aside,
    recover,
    refuse_full,
    stop_left,
    write_mark,
)
from compat_stack.settings import Settings


@dataclass(frozen=True, slots=True)
class Target:
    """Where a backup goes to; `database` opens it, and makes an embedded one that is new."""

    settings: Settings
    folder: Path
    database: Callable[[Settings], AbstractContextManager[str]]


def restore(target: Target, archive: Archive, *, replace: bool) -> Path | None:
    """Put the backup back; gives where the data folder's earlier contents are, if there were any.

    Raises BackupError, OSError; then what was there before is there again.
    """
    settings = target.settings
    stop_left(settings)
    recover(settings)
    refuse_full(settings, replace=replace)
    aside = move_aside(settings.data_dir)
    try:
        _restore_all(target, archive, replace=replace)
    except BaseException:
        recover(settings)
        raise
    write_mark(settings.data_dir, None)
    return aside


def _restore_all(target: Target, archive: Archive, *, replace: bool) -> None:
    data_dir = target.settings.data_dir
    names = [name for name in archive.names if name.partition("/")[0] in KEPT]
    archive.extract(data_dir, names)
    draft = data_dir / WORK
    draft.mkdir(mode=0o700)
    archive.extract(draft, (DATABASE, ROLES))
    with target.database(target.settings) as url:
        programs = Programs(target.folder, url)
        programs.check()
        restore_database(programs, archive, draft, replace=replace)
    shutil.rmtree(draft)
