"""Several files of the data folder replaced as one: after a crash all are old, or all new."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from compat_stack.data_folder.private import ForeignFolderError, sync_folder, write_new

_DRAFT, _READY = "rotation.draft", "rotation"


def replace_all(
    folder: Path, files: Mapping[str, str], step: Callable[[], None] = lambda: None
) -> None:
    """Replace files, mode 0600; `step` is called between any two changes on the disk."""
    draft = folder / _DRAFT
    finish_replacing(folder)
    if draft.exists():
        shutil.rmtree(draft)
    draft.mkdir(mode=0o700)
    for name, text in files.items():
        step()
        write_new(draft / name, text.encode())
    sync_folder(draft)
    step()
    draft.rename(folder / _READY)  # from here on they are new, whatever happens
    sync_folder(folder)
    step()
    finish_replacing(folder, step)


def finish_replacing(folder: Path, step: Callable[[], None] = lambda: None) -> None:
    """Complete a replacement that a killed process had begun.

    Raises ForeignFolderError where a link leads to files that no replacement wrote.
    """
    ready = folder / _READY
    if not ready.exists():
        return
    if ready.is_symlink():
        raise ForeignFolderError(f"{ready} is a link: remove it")
    for path in sorted(ready.iterdir()):
        path.rename(folder / path.name)
        step()
    sync_folder(folder)
    ready.rmdir()
    step()
