"""Where the sets of migrations lie: inside the installed package, beside it in a checkout."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def _sql_folder() -> Path:
    package = Path(str(files("compat_base")))
    installed = package / "sql"
    return installed if installed.is_dir() else package.parent / "sql"


SQL_FOLDER = _sql_folder()
"""The folder of `platform`, `auth`, `realtime`, `planner` and `contrib`."""
