"""A couple is a pair of people for ever: parting, pairing again, and what each is shown meanwhile.

The names begin with the rows of the planner's specification of pairing.
"""

from __future__ import annotations

import random
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_activity, add_person, call, pair


async def part(db: Connection, person: str) -> None:
    async with acting(db, person):
        await call(db, "desvincular_pareja")


async def sees(db: Connection, person: str) -> list[str]:
    async with acting(db, person):
        return [r[0] for r in await db.fetch("select titulo from actividades order by titulo")]


async def numbers(db: Connection, person: str) -> tuple[Any, ...]:
    """The three sums of the screen, over what is common: made with the couple, or alone."""
    async with acting(db, person):
        row = await db.fetchrow(
            "select count(*) filter (where estado = 'pendiente'),"
            " count(*) filter (where estado = 'aceptado'),"
            " coalesce(sum(presupuesto) filter (where estado = 'aceptado'), 0)"
            " from actividades a join profiles p on p.id = auth.uid()"
            " where a.pareja_id = coalesce(p.pareja_id, p.id)"
        )
    assert row is not None
    return tuple(row)


async def offer(db: Connection, inviter: str, guest: str) -> dict[str, Any]:
    async with acting(db, inviter):
        code = (await call(db, "crear_invitacion"))["codigo"]
    async with acting(db, guest):
        return await call(db, "ver_invitacion", code)


@pytest.fixture
async def people(db: Connection) -> tuple[str, str, str]:
    ana, berta, carla = [await add_person(db, n) for n in ("Ana", "Berta", "Carla")]
    return ana, berta, carla


ALL = ["A0", "A1", "A2", "B0", "B1", "B2"]


async def six_plans(db: Connection, ana: str, berta: str) -> str:
    couple = await pair(db, ana, berta)
    for n in range(3):
        await add_activity(db, ana, f"A{n}")
        await add_activity(db, berta, f"B{n}")
    async with acting(db, berta):
        await db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = auth.uid()"
            " where titulo in ('A0', 'A1')"
        )
    return couple


async def everything(db: Connection) -> list[Any]:
    return await db.fetch("select * from actividades order by id")


