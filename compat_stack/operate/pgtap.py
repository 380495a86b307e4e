"""`test db`: a project's pgTAP tests, each file in a psql of its own, as `pg_prove` runs them.

A file runs as the project's owner, as its migrations do: its statements about extensions are
rewritten, and those that would fetch from another server are left out with a warning.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import uvloop

from compat_base.postgres.database import Connection, faults
from compat_base.postgres.faults import PgFault
from compat_base.postgres.migration_files import read_sql
from compat_base.postgres.migrations import one_at_a_time
from compat_base.values.errors import OperatorError
from compat_stack.archive.programs import Programs
from compat_stack.migrations.project import administrator, open_project_session
from compat_stack.process.output import say

_PLAN = re.compile(r"1\.\.(\d+)")


class NoPgtapError(OperatorError):
    """The database has no pgTAP: one sentence with the remedy."""


def run_tests(files: Sequence[Path], programs: Programs) -> bool:
    """Run the files and print their output; whether every test passed.

    Raises NoPgtapError, and BackupError without a psql.
    """
    programs.check()
    return uvloop.run(_run_all(files, programs))


def has_passed(lines: Sequence[str], failure: str) -> bool:
    """Whether a file passed, by its output and psql's error; one that plans no tests did."""
    planned = next((int(found[1]) for line in lines if (found := _PLAN.fullmatch(line))), None)
    done = [line for line in lines if line.startswith(("ok ", "not ok "))]
    wrong = [line for line in done if line.startswith("not ok ") and "# TODO" not in line]
    if failure or wrong:
        return False
    return bool(done) if planned is None else planned == len(done)


async def _run_all(files: Sequence[Path], programs: Programs) -> bool:
    async with administrator(programs.url) as connection, one_at_a_time(connection):
        with faults():
            had_it = await connection.fetchval("select 1 from pg_extension where extname = 'pgtap'")
        try:
            with faults():
                await connection.execute(
                    "create extension if not exists pgtap with schema extensions"
                )
        except PgFault as error:
            reason = (
                f"there is no pgTAP in this database ({error.fault.message}): where the machine has"
                " Debian's packages, `apt install postgresql-15-pgtap`, then start anew"
            )
            raise NoPgtapError(reason) from error
        passed = [await _run_file(connection, file, programs) for file in files]
        if not had_it:
            with faults():
                await connection.execute("drop extension if exists pgtap cascade")
    say(f"Files={len(files)}, Result: {'PASS' if all(passed) else 'FAIL'}")
    return all(passed)


async def _run_file(connection: Connection, file: Path, programs: Programs) -> bool:
    async with open_project_session(connection, programs.url, say) as session:
        begin = " ".join(session.begin.split())  # on the first line: errors name the file's own
        script = f"{begin}; {await session.rewrite(read_sql(file, 'test', replaced=say))}"
        own = replace(programs, url=session.url or programs.url)
        lines, failure = await asyncio.to_thread(own.perform, script, file.parent)
    is_right = has_passed(lines, failure)
    say(f"{file.name} .. {'ok' if is_right else 'not ok'}")
    if not is_right:
        for line in [*lines, *([f"{file.name}:{failure}"] if failure else [])]:
            say(f"  {line}")
    return is_right
