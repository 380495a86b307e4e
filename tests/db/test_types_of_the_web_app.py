"""The web app's description of the schema is the schema: tables, what may be null or written, functions."""

from __future__ import annotations

import re

from sql.web_types import WEB_TYPES, web_types
from tests.harness_sql import Connection

SENT = {"titulo", "descripcion", "fecha", "presupuesto", "estado", "creador_id", "pareja_id"}


async def test_the_generated_types_are_those_of_the_schema(db: Connection) -> None:
    recorded = WEB_TYPES.read_text(encoding="utf-8")
    assert await web_types(db) == recorded, "run `make snapshot` and look at the difference"


async def test_a_new_column_a_new_function_and_a_lost_right_change_the_types(
    db: Connection,
) -> None:
    after = await web_types(db)
    for statement in (
        "alter table profiles add column apodo text",
        "create function hola(nombre text) returns integer language sql immutable as 'select 1'",
        "revoke insert (titulo) on actividades from authenticated",
    ):
        await db.execute(statement)
        before, after = after, await web_types(db)
        assert after != before
    assert "      apodo: string | null\n" in after
    assert "  hola: { Args: { nombre: string }; Returns: number }\n" in after


async def test_the_specifications_seven_keys_may_be_inserted() -> None:
    text = WEB_TYPES.read_text(encoding="utf-8")
    inserted = re.search(r"actividades: {.*?Insert: {\n(.*?)\n    }", text, re.DOTALL)
    assert inserted
    assert set(re.findall(r"(\w+)\??:", inserted[1])) >= SENT
