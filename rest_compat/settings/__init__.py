"""The settings of the original, read from any mapping (rest reference 17).

In import order:

- `options`: the values by key, under their aliases; what is wrong with one
- `kinds`: what a setting takes: parsed from text, and written as a line of a configuration file
- `secret`: the keys of tokens
- `table`: one row a setting
"""

from rest_compat.settings.options import APP_PREFIX, ENVIRONMENT_PREFIX
from rest_compat.settings.table import (
    VERSION,
    LogLevel,
    OpenApiMode,
    Setting,
    Settings,
    database_keys,
    fixed_at_start,
    read_settings,
    rows_of,
    with_database,
)

__all__ = [
    "APP_PREFIX",
    "ENVIRONMENT_PREFIX",
    "VERSION",
    "LogLevel",
    "OpenApiMode",
    "Setting",
    "Settings",
    "database_keys",
    "fixed_at_start",
    "read_settings",
    "rows_of",
    "with_database",
]
