"""Expected failures in whole sentences: what went wrong, and what to do."""

from __future__ import annotations

import errno

from compat_base.postgres.faults import DISK_FULL, PgFault, Unavailable
from compat_base.values.errors import OperatorError
from compat_base.values.settings import SettingsError

EXPECTED = (OperatorError, PgFault, Unavailable, SettingsError, OSError)

_MISPLACED = {errno.EISDIR, errno.ENOTDIR, errno.EEXIST}  # a folder for a file, or the reverse


def explain(error: BaseException) -> tuple[str, ...]:
    """The cause and the remedy, in whole sentences."""
    if isinstance(error, SettingsError):
        return error.problems
    if isinstance(error, Unavailable):
        return (f"the database cannot be reached ({error}): check DATABASE_URL and the server",)
    if isinstance(error, PgFault) and error.fault.sqlstate == DISK_FULL:
        return (f"the database's disk is full ({error.fault.message}): make room, start again",)
    if isinstance(error, PgFault):
        return (f"the database refused: {error.fault.message}",)
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return (f"the disk is full ({error.filename or 'DATA_DIR'}): make room and start again",)
    if isinstance(error, OSError) and error.errno in _MISPLACED and error.filename is not None:
        remedy = "move it away and restore what belongs there, or set DATA_DIR to your folder"
        return (f"{error.filename} cannot be used ({error.strerror}): {remedy}",)
    if isinstance(error, OSError) and error.filename is not None:
        return (f"{error.filename} cannot be used ({error.strerror}): set DATA_DIR to your folder",)
    return (str(error),)


def sentence_of(error: BaseException) -> str | None:
    """An expected failure as one line; None for any other."""
    return " ".join(explain(error)) if isinstance(error, EXPECTED) else None