async def test_b1_parting_and_pairing_again_brings_all_back_as_it_was(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    couple = await six_plans(db, ana, berta)
    before = await everything(db)
    await part(db, ana)
    assert await sees(db, ana) == ["A0", "A1", "A2"]
    assert await sees(db, berta) == ["B0", "B1", "B2"]
    assert await offer(db, berta, ana) == {"nombre": "Berta", "vuelven": 6}
    async with acting(db, berta):
        code = (await call(db, "crear_invitacion"))["codigo"]
    async with acting(db, ana):
        again = await call(db, "aceptar_invitacion", code)
    assert again == {"pareja_id": couple, "vuelven": 6}
    assert await everything(db) == before
    for person in (ana, berta):
        assert await sees(db, person) == ALL


async def test_b2_other_partners_in_between_see_none_of_it(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    diego = await add_person(db, "Diego")
    await six_plans(db, ana, berta)
    await part(db, berta)
    await pair(db, ana, carla)
    await pair(db, berta, diego)
    assert await sees(db, carla) == await sees(db, diego) == []
    await part(db, ana)
    await part(db, diego)
    await pair(db, ana, berta)
    assert await sees(db, ana) == await sees(db, berta) == ALL
    assert await sees(db, carla) == await sees(db, diego) == []


async def test_b2_a_new_partner_is_offered_nothing_of_the_former_couple(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    await six_plans(db, ana, berta)
    await part(db, ana)
    assert await offer(db, ana, carla) == {"nombre": "Ana", "vuelven": 0}


async def test_b3_both_partners_have_equal_numbers_after_each_of_thirty_steps(
    db: Connection,
) -> None:
    rng = random.Random(3)
    people = [await add_person(db, n) for n in ("Ana", "Berta", "Carla")]
    await pair(db, *people[:2])
    for step in range(30):
        who = rng.choice(people)
        free = await db.fetch("select id::text from profiles where pareja_id is null order by id")
        if rng.random() < 0.3 and len(free) > 1:
            await pair(db, *rng.sample([row["id"] for row in free], 2))
        elif rng.random() < 0.3 and len(free) == 1:
            await part(db, next(p for p in people if p != free[0]["id"]))
        elif rng.random() < 0.5:
            await add_activity(db, who, f"{step}", presupuesto=step)
        else:
            async with acting(db, who):
                await db.execute(
                    "update actividades set estado = 'aceptado', aceptado_por = auth.uid()"
                )
        couples = await db.fetch(
            "select array_agg(id::text) as ids from profiles where pareja_id is not null"
            " group by pareja_id"
        )
        for couple in couples:
            one, other = couple["ids"]
            assert await numbers(db, one) == await numbers(db, other), step


@pytest.mark.parametrize("with_carla", [False, True])
async def test_b4_what_is_from_before_can_only_be_deleted(
    db: Connection, people: tuple[str, str, str], with_carla: bool
) -> None:
    ana, berta, carla = people
    await six_plans(db, ana, berta)
    await part(db, ana)
    if with_carla:
        await pair(db, ana, carla)
    for person in people:
        async with acting(db, person):
            answered = await db.execute("update actividades set estado = 'rechazado'")
        assert answered == "UPDATE 0"
    for person, deleted in ((carla, 0), (berta, 3), (ana, 3)):
        async with acting(db, person):
            assert await db.execute("delete from actividades") == f"DELETE {deleted}"


async def test_b4_nothing_is_proposed_into_a_couple_that_parted(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    couple = await pair(db, ana, berta)
    await part(db, berta)
    for person in people:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await add_activity(db, person, pareja_id=couple)


async def test_b6_an_old_calendar_address_stays_dead_after_pairing_again(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    await pair(db, ana, berta)
    async with acting(db, ana):
        old = (await call(db, "crear_calendario"))["secreto"]
    await part(db, berta)
    for again in (False, True):
        if again:
            await pair(db, ana, berta)
        with pytest.raises(asyncpg.PostgresError) as refusal:
            async with acting(db, None, "anon"):
                await db.fetchval("select calendario($1)", old)
        assert refusal.value.sqlstate == "PT404"
    async with acting(db, berta):
        assert (await call(db, "crear_calendario"))["secreto"] != old


@pytest.mark.parametrize("together", [True, False])
async def test_b8_a_deleted_account_leaves_the_others_plans_to_their_creator(
    db: Connection, people: tuple[str, str, str], together: bool
) -> None:
    ana, berta, carla = people
    await six_plans(db, ana, berta)
    if not together:
        await part(db, ana)
    await db.execute("delete from auth.users where id = $1", berta)
    assert await db.fetchval("select count(*) from parejas") == 0
    assert await db.fetchval("select pareja_id from profiles where id = $1", ana) is None
    assert await sees(db, ana) == ["A0", "A1", "A2"]
    assert await numbers(db, ana) == (0, 0, 0)
    await pair(db, ana, carla)
    assert await sees(db, carla) == []


async def test_b8_a_deleted_account_does_not_part_a_later_couple(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    await six_plans(db, ana, berta)
    await part(db, ana)
    couple = await pair(db, ana, carla)
    await db.execute("delete from auth.users where id = $1", berta)
    rows = await db.fetch("select pareja_id::text from profiles where pareja_id is not null")
    assert [row[0] for row in rows] == [couple, couple]


async def test_b12_a_stale_pages_proposal_is_common(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    couple = await pair(db, ana, berta)
    made = await add_activity(db, ana, "Cine", pareja_id=ana)
    assert (
        await db.fetchval("select pareja_id::text from actividades where id = $1", made) == couple
    )
    assert await sees(db, berta) == ["Cine"]


async def test_a_profile_carries_only_a_couple_that_names_it(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    couple = await pair(db, ana, berta)
    await part(db, ana)
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await db.execute("update profiles set pareja_id = $1 where id = $2", couple, carla)
    assert refusal.value.constraint_name == "profiles_pareja_id_check"


async def test_a_couple_that_is_together_has_not_ended(
    db: Connection, people: tuple[str, str, str]
) -> None:
    await pair(db, *people[:2])
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await db.execute("update parejas set terminada_en = now()")
    assert refusal.value.constraint_name == "parejas_terminada_en_check"


async def test_a_pair_of_people_exists_once(db: Connection, people: tuple[str, str, str]) -> None:
    one, other = sorted(people[:2])
    await pair(db, one, other)
    with pytest.raises(asyncpg.UniqueViolationError):
        await db.execute("insert into parejas (persona_a, persona_b) values ($1, $2)", one, other)
