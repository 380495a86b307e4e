"""Values of settings by their keys, and what is wrong with one.

Keys are written with dashes in files (`db-uri`), as `PGRST_DB_URI` in the environment and with
underscores in the database (`pgrst.db_uri`). A database's value beats the environment's, which
beats the file's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn, TypeAlias

from compat_base.values.settings import SettingsError

ENVIRONMENT_PREFIX = "PGRST_"
APP_PREFIX = "app.settings."

Options: TypeAlias = Mapping[str, str]
"""Values by keys with dashes."""


def merged(environment: Mapping[str, str], file: Options, database: Mapping[str, str]) -> Options:
    """The environment's variables over a file's keys, under the database's."""
    options = dict(file)
    app = f"{ENVIRONMENT_PREFIX}APP_SETTINGS_"
    for name, value in environment.items():
        if name.startswith(app):
            options[APP_PREFIX + name.removeprefix(app)] = value
        elif name.startswith(ENVIRONMENT_PREFIX):
            key = name.removeprefix(ENVIRONMENT_PREFIX).lower().replace("_", "-")
            options[key] = value
    options.update(dashed(database))
    return options


def dashed(database: Mapping[str, str]) -> Options:
    """The database's values by keys as files write them."""
    return {name.replace("_", "-"): value for name, value in database.items()}


def text_of(options: Options, *keys: str) -> str | None:
    """The first of the keys that has a value."""
    return next((options[key] for key in keys if options.get(key)), None)


def read_file(path: str) -> bytes:
    """The file that `@path` names."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        refuse(f"{path}: {error.strerror}")


def refuse(problem: str) -> NoReturn:
    """Raise SettingsError with the sentence that the original shows."""
    raise SettingsError((problem,))
