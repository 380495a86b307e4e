"""B7: databases from before couples were for ever, with pairs that parted, paired anew, changed partner."""

from __future__ import annotations

import asyncio
import shutil
import uuid
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from compat_stack.migrations.apply import migrate
from compat_stack.settings import PLANNER_FOLDER
from tests.conftest import Server
from tests.harness_sql import Connection, acting, add_person, call, insert, pair

FIRST_OF_THE_NEW = "20261122090001"


@pytest.fixture
def old_url(server: Server, services_template: str, tmp_path: Path) -> Iterator[str]:
    """A database with the planner's files of before; its address."""
    name = server.clone(services_template)
    for path in PLANNER_FOLDER.glob("*.sql"):
        if path.name < FIRST_OF_THE_NEW:
            shutil.copy(path, tmp_path)
    asyncio.run(migrate(server.url(name), tmp_path))
    yield server.url(name)
    server.drop(name)


@pytest.fixture
async def old(old_url: str) -> AsyncIterator[tuple[Connection, str]]:
    """A connection to the database of before, and its address."""
    db = await asyncpg.connect(old_url)
    yield db, old_url
    await db.close()


async def propose(db: Connection, creator: str, titulo: str) -> str:
    couple = await db.fetchval("select pareja_id from profiles where id = $1", creator)
    async with acting(db, creator):
        row = {"titulo": titulo, "fecha": "2026-12-01", "creador_id": creator}
        return await insert(db, row | {"pareja_id": couple or creator})


async def part(db: Connection, person: str) -> None:
    async with acting(db, person):
        await call(db, "desvincular_pareja")


async def accept_all(db: Connection, person: str) -> None:
    async with acting(db, person):
        await db.execute("update actividades set estado = 'aceptado', aceptado_por = auth.uid()")


async def people(db: Connection) -> tuple[str, str, str]:
    ana, berta, carla = [await add_person(db, n) for n in ("Ana", "Berta", "Carla")]
    return ana, berta, carla


async def couple_of(db: Connection, one: str, other: str) -> tuple[str, bool] | None:
    row = await db.fetchrow(
        "select id::text, terminada_en is null from parejas"
        " where persona_a = least($1::uuid, $2) and persona_b = greatest($1::uuid, $2)",
        one,
        other,
    )
    return None if row is None else (row[0], row[1])


async def ids(db: Connection, *titles: str) -> set[str]:
    rows = await db.fetch(
        "select pareja_id::text from actividades where titulo = any ($1)", list(titles)
    )
    return {row[0] for row in rows}


async def test_b7_two_creators_are_recovered_as_a_pair(old: tuple[Connection, str]) -> None:
    db, url = old
    ana, berta, _ = await people(db)
    couple = await pair(db, ana, berta)
    await propose(db, ana, "A")
    await propose(db, berta, "B")
    await part(db, ana)
    await db.execute("delete from invitaciones")
    await migrate(url, PLANNER_FOLDER)
    assert await couple_of(db, ana, berta) == (couple, False)
    assert await pair(db, berta, ana) == couple
    async with acting(db, ana):
        assert await db.fetchval("select count(*) from actividades") == 2


async def test_b7_a_creator_and_an_accepter_are_recovered_as_a_pair(
    old: tuple[Connection, str],
) -> None:
    db, url = old
    ana, berta, _ = await people(db)
    couple = await pair(db, ana, berta)
    await propose(db, ana, "A")
    await accept_all(db, berta)
    await part(db, berta)
    await db.execute("delete from invitaciones")
    await migrate(url, PLANNER_FOLDER)
    assert await couple_of(db, ana, berta) == (couple, False)


async def test_b7_one_person_with_one_invitation_is_recovered(old: tuple[Connection, str]) -> None:
    db, url = old
    ana, berta, _ = await people(db)
    couple = await pair(db, ana, berta)
    await propose(db, ana, "A")
    await part(db, berta)
    await migrate(url, PLANNER_FOLDER)
    assert await couple_of(db, ana, berta) == (couple, False)


