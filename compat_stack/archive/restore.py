"""Put a backup back: into an empty data folder and an empty database, or in place of what is there.

The database comes back in one transaction. A data folder that is half restored has a mark in it,
with which nothing else works on it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from compat_stack.archive.backup import Progress, server_of
from compat_stack.archive.format import (
    DATABASE,
    FILES,
    FOLDERS,
    ROLES,
    Archive,
    BackupError,
)
from compat_stack.archive.programs import Programs, copied
from compat_stack.data_folder.private import sync_folder, write_private
from compat_stack.data_folder.restore_mark import MARK
from compat_stack.embedded import postgres
from compat_stack.embedded.contributed import SCHEMAS, contributed_script, recording
from compat_stack.settings import SQL_FOLDER, Settings

_KEPT = (*FILES, *(folder for folder, _ in FOLDERS))
_WORK = "restoring-work"
_VAULT = "supabase_vault"
_OPTIONAL_EXTENSIONS = ("pgcrypto", "uuid-ossp", _VAULT)
_HOME = "extensions"  # the schema for extensions that have none of their own

# What is not of the system and of no extension; public itself is in every new database.
_CONTENTS = """
select count(*)
from pg_catalog.pg_class as c
join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
where n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
  and not exists (
    select from pg_catalog.pg_depend as d
    where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
  )
"""
_CLEAR = """
do $clear$
declare
  found record;
begin
  for found in select evtname as name from pg_catalog.pg_event_trigger loop
    execute format('drop event trigger %I', found.name);
  end loop;
  for found in select pubname as name from pg_catalog.pg_publication loop
    execute format('drop publication %I', found.name);
  end loop;
  for found in
    select nspname as name from pg_catalog.pg_namespace
    where nspname <> 'information_schema' and nspname !~ '^pg_'
  loop
    execute format('drop schema %I cascade', found.name);
  end loop;
  create schema public;
  grant usage on schema public to public;
  alter schema public owner to pg_database_owner;
end
$clear$;
"""
_TARGET_OWNER = """
select (select rolsuper from pg_catalog.pg_roles where rolname = current_user)::text || ' '
  || coalesce((
    select case when pg_has_role(current_user, oid, 'usage') then 'usable' else 'foreign' end
    from pg_catalog.pg_roles where rolname = {owner}
  ), 'absent')
"""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a backup goes to; `database` opens it, and makes an embedded one that is new."""

    settings: Settings
    folder: Path
    database: Callable[[Settings], AbstractContextManager[str]]


def restore(target: Target, archive: Archive, *, replace: bool) -> Path | None:
    """Put the backup back; gives where the data folder's earlier contents are, if there were any.

    Raises BackupError, OSError; then what was there before is there again.
    """
    settings = target.settings
    _stop_left(settings)
    _recover(settings)
    _refuse_full(settings, replace=replace)
    aside = _move_aside(settings.data_dir)
    try:
        _restore_all(target, archive, replace=replace)
    except BaseException:
        _recover(settings)
        raise
    _write_mark(settings.data_dir, None)
    return aside


def _restore_all(target: Target, archive: Archive, *, replace: bool) -> None:
    data_dir = target.settings.data_dir
    names = [name for name in archive.names if name.partition("/")[0] in _KEPT]
    archive.extract(data_dir, names)
    draft = data_dir / _WORK
    draft.mkdir(mode=0o700)
    archive.extract(draft, (DATABASE, ROLES))
    with target.database(target.settings) as url:
        programs = Programs(target.folder, url)
        programs.check()
        _restore_database(programs, archive, draft, replace=replace)
    shutil.rmtree(draft)


