"""Commands of a project as people know them from the CLI: db reset, seed, test db, gen types."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import uvloop

from compat_base.postgres.database import connect
from compat_base.postgres.migrations import one_at_a_time
from compat_base.values.errors import OperatorError
from compat_stack.migrations.project import open_project_session
from compat_stack.migrations.project_data import make_buckets, seed
from compat_stack.process.output import say
from compat_stack.project.folder import Project
from compat_stack.schema_types.read import read_schemas
from compat_stack.schema_types.typescript import typescript
from compat_stack.settings import Settings


class NoProjectError(OperatorError):
    """A command of a project's, and none is named: one sentence with the remedy."""


def project_of(settings: Settings) -> Project:
    """The project that is served. Raises NoProjectError."""
    if settings.project is None:
        raise NoProjectError("this needs a project: name its folder by --project or SUPABASE_DIR")
    return settings.project


def remove_database(settings: Settings) -> None:
    """Remove the embedded database and the files of storage; keys stay.

    The folder loses its name first: what is cut off half-way is never taken for a database.
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
    said: list[str] = []

    def progress(line: str) -> None:
        said.append(line)
        say(f"  {line}")

    async with connect(url) as connection, one_at_a_time(connection):
        async with open_project_session(connection, progress) as session:
            await seed(session, project, progress)
        await make_buckets(connection, project.buckets)
    if not said:
        say("  Every seed was run before: `db reset` runs them anew.")


def described(url: str, schemas: Sequence[str]) -> str:
    """The schemas of a database in TypeScript, as `gen types` gives them."""
    return uvloop.run(_described(url, schemas))


async def _described(url: str, schemas: Sequence[str]) -> str:
    async with connect(url) as connection:
        return typescript(await read_schemas(connection, schemas))


def test_files(project: Project) -> list[Path]:
    """The files of a project's tests, in order."""
    folder = project.folder / "tests"
    return sorted(path for path in folder.rglob("*") if path.suffix in {".sql", ".pg"})