async def test_b7_one_person_with_two_partners_stays_private(old: tuple[Connection, str]) -> None:
    db, url = old
    ana, berta, carla = await people(db)
    for other in (berta, carla):
        await pair(db, ana, other)
        await propose(db, ana, "A")
        await part(db, ana)
    before = await ids(db, "A")
    await migrate(url, PLANNER_FOLDER)
    assert await db.fetchval("select count(*) from parejas") == 0
    assert await ids(db, "A") == before
    await pair(db, ana, berta)
    async with acting(db, berta):
        assert await db.fetchval("select count(*) from actividades") == 0


async def test_b7_plans_with_somebody_whose_account_is_gone_are_not_given_to_the_next(
    old: tuple[Connection, str],
) -> None:
    db, url = old
    ana, berta, carla = await people(db)
    await pair(db, ana, carla)
    mine = await propose(db, ana, "Con Carla")
    await db.execute("update actividades set creado_en = now() - interval '1 month'")
    await db.execute("delete from auth.users where id = $1", carla)
    couple = await pair(db, ana, berta)
    await migrate(url, PLANNER_FOLDER)
    assert await couple_of(db, ana, berta) == (couple, True)
    assert couple not in await ids(db, "Con Carla")
    async with acting(db, berta):
        assert not await db.fetchval("select count(*) from actividades where id = $1", mine)


async def test_b7_more_ids_than_invitations_stay_private(old: tuple[Connection, str]) -> None:
    db, url = old
    ana, berta, carla = await people(db)
    await pair(db, ana, berta)
    await propose(db, ana, "Con Berta")
    await part(db, ana)
    await pair(db, ana, carla)
    await propose(db, ana, "Con Carla")
    await db.execute("delete from auth.users where id = $1", carla)
    await migrate(url, PLANNER_FOLDER)
    assert await db.fetchval("select count(*) from parejas") == 0


async def test_b7_three_ids_of_a_pair_become_the_last_used(old: tuple[Connection, str]) -> None:
    db, url = old
    ana, berta, _ = await people(db)
    now: datetime = await db.fetchval("select now()")
    couples = []
    for n, days in enumerate((3, 1, 2)):
        couples.append(await pair(db, ana, berta))
        for person in (ana, berta):
            made = await propose(db, person, f"{n}")
            when = now - timedelta(days=days)
            await db.execute("update actividades set creado_en = $1 where id = $2", when, made)
        await part(db, ana)
    await migrate(url, PLANNER_FOLDER)
    assert await couple_of(db, ana, berta) == (couples[1], False)
    assert await ids(db, "0", "1", "2") == {couples[1]}


async def test_b7_older_ids_of_a_living_pair_join_it(old: tuple[Connection, str]) -> None:
    db, url = old
    ana, berta, carla = await people(db)
    await pair(db, ana, berta)
    await propose(db, ana, "antes")
    await propose(db, berta, "antes")
    await part(db, berta)
    couple = await pair(db, ana, berta)
    await propose(db, ana, "ahora")
    alone = await propose(db, carla, "sola")
    await migrate(url, PLANNER_FOLDER)
    assert await couple_of(db, ana, berta) == (couple, True)
    assert await ids(db, "antes", "ahora") == {couple}
    assert await ids(db, "sola") == {carla}
    async with acting(db, carla):
        assert await db.fetchval("select id::text from actividades") == alone
    for person in (ana, berta):
        async with acting(db, person):
            assert await db.fetchval("select count(*) from actividades") == 3


async def test_b7_a_profile_that_carries_a_couple_alone_is_free(
    old: tuple[Connection, str],
) -> None:
    db, url = old
    ana, berta, _ = await people(db)
    couple = str(uuid.uuid4())
    await db.execute("insert into parejas (id) values ($1)", couple)
    await db.execute("update profiles set pareja_id = $1 where id = $2", couple, ana)
    await migrate(url, PLANNER_FOLDER)
    assert await db.fetchval("select count(*) from parejas") == 0
    await pair(db, ana, berta)
