"""Our SQL for extensions, as plain scripts for servers that cannot have them as extensions."""

from __future__ import annotations

import re

from compat_base.values.sqltext import compile_sql, ident, literal, raw
from compat_stack.embedded.extension_paths import CONTRIB

SCHEMAS = ("extensions", "graphql_public", "net", "cron")
"""The schemas that the platform makes, or an extension itself, and that these scripts expect."""
RECORD = "create table if not exists compat.extensions (name text primary key)"
"""Creates the table that records which of them a database has as plain objects."""

_FOLDER = CONTRIB / "extension"
# What only `create extension` understands.
_DUMPED = re.compile(r"^select pg_catalog\.pg_extension_config_dump\(.*$", re.MULTILINE)
_SCHEMA = re.compile(r"@extschema(?::[\w-]+)?@")
_HOME = re.compile(r"^schema = '(\w+)'$", re.MULTILINE)
# As in `create extension`, which ends what a script sets.
_KEEP_PATH = """select pg_catalog.set_config(
  'compat.search_path', pg_catalog.current_setting('search_path'), true
);
set local search_path to pg_catalog, pg_temp"""
_GIVE_PATH_BACK = """select pg_catalog.set_config(
  'search_path', pg_catalog.current_setting('compat.search_path'), true
)"""
_NEEDS_KEY = "supabase_vault"  # its key lies beside an embedded cluster


def contributed_script(name: str, schema: str) -> str | None:
    """The script that creates an extension's objects in a schema; None without one."""
    found = sorted(_FOLDER.glob(f"{name}--*.sql")) if re.fullmatch(r"[\w-]+", name) else []
    if not found or name == _NEEDS_KEY:
        return None
    found.sort(key=lambda file: file.stem.count("--"))  # the whole one, then its updates
    text = _DUMPED.sub("", "\n".join(file.read_text(encoding="utf-8") for file in found))
    quoted = compile_sql(ident(own_schema(name) or schema)).text
    script = f"{_KEEP_PATH};\n{_SCHEMA.sub(quoted, text)}\n;{_GIVE_PATH_BACK};\n"
    return f"create schema if not exists {quoted};\n{script}"


def own_schema(name: str) -> str | None:
    """The fixed schema of an extension of ours; None where the caller chooses it."""
    found = _HOME.search((_FOLDER / f"{name}.control").read_text(encoding="utf-8"))
    return found[1] if found else None


def recording(name: str) -> str:
    """The statement that records that a database has an extension as plain objects."""
    insert = raw("insert into compat.extensions (name) values (") + literal(name)
    return compile_sql(insert + raw(") on conflict do nothing")).text
