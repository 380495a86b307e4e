"""The form's limits are the database's: each is written in TypeScript and in SQL, and must be one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.harness_sql import Connection

SOURCES = Path(__file__).parents[2] / "web/src"


def constant(path: str, name: str) -> int:
    """A number that a module of the web app declares."""
    found = re.search(rf"const {name} = ([\d_]+)", (SOURCES / path).read_text())
    assert found, f"{path} declares no {name}"
    return int(found[1])


@pytest.mark.parametrize(
    ("constraint", "path", "name"),
    [
        ("actividades_titulo_check", "features/activities/form/draft-rules.ts", "MAX_TITLE"),
        (
            "actividades_descripcion_check",
            "features/activities/form/draft-rules.ts",
            "MAX_DESCRIPTION",
        ),
        ("actividades_lugar_check", "features/activities/form/draft-rules.ts", "MAX_PLACE"),
        ("actividades_fecha_fin_check", "features/activities/form/draft-rules.ts", "MAX_DAYS"),
        ("profiles_nombre_check", "features/auth/credentials.ts", "MAX_NAME"),
    ],
)
async def test_a_texts_limit_is_the_same_in_form_and_table(
    db: Connection, constraint: str, path: str, name: str
) -> None:
    rule = await db.fetchval(
        "select pg_get_constraintdef(oid) from pg_constraint where conname = $1", constraint
    )
    assert constant(path, name) in {int(number) for number in re.findall(r"\d+", rule)}


async def test_the_largest_amount_is_the_columns(db: Connection) -> None:
    cents = constant("lib/money.ts", "MAX_CENTS")
    assert await db.fetchval("select ($1::numeric / 100)::numeric(12, 2) * 100", cents) == cents
    assert len(str(cents)) == 12


async def test_a_codes_length_is_the_invitations(db: Connection) -> None:
    code = await db.fetchval("select planes.codigo_nuevo()")
    assert len(code) == constant("features/pairing/code.ts", "LENGTH")
