"""Photos of plans: who announces, finishes, sees, deletes and gets them back, and what is left then.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import json
import uuid

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

NOT_YOURS = "Esa foto no existe o no es tuya."
FULL = "Habéis llenado vuestro espacio."
GONE = "Esa foto ya no se puede recuperar."
MISSING = "Ese plan no existe o no lo compartes."


async def announce(
    db: Connection, by: str, plan: str, photo: str | None = None, size: int = 1000
) -> tuple[str, str]:
    """The photo's id, and `ok` or the refusal."""
    photo = photo or str(uuid.uuid4())
    return photo, await attempt(db, by, "preparar_recuerdo", photo, plan, 2048, 1536, size)


async def store(db: Connection, by: str, photo: str, size: int = 500) -> None:
    """Store both files as the storage service does: the policy is asked, the row is written."""
    names = await db.fetchrow("select ruta, miniatura from recuerdos where id = $1", photo)
    assert names is not None
    for name in names:
        async with acting(db, by):
            await db.execute(
                "insert into storage.objects (bucket_id, name, owner_id, version, metadata)"
                " values ('recuerdos', $1, $2, $3, $4)",
                name, by, str(uuid.uuid4()), json.dumps({"size": size}),
            )  # fmt: skip


async def add_photo(db: Connection, by: str, plan: str, size: int = 500) -> str:
    photo, verdict = await announce(db, by, plan)
    assert verdict == "ok"
    await store(db, by, photo, size)
    assert await attempt(db, by, "terminar_recuerdo", photo) == "ok"
    return photo


async def sees(db: Connection, person: str) -> tuple[int, int]:
    """How many photos and how many files."""
    async with acting(db, person):
        return (
            await db.fetchval("select count(*) from recuerdos"),
            await db.fetchval("select count(*) from storage.objects"),
        )


async def files(db: Connection) -> int:
    return await db.fetchval("select count(*) from storage.objects where bucket_id = 'recuerdos'")


async def end_transaction(db: Connection) -> None:
    await db.execute("set constraints all immediate; set constraints all deferred")


async def test_c14_the_partner_sees_a_photo_when_it_is_whole(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana)
    photo, verdict = await announce(db, berta, plan)
    assert verdict == "ok"
    assert await attempt(db, berta, "terminar_recuerdo", photo) == (
        "La foto no ha llegado entera. Vuelve a intentarlo."
    )
    await store(db, berta, photo)
    assert [await sees(db, each) for each in people] == [(0, 0), (1, 2), (0, 0)]
    assert await attempt(db, carla, "terminar_recuerdo", photo) == NOT_YOURS
    assert await attempt(db, berta, "terminar_recuerdo", photo) == "ok"
    assert await attempt(db, berta, "terminar_recuerdo", photo) == "ok"
    assert [await sees(db, each) for each in people] == [(1, 2), (1, 2), (0, 0)]
    assert await db.fetchval("select bytes from recuerdos") == 1000
    # Announced again, it is the same photo; nothing more is stored for it.
    assert (await announce(db, berta, plan, photo))[1] == "ok"
    assert (await announce(db, ana, plan, photo))[1] == NOT_YOURS
    outcomes = await answers(
        db, "public.recuerdos", [await key_of(db, "public.recuerdos", photo)],
        [("authenticated", {"sub": who, "role": "authenticated"}) for who in people],
    )  # fmt: skip
    assert [rows for rows, _ in outcomes] == [[True], [True], [False]]


@pytest.mark.parametrize("statement", ["update", "delete", "insert"])
@pytest.mark.parametrize("who", [0, 1, 2])
async def test_c14_1_no_file_is_written_that_was_not_announced_and_none_is_changed(
    db: Connection, people: tuple[str, str, str], statement: str, who: int
) -> None:
    ana, berta, _ = people
    photo = await add_photo(db, ana, await add_activity(db, ana))
    couple = await db.fetchval("select pareja_id from profiles where id = $1", berta)
    before = await files(db)
    sql = {
        "update": "update storage.objects set name = name || 'x', version = 'x'",
        "delete": "delete from storage.objects",
        "insert": "insert into storage.objects (bucket_id, name) values ('recuerdos', $1)",
    }[statement]
    names = (f"{couple}/{photo}", f"{couple}/{photo}.x", f"{couple}/x", "x", f"{couple}/{photo}/x")
    for name in names if statement == "insert" else ("",):
        try:
            async with acting(db, people[who]):
                await db.execute("select set_config('storage.allow_delete_query', 'true', true)")
                await db.execute(sql, *([name] if statement == "insert" else []))
        except (asyncpg.InsufficientPrivilegeError, asyncpg.UniqueViolationError):
            pass
    assert await files(db) == before
    assert not await db.fetch("select from storage.objects where version = 'x'")


