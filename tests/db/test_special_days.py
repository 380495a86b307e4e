"""The days that a couple counts: who sees and changes them, and their limits.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_person, answers, call, key_of, pair

ALONE = "Vincula a tu pareja para tener fechas especiales."


async def save(
    db: Connection, person: str, titulo: str = "Aniversario", identity: str | None = None
) -> str:
    """`ok`, or the refusal's sentence."""
    try:
        async with acting(db, person):
            await db.execute(
                "select guardar_fecha_especial($1, $2, '2024-02-29')",
                identity or str(uuid.uuid4()),
                titulo,
            )
    except asyncpg.RaiseError as refusal:
        return str(refusal)
    return "ok"


async def seen(db: Connection, person: str) -> list[str]:
    async with acting(db, person):
        rows = await db.fetch("select titulo from fechas_especiales order by titulo")
    return [row["titulo"] for row in rows]


async def test_c9_both_add_change_and_delete_them(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    identity = str(uuid.uuid4())
    assert await save(db, ana, identity=identity) == "ok"
    assert await save(db, berta, "Nuestro día", identity) == "ok"
    assert await seen(db, ana) == ["Nuestro día"]
    async with acting(db, berta):
        await call(db, "borrar_fecha_especial", identity)
    assert await seen(db, ana) == []


async def test_c9_an_outsider_and_nobody_see_and_change_nothing(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    other = await add_person(db, "Diana")
    identity = str(uuid.uuid4())
    await save(db, ana, identity=identity)
    assert await save(db, carla) == ALONE
    await pair(db, carla, other)
    assert await save(db, carla, "Otra", identity) == "ok"
    async with acting(db, carla):
        await call(db, "borrar_fecha_especial", identity)
    assert await seen(db, carla) == []
    assert await seen(db, berta) == ["Aniversario"]
    for statement in (
        "select from fechas_especiales",
        "select guardar_fecha_especial(gen_random_uuid(), 'x', '2026-01-01')",
        "select borrar_fecha_especial(gen_random_uuid())",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with acting(db, None, "anon"):
                await db.execute(statement)
    outcomes = await answers(
        db, "public.fechas_especiales", [await key_of(db, "public.fechas_especiales", identity)],
        [("authenticated", {"sub": who, "role": "authenticated"}) for who in (berta, carla)],
    )  # fmt: skip
    assert [rows for rows, _ in outcomes] == [[True], [False]]


async def test_c9_they_go_with_the_parting_and_come_back_with_the_couple(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    await save(db, ana)
    async with acting(db, ana):
        await call(db, "desvincular_pareja")
    assert [await seen(db, person) for person in (ana, berta)] == [[], []]
    assert await save(db, berta) == ALONE
    await pair(db, ana, carla)
    assert await seen(db, carla) == []
    async with acting(db, carla):
        await call(db, "desvincular_pareja")
    await pair(db, ana, berta)
    assert await seen(db, berta) == ["Aniversario"]


@pytest.mark.parametrize("statement", ["insert into {} default values", "delete from {}"])
async def test_c9_functions_alone_write(
    db: Connection, people: tuple[str, str, str], statement: str
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, people[0]):
            await db.execute(statement.format("fechas_especiales"))


@pytest.mark.parametrize("titulo", ["", " \u00a0", "x" * 61, "a\nb"])
async def test_c9_a_title_has_its_limits(
    db: Connection, people: tuple[str, str, str], titulo: str
) -> None:
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await save(db, people[0], titulo)
    assert refusal.value.constraint_name == "fechas_especiales_titulo_check"


async def test_c9_twenty_at_most_and_a_change_is_no_more(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    identity = str(uuid.uuid4())
    assert await save(db, ana, identity=identity) == "ok"
    for number in range(19):
        assert await save(db, berta, f"Día {number}") == "ok"
    assert await save(db, ana) == "Como mucho 20 fechas especiales."
    assert await save(db, ana, "Otro nombre", identity) == "ok"


async def test_c9_an_account_that_goes_takes_the_couples_days_along(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    await save(db, ana)
    await db.execute("delete from auth.users where id = $1", berta)
    assert await db.fetchval("select count(*) from fechas_especiales") == 0
