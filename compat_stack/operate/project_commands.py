"""A project's commands, named as the CLI's: db reset, seed, gen types and others."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

import httpx2
import uvloop

from compat_base.postgres.database import faults, run_script
from compat_base.postgres.migration_files import Migration, read_folder
from compat_base.postgres.migrations import one_at_a_time, recorded_statements
from compat_base.values.errors import OperatorError
from compat_base.values.world import real_world
from compat_stack.background.objects import ObjectFile, object_files, upload_objects
from compat_stack.data_folder.running import find_running
from compat_stack.keys.installation import load_keys
from compat_stack.migrations.project import (
    SEARCH_PATH,
    administrator,
    open_owner_session,
    open_project_session,
)
from compat_stack.migrations.project_data import MigrationTarget, make_buckets, seed
from compat_stack.process.output import say
from compat_stack.project.folder import Project
from compat_stack.schema_types.read import read_schemas
from compat_stack.schema_types.typescript import typescript
from compat_stack.settings import Settings

_HAS_LEDGER = "select to_regclass('supabase_migrations.schema_migrations') is not null"


class NoProjectError(OperatorError):
    """The command needs a project, and none is named: one sentence with the remedy."""


def project_of(settings: Settings) -> Project:
    """The project of the settings. Raises NoProjectError."""
    if settings.project is None:
        raise NoProjectError("this needs a project: name its folder by --project or SUPABASE_DIR")
    return settings.project


def remove_database(settings: Settings) -> None:
    """Delete the embedded database and the files of storage; keys stay.

    The folder is renamed first, so that a half-deleted one is never taken for a database.
    """
    folder = settings.data_dir / "postgres"
    data = folder / "data"
    if data.exists():
        removed = folder / "draft-removed"
        shutil.rmtree(removed, ignore_errors=True)
        data.rename(removed)
        shutil.rmtree(removed, ignore_errors=True)
    shutil.rmtree(settings.data_dir / "storage", ignore_errors=True)


def run_seeds(project: Project, url: str) -> None:
    """Run the seeds that were not run yet, and make the buckets. Raises MigrationError."""
    uvloop.run(_run_seeds(project, url))


async def _run_seeds(project: Project, url: str) -> None:
    printed: list[str] = []

    def progress(line: str) -> None:
        printed.append(line)
        say(f"  {line}")

    async with (
        administrator(url) as connection,
        one_at_a_time(connection),
        open_project_session(connection, url, progress) as session,
    ):
        await seed(session, project, progress)
        await make_buckets(session, project.buckets)
    if not printed:
        say("  Every seed was run before: `db reset` runs them anew.")


def upload_files(settings: Settings, project: Project) -> bool:
    """Upload the buckets' files where the stack serves, else say when; whether all were."""
    files = list(object_files(project.buckets, project.folder))
    running = find_running(settings.data_dir)
    if not files:
        return True
    if running is None:
        say("  The files of the buckets are uploaded when it serves.")
        return True
    refusals: list[str] = []
    key = load_keys(settings.data_dir, real_world(), given=settings.environment).service_role
    count = uvloop.run(_upload(running.address, key, files, refusals))
    for each in refusals:
        say(f"error: {each}", sys.stderr)
    say(f"  {count} files of the buckets were uploaded.")
    return not refusals


async def _upload(address: str, key: str, files: list[ObjectFile], refusals: list[str]) -> int:
    async with httpx2.AsyncClient(base_url=address, trust_env=False) as client:
        return await upload_objects(client, key, files, refusals.append, overwrites=True)


def described(url: str, schemas: Sequence[str], through: Sequence[str]) -> str:
    """The schemas of a database in TypeScript; keys lead also through views of `through`."""
    return uvloop.run(_described(url, schemas, through))


async def _described(url: str, schemas: Sequence[str], through: Sequence[str]) -> str:
    async with administrator(url) as admin, open_owner_session(admin, url) as owner:
        await run_script(owner.connection, SEARCH_PATH)
        return typescript(await read_schemas(owner.connection, schemas, through))


