"""`test db`: a project's pgTAP tests, each file in the session of its own that it expects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import uvloop

from compat_base.postgres.database import Connection, connect, faults
from compat_base.postgres.faults import PgFault
from compat_base.postgres.migration_files import read_sql
from compat_base.postgres.statements import split_statements
from compat_base.values.errors import OperatorError
from compat_stack.process.output import say

_META_COMMAND = re.compile(r"^\\.*$", re.MULTILINE)
_PLAN = re.compile(r"1\.\.(\d+)")
_SESSION = 'set search_path = "$user", public, extensions'


class NoPgtapError(OperatorError):
    """The database has no pgTAP: one sentence with the remedy."""


def run_tests(files: Sequence[Path], url: str) -> bool:
    """Run the files and print what they say; whether every test passed. Raises NoPgtapError."""
    return uvloop.run(_run_all(files, url))


async def _run_all(files: Sequence[Path], url: str) -> bool:
    async with connect(url) as connection:
        with faults():
            had_it = await connection.fetchval("select 1 from pg_extension where extname = 'pgtap'")
        try:
            with faults():
                await connection.execute(
                    "create extension if not exists pgtap with schema extensions"
                )
        except PgFault as error:
            reason = f"there is no pgTAP in this database ({error.fault.message})"
            raise NoPgtapError(reason) from error
        passed = [await _run_file(file, url) for file in files]
        if not had_it:
            with faults():
                await connection.execute("drop extension if exists pgtap cascade")
    say(f"Files={len(files)}, Result: {'PASS' if all(passed) else 'FAIL'}")
    return all(passed)


async def _run_file(file: Path, url: str) -> bool:
    script = _META_COMMAND.sub("", read_sql(file, "test"))
    said: list[str] = []
    failure = ""
    async with connect(url) as connection:
        await connection.execute(_SESSION)
        for statement in split_statements(script):
            try:
                said += await _said(connection, statement.text)
            except PgFault as error:
                failure = f"{file.name}:{statement.line}: {error.fault.message}"
                break
    planned = next((int(found[1]) for line in said if (found := _PLAN.fullmatch(line))), None)
    done = [line for line in said if line.startswith(("ok ", "not ok "))]
    wrong = [line for line in done if line.startswith("not ok ") and "# TODO" not in line]
    is_right = not failure and not wrong and planned in {None, len(done)} and bool(done)
    say(f"{file.name} .. {'ok' if is_right else 'not ok'}")
    if not is_right:
        for line in [*said, *([failure] if failure else [])]:
            say(f"  {line}")
    return is_right


async def _said(connection: Connection, statement: str) -> list[str]:
    """The lines of a statement's answer."""
    with faults():
        rows = await connection.fetch(statement)
    texts = [str(row[0]) for row in rows if len(row) and row[0] is not None]
    return [line for text in texts for line in text.split("\n")]
