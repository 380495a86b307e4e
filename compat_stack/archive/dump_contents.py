"""A dump's table of contents (`pg_restore --list`), and the extensions that a server lacks."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from compat_stack.archive.format import BackupError
from compat_stack.embedded.contributed import SCHEMAS, contributed_script, own_schema

_VAULT = "supabase_vault"
_OPTIONAL_EXTENSIONS = ("pgcrypto", "uuid-ossp", _VAULT)
_HOME = "extensions"  # the schema for extensions that have none of their own


@dataclass(frozen=True, slots=True)
class MissingExtensions:
    """Extensions of a backup that this server lacks: those with scripts of ours, and the others."""

    ours: tuple[str, ...]
    left_out: tuple[str, ...]


def contents_kept(lines: Sequence[str], lacking: MissingExtensions, *, is_superuser: bool) -> str:
    """Filter a table of contents: without entries that this server or this user cannot restore."""
    left_out = ["COMMENT - EXTENSION "]
    left_out += [f"EXTENSION - {name} " for name in (*lacking.ours, *lacking.left_out)]
    if lacking.ours:
        homes = (own_schema(name) for name in lacking.ours)
        left_out += [f"SCHEMA - {schema} " for schema in (*SCHEMAS, *homes)]
    if _VAULT in lacking.left_out:
        left_out.append("TABLE DATA vault secrets ")
    if not is_superuser:  # as a migration does then
        left_out += ["EVENT TRIGGER ", "COMMENT - EVENT TRIGGER "]
    kept = (line for line in lines if not _entry(line).startswith(tuple(left_out)))
    return "\n".join(kept) + "\n"


def _entry(line: str) -> str:
    """Parse an entry: its kind, schema and name; a name may hold any character."""
    return re.sub(r"^\d+; \d+ \d+ ", "", line)


def lacking_extensions(lines: Sequence[str], available: Collection[str]) -> MissingExtensions:
    """The extensions of a dump that a server with these extensions lacks.

    Raises BackupError for one that cannot be left out. The platform's own are needed only where the
    server offers them; for ours there are scripts.
    """
    entries = map(_entry, lines)
    named = [found[1] for entry in entries if (found := re.match(r"EXTENSION - (\S+) ", entry))]
    missing = sorted(set(named) - set(available))
    ours = tuple(name for name in missing if contributed_script(name, _HOME) is not None)
    left_out = tuple(name for name in missing if name not in ours or name in _OPTIONAL_EXTENSIONS)
    for name in left_out:
        if name not in _OPTIONAL_EXTENSIONS:
            raise BackupError(
                f"the backup needs the extension {name}, which this server does not have: install"
                " it there first"
            )
    return MissingExtensions(tuple(name for name in ours if name not in left_out), left_out)


def made_objects(lacking: MissingExtensions) -> str:
    """Statements that create the objects of extensions of ours, before entries that need them."""
    if not lacking.ours:
        return ""
    made = "".join(f"create schema if not exists {schema};\n" for schema in SCHEMAS)
    scripts = (contributed_script(name, _HOME) or "" for name in lacking.ours)
    return f"{made}alter schema {_HOME} owner to postgres;\n" + "\n".join(scripts)