def test_files(project: Project, places: Sequence[Path]) -> list[Path]:
    """The files of a project's tests, or of the named paths, in order."""
    found: dict[Path, None] = {}
    for place in places or (project.folder / "tests",):
        files = [place] if place.is_file() else sorted(place.rglob("*"))
        found |= dict.fromkeys(path for path in files if path.suffix in {".sql", ".pg"})
    return list(found)


def new_migration(project: Project, name: str, now: datetime, text: IO[bytes] | None) -> Path:
    """Create a migration with a name like the CLI's, empty or of a text, and give its path."""
    kept = re.sub(r"[^\w-]+", "_", name)
    folder = project.folder / "migrations"
    folder.mkdir(exist_ok=True)
    file = folder / f"{now:%Y%m%d%H%M%S}_{kept}.sql"
    with file.open("xb") as into:
        if text is not None:
            shutil.copyfileobj(text, into)
    return file


def _files(folder: Path | None) -> tuple[Migration, ...]:
    return () if folder is None else read_folder(folder, replaced=lambda _sentence: None)


def last_version(folder: Path, version: str | None, last: int | None) -> MigrationTarget:
    """The version that `db reset` goes to: the given one, or the one before the last few.

    Raises OperatorError where there is no such migration, MigrationError.
    """
    if version is None and last is None:
        return MigrationTarget()
    versions = [each.version for each in _files(folder)]
    if version is not None:
        if version not in versions:
            raise OperatorError(f"no migration of {folder} has the version {version}")
        return MigrationTarget(version, is_chosen=True)
    left = versions[:-last] if last else versions
    return MigrationTarget(left[-1] if left else "", is_chosen=True)


def repair(project: Project, url: str, versions: Sequence[str], status: str) -> None:
    """Record migrations as applied, or as reverted, without running them.

    Raises OperatorError where the folder lacks one of them.
    """
    here = {each.version: each for each in _files(project.migrations)}
    missing = [version for version in versions if version not in here]
    if not versions:
        raise OperatorError("`migration repair` wants versions, as `migration list` shows them")
    if status == "applied" and missing:
        raise OperatorError(f"no migration of the project has the version {missing[0]}")
    uvloop.run(_repair(url, versions, [here[each] for each in versions if each in here], status))
    say(f"  {', '.join(versions)}: {status}. `migration list` shows what is recorded.")


async def _repair(
    url: str, versions: Sequence[str], files: Sequence[Migration], status: str
) -> None:
    async with (
        administrator(url) as admin,
        one_at_a_time(admin),
        open_owner_session(admin, url) as session,
    ):
        connection = session.connection
        with faults():
            if not await connection.fetchval(_HAS_LEDGER):
                raise OperatorError("this database has no record of migrations: start it once")
            async with connection.transaction():
                await connection.execute(
                    "delete from supabase_migrations.schema_migrations"
                    " where version = any ($1::text[])",
                    list(versions),
                )
                for each in files if status == "applied" else ():
                    await connection.execute(
                        "insert into supabase_migrations.schema_migrations"
                        " (version, statements, name) values ($1, $2, $3)",
                        each.version, recorded_statements(each), each.name,
                    )  # fmt: skip


def migrations_listed(project: Project, url: str) -> str:
    """A table of migrations: of the folder (local), and of the database (remote)."""
    here = {each.version: each.name for each in _files(project.migrations)}
    there = uvloop.run(_applied(url))
    versions = sorted(here.keys() | there.keys())
    width = max(map(len, (*versions, "local")))
    lines = [f"{'local':{width}} | {'database':{width}} | name"]
    for version in versions:
        columns = [version if version in each else "" for each in (here, there)]
        name = here.get(version) or there.get(version) or ""
        lines.append(" | ".join([*(f"{column:{width}}" for column in columns), name]).rstrip())
    return "".join(f"  {line}\n" for line in lines)


async def _applied(url: str) -> dict[str, str | None]:
    async with administrator(url) as admin, open_owner_session(admin, url) as session:
        connection = session.connection
        with faults():
            if not await connection.fetchval(_HAS_LEDGER):
                return {}
            rows = await connection.fetch(
                "select version, name from supabase_migrations.schema_migrations"
            )
    return {row["version"]: row["name"] for row in rows}
