"""A backup's database into an empty one, or in place of what is there, in one transaction."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from compat_stack.archive.backup import Progress, server_of
from compat_stack.archive.dump_contents import contents_kept, lacking_extensions, made_objects
from compat_stack.archive.format import DATABASE, ROLES, Archive, BackupError
from compat_stack.archive.programs import NO_FOREIGN_NAMES, Programs, copied
from compat_stack.embedded.contributed import recording
from compat_stack.settings import SQL_FOLDER

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
_AVAILABLE = "select name from pg_catalog.pg_available_extensions"
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
# A dump's event triggers run functions of the project's owner with the rights of whoever runs DDL.
_NO_EVENT_TRIGGERS = """
select set_config('event_triggers', 'off', false) from pg_catalog.pg_roles
where rolname = current_user and rolsuper
  and current_setting('server_version_num')::integer >= 170000;
"""


# \gset and \echo: what the script's other statements give goes nowhere
_TRANSACTION = """
select system_identifier as server, pg_current_xact_id() as transaction from pg_control_system()
\\gset
\\echo :server :transaction
"""
_STATUS = """
select case when system_identifier = {server} then pg_xact_status('{transaction}') end
from pg_control_system()
"""
_ENDING_SECONDS = 30.0  # for a server to notice that its client is gone
_PAUSE_SECONDS = 0.1


def restore_database(
    programs: Programs,
    archive: Archive,
    draft: Path,
    *,
    replace: bool,
    begun: Callable[[str, str], None],
) -> None:
    """Write the backup's database into the one of `programs`; `draft` holds its dump and its roles.

    `begun` gets the server's identifier and the transaction in which everything happens. Raises
    BackupError where this server, or what is in it, cannot take it.
    """
    major, user, _ = server_of(programs)
    _refuse_versions(programs.major(), major, archive)
    if not replace and programs.query(_CONTENTS) != ["0"]:
        raise BackupError(
            "the database of DATABASE_URL is not empty: name a new one, or add --replace"
        )
    grants, after, is_superuser = _owner(programs, archive.header.owner, user)
    lines = _contents_of(programs, draft / DATABASE)
    lacking = lacking_extensions(lines, programs.query(_AVAILABLE))
    for name in lacking.left_out:
        print(f"  the extension {name} is left out: this server does not have it", flush=True)
    listing = contents_kept(lines, lacking, is_superuser=is_superuser)
    (draft / "contents").write_text(listing, encoding="utf-8")
    clear = _CLEAR.encode() if replace else b""
    # No dump has collations of the system's schema, which tables and functions in it may name
    roles, collations = (
        (SQL_FOLDER / "platform" / name).read_bytes()
        for name in ("0001_roles.sql", "0024_collations_of_icu.sql")
    )
    objects = (grants + made_objects(lacking)).encode()
    before = clear + (draft / ROLES).read_bytes() + roles + collations + objects
    recorded = "".join(f"{recording(name)};\n" for name in lacking.ours)
    _run(programs, draft, before, recorded + after, begun)


def is_committed(programs: Programs, server: str, transaction: str) -> bool:
    """Whether a restore's transaction was committed. Raises BackupError where that is not known."""
    query = _STATUS.format(server=server, transaction=transaction)
    end = time.monotonic() + _ENDING_SECONDS
    try:
        while (status := programs.query(query)) == ["in progress"] and time.monotonic() < end:
            time.sleep(_PAUSE_SECONDS)
    except BackupError as error:
        raise BackupError(f"{error}: run `restore` again when the database answers") from error
    if status not in (["committed"], ["aborted"]):
        raise BackupError(
            "it is not known yet what became of the restore that was cut off: run `restore` again"
            " later, with the DATABASE_URL of then"
        )
    return status == ["committed"]


def _run(
    programs: Programs, draft: Path, before: bytes, after: str, begun: Callable[[str, str], None]
) -> None:
    """Run the dump in one transaction with what comes before and after it."""
    with programs.session("-o", os.devnull) as psql:
        psql.write(f"set client_min_messages to warning;{_NO_EVENT_TRIGGERS}begin;\n")
        server, transaction = psql.query(_TRANSACTION).split(" ")
        begun(server, transaction)
        psql.write(before)
        with programs.running(
            "pg_restore", "--file=-", "--use-list", str(draft / "contents"), str(draft / DATABASE),
            connects=False,
        ) as dump:  # fmt: skip
            dump.end_input()
            progress = Progress("of the database restored").bytes
            for piece in copied(dump.pieces(), progress):
                psql.write(piece)
        # Only now: a script that was cut off is rolled back.
        psql.write(f"reset all;\n{NO_FOREIGN_NAMES}{_NO_EVENT_TRIGGERS}{after}commit;\nanalyze;\n")
        psql.end_input()


def _contents_of(programs: Programs, dump: Path) -> list[str]:
    with programs.running("pg_restore", "--list", str(dump), connects=False) as process:
        return process.lines()


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
    [line] = programs.query(_TARGET_OWNER.format(owner=literal))
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
