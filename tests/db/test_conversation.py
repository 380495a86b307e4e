"""Comments, reactions and what was read: who may write, who may see, and their limits.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import (
    Connection,
    acting,
    add_activity,
    answers,
    attempt,
    call,
    key_of,
    pair,
)

MISSING = "Ese plan no existe o no lo compartes."
BEFORE = "Ese plan es de antes y ya no se puede cambiar."
TABLES = ("comentarios", "reacciones", "lecturas")


async def say(db: Connection, person: str, plan: str, texto: str = "Hola", **more: Any) -> str:
    id_ = more.get("id", str(uuid.uuid4()))
    return await attempt(db, person, "comentar", plan, id_, texto, more.get("motivo", False))


async def count(db: Connection, person: str, table: str) -> int:
    async with acting(db, person):
        return await db.fetchval(f"select count(*) from {table}")


async def reject(db: Connection, person: str, plan: str) -> None:
    async with acting(db, person):
        await db.execute("update actividades set estado = 'rechazado' where id = $1", plan)


async def test_c4_both_say_something_and_each_is_told_what_they_have_not_read(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana)
    assert await say(db, ana, plan) == "ok"
    await db.execute("update comentarios set creado_en = now() - interval '1 hour'")
    async with acting(db, berta):
        summary = await call(db, "resumen_conversacion")
        assert summary == {plan: {"total": 1, "sin_leer": 1, "motivo": None}}
        await call(db, "marcar_leido", plan)
        assert (await call(db, "resumen_conversacion"))[plan]["sin_leer"] == 0
        assert await db.fetchval("select texto from comentarios") == "Hola"
    async with acting(db, ana):
        assert (await call(db, "resumen_conversacion"))[plan]["sin_leer"] == 0
    async with acting(db, carla):
        assert await call(db, "resumen_conversacion") == {}


async def test_c4_2_who_is_outside_sees_and_says_nothing(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana)
    await say(db, berta, plan)
    await attempt(db, berta, "reaccionar", plan, "me_encanta")
    for function, more in (
        ("comentar", (str(uuid.uuid4()), "Hola", False)),
        ("reaccionar", ("me_encanta",)),
        ("marcar_leido", ()),
    ):
        for wrong in (plan, str(uuid.uuid4())):
            assert await attempt(db, carla, function, wrong, *more) == MISSING
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await attempt_as_nobody(db, function, plan, *more)
    for table in TABLES:
        assert await count(db, carla, table) == 0
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with acting(db, None, "anon"):
                await db.execute(f"select from {table}")
    # Nor what the partner has read.
    assert await count(db, ana, "lecturas") == 0
    comment = await db.fetchval("select id::text from comentarios")
    assert await attempt(db, carla, "borrar_comentario", comment) == (
        "Ese comentario no existe o no es tuyo."
    )
    seen = await answers(
        db, "public.comentarios", [await key_of(db, "public.comentarios", comment)],
        [("authenticated", {"sub": who, "role": "authenticated"}) for who in (ana, berta, carla)],
    )  # fmt: skip
    assert [rows for rows, _ in seen] == [[True], [True], [False]]


async def attempt_as_nobody(db: Connection, function: str, *arguments: Any) -> None:
    async with acting(db, None, "anon"):
        await call(db, function, *arguments)


async def test_c4_2_a_former_partner_hears_and_says_nothing_more(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan, identity = await add_activity(db, ana), str(uuid.uuid4())
    await say(db, berta, plan, id=identity)
    async with acting(db, ana):
        await call(db, "desvincular_pareja")
    assert await count(db, berta, "comentarios") == 0
    assert await say(db, berta, plan) == MISSING
    assert await attempt(db, berta, "borrar_comentario", identity) == MISSING
    assert await count(db, ana, "comentarios") == 1
    assert await say(db, ana, plan) == BEFORE
    assert await attempt(db, ana, "reaccionar", plan, "que_pena") == BEFORE
    await pair(db, ana, carla)
    assert await count(db, carla, "comentarios") == 0


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("statement", ["insert into {} default values", "delete from {}"])
async def test_c4_2_functions_alone_write(
    db: Connection, people: tuple[str, str, str], table: str, statement: str
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, people[0]):
            await db.execute(statement.format(table))


async def test_c4_3_what_is_sent_twice_is_there_once(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan, identity = await add_activity(db, ana), str(uuid.uuid4())
    for _ in range(2):
        assert await say(db, ana, plan, id=identity) == "ok"
    # Somebody else's id changes nothing, and says nothing of it.
    assert await say(db, berta, plan, "Otra", id=identity) == "ok"
    assert await db.fetch("select autor_id::text, texto from comentarios") == [(ana, "Hola")]


@pytest.mark.parametrize("texto", ["", " \n\u00a0", "x" * 1001, "a\x07b", "a\tb", "a\u0085b"])
async def test_c4_4_what_is_no_comment_is_refused(
    db: Connection, people: tuple[str, str, str], texto: str
) -> None:
    ana, _, _ = people
    plan = await add_activity(db, ana)
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await say(db, ana, plan, texto)
    assert refusal.value.constraint_name == "comentarios_texto_check"
    assert await say(db, ana, plan, "x" * 1000 + "\n") == "ok"


async def test_c4_4_thirty_a_minute_and_five_hundred_a_plan(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    for _ in range(30):
        assert await say(db, ana, plan) == "ok"
    assert await say(db, ana, plan) == "Vas muy deprisa. Espera un momento."
    assert await say(db, berta, plan) == "ok"
    await db.execute("update comentarios set creado_en = now() - interval '2 minutes'")
    await db.execute(
        "insert into comentarios (id, actividad_id, autor_id, texto, creado_en)"
        " select gen_random_uuid(), $1, $2, 'x', now() - interval '1 hour'"
        " from generate_series(1, 469)",
        plan,
        berta,
    )
    assert await say(db, ana, plan) == "En este plan ya no caben más comentarios."


async def test_c4_5_only_who_rejected_says_why(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    why = "Solo quien rechazó el plan puede decir por qué."
    assert await say(db, berta, plan, motivo=True) == why
    await reject(db, berta, plan)
    assert await say(db, ana, plan, motivo=True) == why
    assert await say(db, berta, plan, "No puedo", motivo=True) == "ok"
    async with acting(db, ana):
        summary = (await call(db, "resumen_conversacion"))[plan]
    assert summary["motivo"] == {"autor_id": berta, "texto": "No puedo"}


async def test_c4_a_reaction_is_one_a_person_and_taken_back_by_the_same(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    for person, which in ((ana, "me_encanta"), (berta, "que_risa"), (berta, "que_ganas")):
        assert await attempt(db, person, "reaccionar", plan, which) == "ok"
    rows = await db.fetch("select persona_id::text, cual from reacciones order by cual")
    assert rows == [(ana, "me_encanta"), (berta, "que_ganas")]
    assert await attempt(db, berta, "reaccionar", plan, "que_ganas") == "ok"
    assert await count(db, ana, "reacciones") == 1
    with pytest.raises(asyncpg.CheckViolationError):
        await attempt(db, ana, "reaccionar", plan, "otra")


async def test_c4_only_its_author_deletes_a_comment(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan, identity = await add_activity(db, ana), str(uuid.uuid4())
    await say(db, berta, plan, id=identity)
    refused = "Ese comentario no existe o no es tuyo."
    assert await attempt(db, ana, "borrar_comentario", identity) == refused
    assert await attempt(db, berta, "borrar_comentario", identity) == "ok"
    assert await attempt(db, berta, "borrar_comentario", identity) == refused


async def test_c12_a_deleted_comment_comes_back_as_it_was_to_its_author_within_the_hour(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    gone = "Ese comentario ya no se puede recuperar."
    plan, identity = await add_activity(db, ana), str(uuid.uuid4())
    await say(db, berta, plan, id=identity)
    await db.execute("update comentarios set creado_en = '2026-11-20 10:00Z'")
    before = await db.fetch("select * from comentarios")
    assert await attempt(db, berta, "recuperar_comentario", identity) == gone
    await attempt(db, berta, "borrar_comentario", identity)
    for other in (ana, carla):
        assert await attempt(db, other, "recuperar_comentario", identity) == gone
    alerts = await db.fetchval("select count(*) from recados.cola")
    assert await attempt(db, berta, "recuperar_comentario", identity) == "ok"
    assert await db.fetch("select * from comentarios") == before
    assert await db.fetchval("select count(*) from recados.cola") == alerts
    await attempt(db, berta, "borrar_comentario", identity)
    await db.execute(
        "update planes.comentarios_borrados set borrado_en = now() - interval '61 min'"
    )
    assert await attempt(db, berta, "recuperar_comentario", identity) == gone


async def test_c12_what_was_deleted_goes_with_the_account_and_the_plan(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    for number, goes in enumerate(
        ("delete from actividades where id = $1", "delete from auth.users where id = $1")
    ):
        plan, identity = await add_activity(db, ana), str(uuid.uuid4())
        await say(db, berta, plan, id=identity)
        await attempt(db, berta, "borrar_comentario", identity)
        await db.execute(goes, (plan, berta)[number])
        assert await db.fetchval("select count(*) from planes.comentarios_borrados") == 0


async def test_c12_a_comment_of_a_plan_that_is_no_longer_common_does_not_come_back(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan, identity = await add_activity(db, ana), str(uuid.uuid4())
    await say(db, berta, plan, id=identity)
    await attempt(db, berta, "borrar_comentario", identity)
    await attempt(db, ana, "desvincular_pareja")
    assert await attempt(db, berta, "recuperar_comentario", identity) == MISSING
    assert await db.fetchval("select count(*) from planes.comentarios_borrados") == 1


async def test_c12_1_a_recovered_plan_has_its_conversation(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    for person in (ana, berta):
        await say(db, person, plan)
        await attempt(db, person, "reaccionar", plan, "me_encanta")
    before = [await db.fetch(f"select * from {t} order by 1, 2, 3") for t in TABLES[:2]]
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
        await call(db, "recuperar_plan", plan)
    assert [await db.fetch(f"select * from {t} order by 1, 2, 3") for t in TABLES[:2]] == before


async def test_c5_2_what_somebody_said_goes_with_their_account_out_of_anothers_trash(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    for person, texto in ((ana, "De Ana"), (berta, "De Berta")):
        await say(db, person, plan, texto)
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
    await db.execute("delete from auth.users where id = $1", berta)
    assert "De Berta" not in await db.fetchval("select comentarios::text from planes.papelera")
    async with acting(db, ana):
        await call(db, "recuperar_plan", plan)
        assert await db.fetchval("select array_agg(texto) from comentarios") == ["De Ana"]


@pytest.mark.parametrize(
    ("mensaje", "texts"), [("¿Mejor así?", ["¿Mejor así?"]), (" ", []), (None, [])]
)
async def test_c2_another_date_may_come_with_a_message(
    db: Connection, people: tuple[str, str, str], mensaje: str | None, texts: list[str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    async with acting(db, berta):
        made = await db.fetchval(
            "select proponer_otra_fecha($1, '2026-12-05', null, $2) ->> 'id'", plan, mensaje
        )
    rows = await db.fetch("select actividad_id::text, texto from comentarios")
    assert rows == [(made, text) for text in texts]