async def test_c14_1_after_parting_each_keeps_their_own_and_pairing_brings_all_back(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_activity(db, ana)
    mine, hers = await add_photo(db, ana, plan), await add_photo(db, berta, plan)
    half, _ = await announce(db, berta, plan)
    async with acting(db, ana):
        await call(db, "desvincular_pareja")
    assert [await sees(db, each) for each in people] == [(1, 2), (2, 2), (0, 0)]
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store(db, berta, half)
    assert (await announce(db, berta, plan))[1] == MISSING
    assert await attempt(db, berta, "describir_recuerdo", hers, "x") == NOT_YOURS
    assert await attempt(db, berta, "borrar_recuerdo", mine) == NOT_YOURS
    await pair(db, ana, carla)
    assert await sees(db, carla) == (0, 0)
    async with acting(db, carla):
        await call(db, "desvincular_pareja")
    await pair(db, ana, berta)
    assert [await sees(db, each) for each in people] == [(2, 4), (3, 4), (0, 0)]


async def test_c14_a_deleted_photo_comes_back_for_ten_minutes_and_leaves_no_file(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    photo = await add_photo(db, ana, await add_activity(db, ana))
    assert await attempt(db, ana, "describir_recuerdo", photo, "  El faro ") == "ok"
    was = dict(await db.fetchrow("select * from recuerdos") or {})
    assert await attempt(db, berta, "borrar_recuerdo", photo) == NOT_YOURS
    assert await attempt(db, ana, "borrar_recuerdo", photo) == "ok"
    assert [await sees(db, each) for each in (ana, berta)] == [(0, 0), (0, 0)]
    assert await attempt(db, berta, "recuperar_recuerdo", photo) == GONE
    assert await attempt(db, ana, "recuperar_recuerdo", photo) == "ok"
    assert dict(await db.fetchrow("select * from recuerdos") or {}) == was
    assert was["texto"] == "El faro"
    assert await attempt(db, ana, "borrar_recuerdo", photo) == "ok"
    await db.execute("select planes.barrer_recuerdos()")
    assert await files(db) == 2
    await db.execute("update planes.recuerdos_borrados set borrado_en = now() - interval '11 min'")
    await db.execute("select planes.barrer_recuerdos()")
    assert await files(db) == 0
    assert await attempt(db, ana, "recuperar_recuerdo", photo) == GONE


async def test_c14_photos_go_into_the_trash_with_their_plan_and_come_back_with_it(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    photos = {await add_photo(db, ana, plan), await add_photo(db, berta, plan)}
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
    await end_transaction(db)
    assert (await sees(db, ana), await files(db)) == ((0, 0), 4)
    assert await attempt(db, berta, "recuperar_recuerdo", photos.copy().pop()) == GONE
    async with acting(db, ana):
        await call(db, "recuperar_plan", plan)
    await end_transaction(db)
    assert {str(row[0]) for row in await db.fetch("select id from recuerdos")} == photos
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
        await call(db, "vaciar_papelera")
    await end_transaction(db)
    assert await files(db) == await db.fetchval("select count(*) from planes.recuerdos_borrados")
    assert await files(db) == 0


@pytest.mark.parametrize("who", [0, 1])
async def test_c14_5_an_account_takes_its_photos_along_and_those_of_its_plans(
    db: Connection, people: tuple[str, str, str], who: int
) -> None:
    ana, berta, _ = people
    theirs, deleted = await add_activity(db, ana), await add_activity(db, ana)
    own = await add_activity(db, berta)
    for plan in (theirs, deleted, own):
        for author in (ana, berta):
            await add_photo(db, author, plan)
    assert await attempt(db, berta, "borrar_recuerdo", await add_photo(db, berta, own)) == "ok"
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", deleted)
    await db.execute("delete from auth.users where id = $1", people[who])
    await end_transaction(db)
    stays = (berta, ana)[who]
    # Her own on her own plans; what Ana has in the trash waits there.
    assert await sees(db, stays) == (1, 2)
    assert await files(db) == {0: 2 + 2, 1: 2 + 2}[who]
    gone = await db.fetch("select from storage.objects where owner_id = $1", people[who])
    assert gone == []


async def fill(db: Connection, plan: str, author: str, many: int, size: int) -> None:
    """Photos whose files nobody stored: only their rows count."""
    await db.execute(
        "insert into recuerdos (id, actividad_id, pareja_id, autor_id, ancho, alto, bytes, subido_en)"
        " select gen_random_uuid(), $1, p.pareja_id, p.id, 1, 1, $4::int, now()"
        " from profiles p, generate_series(1, $3::int) where p.id = $2",
        plan, author, many, size,
    )  # fmt: skip


async def test_c14_thirty_photos_a_plan_and_500_mb_a_couple(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plans = [await add_activity(db, ana) for _ in range(4)]
    for plan in plans[:2]:
        await fill(db, plan, ana, 30, 6_000_000)
    assert (await announce(db, berta, plans[0]))[1] == "En este plan ya no caben más fotos."
    await fill(db, plans[2], berta, 27, 6_000_000)
    # 522,000,000 of 524,288,000 bytes; what waits in the trash counts like the rest.
    photo = await db.fetchval("select id::text from recuerdos limit 1")
    assert await attempt(db, ana, "borrar_recuerdo", photo) == "ok"
    assert (await announce(db, berta, plans[3], size=2_288_001))[1] == FULL
    assert (await announce(db, berta, plans[3], size=2_288_000))[1] == "ok"
    assert (await announce(db, ana, plans[3], size=1))[1] == FULL


async def test_c14_what_counts_is_what_was_stored_and_not_what_was_announced(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_activity(db, ana)
    photo, _ = await announce(db, ana, plan, size=1)
    await store(db, ana, photo, 300_000_000)
    assert await attempt(db, ana, "terminar_recuerdo", photo) == FULL
    # Given up, its files are gone at once; forgotten, with the sweep of the next day.
    assert await attempt(db, ana, "borrar_recuerdo", photo) == "ok"
    assert await files(db) == 0
    other, _ = await announce(db, berta, plan)
    await store(db, berta, other)
    await db.execute("update recuerdos set creado_en = now() - interval '25 hours'")
    await db.execute(
        "insert into storage.objects (bucket_id, name, created_at)"
        " values ('recuerdos', 'of/nobody', now() - interval '2 days')"
    )
    await db.execute("select planes.barrer_recuerdos()")
    assert await files(db) == 0


@pytest.mark.parametrize("texto", ["x" * 201, "a\nb", "a\x07b"])
async def test_c14_a_caption_is_a_line_of_200_characters(
    db: Connection, people: tuple[str, str, str], texto: str
) -> None:
    ana, _, _ = people
    photo = await add_photo(db, ana, await add_activity(db, ana))
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await attempt(db, ana, "describir_recuerdo", photo, texto)
    assert refusal.value.constraint_name == "recuerdos_texto_check"
    assert await attempt(db, ana, "describir_recuerdo", photo, "  ") == "ok"
    assert await db.fetchval("select texto from recuerdos") is None


async def test_c14_alone_there_are_no_photos_and_the_export_has_ones_own_and_the_partners(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    alone = await add_activity(db, carla)
    assert (await announce(db, carla, alone))[1] == "Vincula a tu pareja para guardar recuerdos."
    await add_photo(db, berta, await add_activity(db, ana))
    for person, many in ((ana, 1), (berta, 1), (carla, 0)):
        async with acting(db, person):
            assert len((await call(db, "exportar_datos"))["recuerdos"]) == many