def _restore_database(programs: Programs, archive: Archive, draft: Path, *, replace: bool) -> None:
    major, user, _ = server_of(programs)
    _refuse_versions(programs.major(), major, archive)
    if not replace and programs.ask(_CONTENTS) != ["0"]:
        raise BackupError(
            "the database of DATABASE_URL is not empty: name a new one, or add --replace"
        )
    before, after, is_superuser = _owner(programs, archive.header.owner, user)
    lacking = _lacking(programs, draft / DATABASE)
    listing = _listing(programs, draft / DATABASE, lacking, is_superuser=is_superuser)
    (draft / "contents").write_text(listing, encoding="utf-8")
    with programs.running("psql", "-X", "-q", "-o", os.devnull, "-v", "ON_ERROR_STOP=1") as psql:
        psql.write("set client_min_messages to warning;\nbegin;\n")
        psql.write(_CLEAR if replace else "")
        psql.write((draft / ROLES).read_bytes())
        psql.write((SQL_FOLDER / "platform" / "0001_roles.sql").read_bytes())
        psql.write(before)
        psql.write(_objects(lacking))
        with programs.running(
            "pg_restore", "--file=-", "--use-list", str(draft / "contents"), str(draft / DATABASE),
            connects=False,
        ) as script:  # fmt: skip
            script.end_input()
            progress = Progress("of the database restored").bytes
            for piece in copied(script.pieces(), progress):
                psql.write(piece)
        # Only now: a script that was cut off is rolled back.
        recorded = "".join(f"{recording(name)};\n" for name in lacking.ours)
        psql.write(f"reset all;\n{recorded}{after}commit;\nanalyze;\n")
        psql.end_input()


def _refuse_versions(programs: int, server: int, archive: Archive) -> None:
    header = archive.header
    if server < header.major:
        raise BackupError(
            f"the backup is of PostgreSQL {header.major}, and this server is {server}: restore it"
            f" into version {header.major} or newer"
        )
    if programs < header.dump_major or programs > server:
        least = f"{header.dump_major} to {server}" if header.dump_major < server else f"{server}"
        raise BackupError(
            f"pg_restore {programs} cannot bring this backup into a server of version {server}:"
            f" set PG_BIN to the programs of PostgreSQL {least}"
        )


def _owner(programs: Programs, owner: str, user: str) -> tuple[str, str, bool]:
    """Statements before and after, by which what `owner` had becomes the user's."""
    name, literal = f'"{owner.replace(chr(34), chr(34) * 2)}"', "'" + owner.replace("'", "''") + "'"
    [line] = programs.ask(_TARGET_OWNER.format(owner=literal))
    is_superuser, state = line.split(" ")[0] == "true", line.split(" ")[1]
    if owner == user or state == "usable":
        return "", "", is_superuser
    if state == "foreign":
        raise BackupError(
            f"the backup's objects belong to the role {owner}, which {user} may not act for:"
            f" grant {name} to {user}, or connect as {owner}"
        )
    attributes = "superuser nologin" if is_superuser else "nologin"
    grants = (SQL_FOLDER / "platform" / "0003_public_grants.sql").read_text(encoding="utf-8")
    before = f"create role {name} {attributes};\ngrant {name} to current_user;\n"
    after = (
        f"reassign owned by {name} to current_user;\ndrop owned by {name};\n"
        f"drop role {name};\n{grants}\n"
    )
    return before, after, is_superuser


@dataclass(frozen=True, slots=True)
class Lacking:
    """The extensions of a backup that a server lacks: those of ours, and those left out."""

    ours: tuple[str, ...]
    left_out: tuple[str, ...]


def _listing(programs: Programs, dump: Path, lacking: Lacking, *, is_superuser: bool) -> str:
    """The dump's table of contents without what this server or this user cannot make."""
    left_out = ["COMMENT - EXTENSION "]
    left_out += [f"EXTENSION - {name} " for name in (*lacking.ours, *lacking.left_out)]
    if lacking.ours:
        left_out += [f"SCHEMA - {schema} " for schema in SCHEMAS]
    if _VAULT in lacking.left_out:
        left_out.append("TABLE DATA vault secrets ")
    if not is_superuser:  # as a migration does then
        left_out += ["EVENT TRIGGER ", "COMMENT - EVENT TRIGGER "]
    lines = _contents_of(programs, dump)
    kept = (line for line in lines if not _entry(line).startswith(tuple(left_out)))
    return "\n".join(kept) + "\n"


