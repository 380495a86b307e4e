"""The marker of a data folder into which a backup is being restored: nothing else uses it."""

from __future__ import annotations

from pathlib import Path

from compat_base.values.errors import OperatorError

MARK = "restoring"


class HalfRestoredError(OperatorError):
    """A restore into the data folder was cut off."""


def refuse_half_restored(data_dir: Path) -> None:
    """Raise HalfRestoredError where a restore was cut off in this data folder."""
    if (data_dir / MARK).exists():
        raise HalfRestoredError(f"a restore into {data_dir} was cut off: run `restore` again")
