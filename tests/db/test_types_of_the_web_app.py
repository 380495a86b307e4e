"""The web app's description of the schema is the schema: tables, what may be null, functions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.harness_sql import Connection

DESCRIPTION = (Path(__file__).parents[2] / "web/src/lib/database.ts").read_text()


def described(row: str) -> dict[str, bool]:
    """The columns that a row type names, and whether each may be null."""
    block = re.search(rf"export type {row} = {{\n(.*?)\n}}", DESCRIPTION, re.DOTALL)
    assert block, row
    fields = re.findall(r"^  (\w+)\??: (.+)$", block[1], re.MULTILINE)
    return {name: "null" in kind for name, kind in fields}


@pytest.mark.parametrize(
    ("row", "table"), [("ActividadRow", "actividades"), ("Profile", "profiles")]
)
async def test_a_row_has_the_tables_columns(db: Connection, row: str, table: str) -> None:
    columns = await db.fetch(
        "select attname, not attnotnull from pg_attribute"
        " where attrelid = $1::text::regclass and attnum > 0 and not attisdropped",
        f"public.{table}",
    )
    assert described(row) == dict(columns)


async def test_every_function_that_the_app_calls_exists_with_those_arguments(
    db: Connection,
) -> None:
    block = DESCRIPTION[DESCRIPTION.index("Functions: {") :]
    called = re.findall(r"(\w+): {\s+Args: (?:Nothing|{ (\w+): \w+ })", block)
    assert len(called) == block.count("Args:")
    for name, argument in called:
        arguments = await db.fetch(
            "select coalesce(proargnames, '{}') as names from pg_proc where oid = any ("
            "select oid from pg_proc where proname = $1"
            " and pronamespace = 'public'::regnamespace"
            " and has_function_privilege('authenticated', oid, 'execute'))",
            name,
        )
        assert [row["names"] for row in arguments] == [[argument] if argument else []], name


async def test_what_is_written_is_what_may_be_inserted(db: Connection) -> None:
    inserted = re.search(
        r"type ActividadInsert = Pick<\s+ActividadRow,\s+(.*?)\n>", DESCRIPTION, re.DOTALL
    )
    assert inserted
    names = re.findall(r"'(\w+)'", inserted[1])
    assert len(names) == 7
    for name in names:
        assert await db.fetchval(
            "select has_column_privilege('authenticated', 'public.actividades', $1, 'insert')", name
        ), name
