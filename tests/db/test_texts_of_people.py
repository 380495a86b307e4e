"""0.8: what people write is text that shows itself, whichever way it comes, and what was there before is mended."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import uuid
from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from compat_stack.migrations.apply import migrate
from compat_stack.settings import PLANNER_FOLDER
from tests.conftest import Server
from tests.db.test_photos import add_photo
from tests.harness_sql import Connection, acting, add_activity, add_user, attempt, call

RULES = "20261128180001"
PLAIN_TEXT = Path(__file__).parents[2] / "web/src/lib/plain-text.ts"

Writer = Callable[[Connection, str, str, str], Awaitable[Any]]


async def _rename(db: Connection, person: str, plan: str, text: str) -> None:
    async with acting(db, person):
        await db.execute("update profiles set nombre = $1 where id = auth.uid()", text)


async def _edit(db: Connection, person: str, plan: str, text: str) -> None:
    async with acting(db, person):
        await call(db, "editar_plan", plan, 1, json.dumps({"titulo": text}))


async def _describe(db: Connection, person: str, plan: str, text: str) -> None:
    photo = await add_photo(db, person, plan)
    async with acting(db, person):
        await call(db, "describir_recuerdo", photo, text)


def _by(function: str, *before: Any, after: tuple[Any, ...] = ()) -> Writer:
    async def write(db: Connection, person: str, plan: str, text: str) -> None:
        arguments = [{"id": str(uuid.uuid4()), "plan": plan}.get(each, each) for each in before]
        async with acting(db, person):
            await call(db, function, *arguments, text, *after)

    return write


def _in(column: str) -> Writer:
    async def write(db: Connection, person: str, plan: str, text: str) -> None:
        await add_activity(db, person, **{column: text})

    return write


DEVICE = ("https://fcm.googleapis.com/x", "B" + "A" * 86, "A" * 22)
# Every text that people write: how, and the constraint that guards it.
LINES: dict[str, tuple[Writer, str]] = {
    "title": (_in("titulo"), "actividades_titulo_check"),
    "edited title": (_edit, "actividades_titulo_check"),
    "place": (_in("lugar"), "actividades_lugar_check"),
    "name": (_rename, "profiles_nombre_check"),
    "idea": (_by("guardar_idea", "id", after=(None, None)), "ideas_titulo_check"),
    "day": (
        _by("guardar_fecha_especial", "id", after=(date(2020, 5, 1), True)),
        "fechas_especiales_titulo_check",
    ),
    "caption": (_describe, "recuerdos_texto_check"),
    "device": (_by("registrar_dispositivo", *DEVICE, after=("UTC",)), "dispositivos_nombre_check"),
}
TEXTS: dict[str, tuple[Writer, str]] = {
    "description": (_in("descripcion"), "actividades_descripcion_check"),
    "comment": (_by("comentar", "plan", "id", after=(False,)), "comentarios_texto_check"),
    "note": (_by("guardar_idea", "id", "Lisboa", after=(None,)), "ideas_nota_check"),
}
ALL = LINES | TEXTS
UNREADABLE = ("a\u0001b", "a\tb", "a\u007fb", "a\u0085b", "\u202eneC", "a\u202ab", "\u2066a\u2069")
UNSEEN = (" \u00a0", "\u200b\u200d", "\u200f\u061c", "\u3164", "\u2800", "\ufe0f", "\U000e0067")
WHOLE = ("👨‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "می‌خواهم", "שָׁלוֹם\u200e!", "<b>Ñandú</b> & «co»", "Ce\u200bna")


@pytest.mark.parametrize("text", UNREADABLE)
@pytest.mark.parametrize("name", ALL)
async def test_0_8_no_text_has_control_characters_or_turns_what_stands_around_it(
    db: Connection, people: tuple[str, str, str], name: str, text: str
) -> None:
    write, constraint = ALL[name]
    plan = await add_activity(db, people[0])
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await write(db, people[0], plan, text)
    assert refusal.value.constraint_name == constraint


@pytest.mark.parametrize("name", LINES)
async def test_0_8_a_line_has_no_breaks(
    db: Connection, people: tuple[str, str, str], name: str
) -> None:
    write, constraint = LINES[name]
    plan = await add_activity(db, people[0])
    for text in ("a\nb", "a\rb", "a\u2028b"):
        with pytest.raises(asyncpg.CheckViolationError) as refusal:
            await write(db, people[0], plan, text)
        assert refusal.value.constraint_name == constraint


@pytest.mark.parametrize("text", UNSEEN)
@pytest.mark.parametrize("name", [name for name in LINES if name != "caption"])
async def test_0_8_a_title_or_a_name_has_something_to_see(
    db: Connection, people: tuple[str, str, str], name: str, text: str
) -> None:
    write, constraint = LINES[name]
    plan = await add_activity(db, people[0])
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await write(db, people[0], plan, text)
    assert refusal.value.constraint_name == constraint


@pytest.mark.parametrize("name", ALL)
async def test_0_8_any_other_text_stays_as_it_was_typed(
    db: Connection, people: tuple[str, str, str], name: str
) -> None:
    write, constraint = ALL[name]
    plan = await add_activity(db, people[0])
    for text in WHOLE if name in LINES else (*WHOLE, "a\nb\n\nc"):
        await write(db, people[0], plan, text)
        table, column = re.fullmatch(r"(.*)_(.*)_check", constraint).groups()  # type: ignore[union-attr]
        schema = "planes" if table == "dispositivos" else "public"
        found = await db.fetch(f"select {column} from {schema}.{table}")
        assert text in [row[0] for row in found]
        if name == "edited title":
            break


@pytest.mark.parametrize(
    ("given", "nombre"),
    [
        ("\u202eanA\u202c  María\u0007", "anA   María"),
        ("\u3164\u200b", "ana"),
        ("Ana\r\n\tMaría", "Ana María"),
    ],
)
async def test_0_8_a_sign_up_never_fails_for_its_name(
    db: Connection, given: str, nombre: str
) -> None:
    user = await add_user(db, "ana@example.com", {"nombre": given})
    assert await db.fetchval("select nombre from profiles where id = $1", user) == nombre


async def test_0_8_the_form_and_the_database_agree_on_what_is_seen(db: Connection) -> None:
    listed = re.search(r"UNSEEN = String\.raw`(.*)`", PLAIN_TEXT.read_text(encoding="utf-8"))
    assert listed
    signs = [int(a or b, 16) for a, b in re.findall(r"\\u(?:\{(\w+)\}|(\w{4}))", listed[1])]
    ranges = re.findall(r"\\u(?:\{\w+\}|\w{4})(?:-\\u(?:\{\w+\}|\w{4}))?", listed[1])
    bounds: list[tuple[int, int]] = []
    for each in ranges:
        first = signs.pop(0)
        bounds.append((first, signs.pop(0) if "-" in each else first))
    for low, high in bounds:
        for sign, is_seen in ((low - 1, True), (low, False), (high, False), (high + 1, True)):
            if sign > 0:
                assert await db.fetchval("select planes.se_ve($1)", chr(sign)) == is_seen, hex(sign)


@pytest.fixture
def before(server: Server, services_template: str, tmp_path: Path) -> Any:
    """A database with the planner's files of before the rules; its address."""
    name = server.clone(services_template)
    for path in PLANNER_FOLDER.glob("*.sql"):
        if path.name < RULES:
            shutil.copy(path, tmp_path)
    asyncio.run(migrate(server.url(name), tmp_path))
    yield server.url(name)
    server.drop(name)


