"""Restore a backup into an empty data folder and database, or in place of existing ones.

The database is restored in one transaction (`restore_database`), the data folder in steps that can
each be undone (`restore_folder`). The marker in the folder names the transaction, so that after a
failure a server's database shows whether the folder's old or its new contents go with it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from compat_stack.archive.format import DATABASE, ROLES, Archive
from compat_stack.archive.programs import Programs
from compat_stack.archive.restore_database import is_committed, restore_database
from compat_stack.archive.restore_folder import (
    KEPT,
    WORK,
    Restoring,
    move_aside,
    record_transaction,
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
    ended = recover(settings, partial(_is_committed, target))
    if ended is not None and ended.digest == archive.digest:
        aside = settings.data_dir / ended.aside
        return aside if aside.exists() else None
    refuse_full(settings, replace=replace)
    aside = move_aside(settings.data_dir)
    try:
        _restore_all(target, archive, replace=replace)
    except BaseException as error:
        ended = recover(settings, partial(_is_committed, target))
        if ended is None or not isinstance(error, Exception):
            raise
        return aside
    write_mark(settings.data_dir, None)
    return aside


def _is_committed(target: Target, restoring: Restoring) -> bool:
    """Whether a server's database is the backup's; an embedded one is moved with its folder."""
    if target.settings.database_url is None:
        return False
    programs = Programs(target.folder, target.settings.database_url)
    return is_committed(programs, restoring.server, restoring.transaction)


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
        restore_database(
            programs, archive, draft, replace=replace,
            begun=partial(record_transaction, data_dir, digest=archive.digest),
        )  # fmt: skip
    shutil.rmtree(draft)
