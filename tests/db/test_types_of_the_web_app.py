"""The web app's description of the schema is what `gen types` gives of it."""

from __future__ import annotations

import re

from compat_stack.schema_types.read import read_schemas
from compat_stack.schema_types.typescript import typescript
from sql.snapshot import WEB_TYPES
from tests.harness_sql import Connection

SENT = {"titulo", "descripcion", "fecha", "presupuesto", "estado", "creador_id", "pareja_id"}


async def web_types(db: Connection) -> str:
    return typescript(await read_schemas(db, ["public"]))


async def test_the_generated_types_are_those_of_the_schema(db: Connection) -> None:
    recorded = WEB_TYPES.read_text(encoding="utf-8")
    assert await web_types(db) == recorded, "run `make snapshot` and look at the difference"


async def test_a_new_column_and_a_new_function_change_the_types(db: Connection) -> None:
    await db.execute(
        "alter table profiles add column apodo text;"
        "create function hola(nombre text) returns integer language sql immutable as 'select 1'"
    )
    text = await web_types(db)
    assert '"apodo": string | null' in text
    assert "hola" in text


def test_the_specifications_seven_keys_may_be_inserted() -> None:
    text = WEB_TYPES.read_text(encoding="utf-8")
    inserted = re.search(r'"actividades": {.*?Insert: {(.*?)}', text, re.DOTALL)
    assert inserted
    assert set(re.findall(r'"(\w+)"\??:', inserted[1])) >= SENT
