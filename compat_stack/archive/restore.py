"""Restore a backup into an empty data folder and database, or in place of existing ones.

The database is restored in one transaction (`restore_database`), the data folder in steps that can
each be undone (`restore_folder`).
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
    """Where a backup is restored; `database` opens it, and makes a new embedded one."""

    settings: Settings
    folder: Path
    database: Callable[[Settings], AbstractContextManager[str]]


def restore(target: Target, archive: Archive, *, replace: bool) -> Path | None:
    """Restore the backup; gives the folder with the earlier contents, if there were any.

    Raises BackupError, OSError; the earlier contents are then back in place.
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