async def test_0_8_what_was_there_before_the_rules_is_mended_and_comes_back(before: str) -> None:
    db = await asyncpg.connect(before)
    try:
        ana = await add_user(db, "ana@example.com", {"nombre": "Ana"})
        plan = await add_activity(
            db, ana, "Ce\tna\u202e", descripcion="a\r\nb\tc\u0007", lugar="\u200eX\u2066"
        )
        blank = await add_activity(db, ana, "\u0001")
        gone = await add_activity(db, ana, "Ido\u0001", descripcion="\t", lugar="\u200e\u2066")
        assert await attempt(db, ana, "comentar", gone, str(uuid.uuid4()), "\u202e?", False) == "ok"
        await _rename(db, ana, plan, "\u2066Ana\u2069")
        async with acting(db, ana):
            await db.execute("delete from actividades where id = $1", gone)
    finally:
        await db.close()
    await migrate(before, PLANNER_FOLDER)
    db = await asyncpg.connect(before)
    try:
        assert await attempt(db, ana, "recuperar_plan", gone) == "ok"
        rows = await db.fetch("select id::text, titulo, descripcion, lugar from actividades")
        assert {row[0]: tuple(row)[1:] for row in rows} == {
            plan: ("Ce na ", "a\r\nb c ", "\u200eX "),
            blank: ("Sin título", None, None),
            gone: ("Ido ", None, None),
        }
        assert await db.fetchval("select texto from comentarios") == " ?"
        assert await db.fetchval("select nombre from profiles") == " Ana "
    finally:
        await db.close()