def _contents_of(programs: Programs, dump: Path) -> list[str]:
    with programs.running("pg_restore", "--list", str(dump), connects=False) as process:
        return process.lines()


def _entry(line: str) -> str:
    """What a line of the contents is of: its kind, schema and name; a name may hold anything."""
    return re.sub(r"^\d+; \d+ \d+ ", "", line)


def _lacking(programs: Programs, dump: Path) -> Lacking:
    """What the server lacks; BackupError for an extension that nobody can do without.

    The platform's own are wanted where they can be had only; of ours there is SQL.
    """
    entries = map(_entry, _contents_of(programs, dump))
    named = [found[1] for entry in entries if (found := re.match(r"EXTENSION - (\S+) ", entry))]
    there = programs.ask("select name from pg_catalog.pg_available_extensions")
    missing = sorted(set(named) - set(there))
    ours = tuple(name for name in missing if contributed_script(name, _HOME) is not None)
    left_out = tuple(name for name in missing if name not in ours or name in _OPTIONAL_EXTENSIONS)
    for name in left_out:
        if name not in _OPTIONAL_EXTENSIONS:
            raise BackupError(
                f"the backup needs the extension {name}, which this server does not have: install"
                " it there first"
            )
        print(f"  the extension {name} is left out: this server does not have it", flush=True)
    return Lacking(tuple(name for name in ours if name not in left_out), left_out)


def _objects(lacking: Lacking) -> str:
    """The statements that make the objects of ours, before what may need them."""
    if not lacking.ours:
        return ""
    made = "".join(f"create schema if not exists {schema};\n" for schema in SCHEMAS)
    scripts = (contributed_script(name, _HOME) or "" for name in lacking.ours)
    return f"{made}alter schema {_HOME} owner to postgres;\n" + "\n".join(scripts)


# ── the data folder ────────────────────────────────────────────────────────────────────────────


def _refuse_full(settings: Settings, *, replace: bool) -> None:
    found = _contents(settings.data_dir)
    if found and not replace:
        raise BackupError(
            f"{settings.data_dir} is not empty ({found[0].name}): set DATA_DIR to a new folder, or"
            " add --replace"
        )


def _contents(data_dir: Path) -> list[Path]:
    names = (*_KEPT, "postgres")
    return [data_dir / name for name in names if (data_dir / name).exists()]


def _move_aside(data_dir: Path) -> Path | None:
    """Put what is there into a folder of its own; the mark says at each moment how to undo it."""
    found = _contents(data_dir)
    aside = data_dir / f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    if found:
        aside.mkdir(mode=0o700)
    _write_mark(data_dir, f"moving {aside.name}")
    for path in found:
        path.rename(aside / path.name)
    _write_mark(data_dir, f"restoring {aside.name}")
    return aside if found else None


def _recover(settings: Settings) -> None:
    """Undo a restore that was cut off or failed: what was there before it is there again."""
    data_dir = settings.data_dir
    if not (data_dir / MARK).exists():
        return
    stage, _, name = (data_dir / MARK).read_text(encoding="utf-8").partition(" ")
    if stage == "restoring":
        _stop_left(settings)
        _remove([*_contents(data_dir), data_dir / _WORK])
        _write_mark(data_dir, f"moving {name}")
    aside = data_dir / name
    for path in list(aside.iterdir()) if aside.is_dir() else []:
        path.rename(data_dir / path.name)
    with suppress(FileNotFoundError):
        aside.rmdir()
    _write_mark(data_dir, None)


def _stop_left(settings: Settings) -> None:
    """Stop the embedded server that a killed process left running in this folder."""
    if settings.database_url is None:
        postgres.stop(postgres.embedded_cluster(settings.data_dir / "postgres", settings.programs))


def _write_mark(data_dir: Path, text: str | None) -> None:
    if text is None:
        (data_dir / MARK).unlink(missing_ok=True)
    else:
        write_private(data_dir / MARK, text)
    sync_folder(data_dir)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
