"""Pairing by several connections at the same moment: nobody ends up three in a couple, or stuck."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import asyncpg
import pytest

from tests.conftest import Server
from tests.harness_sql import Connection, acting, add_activity, add_person, attempt, call, pair
from tests.harness_states import until


@pytest.fixture
async def connections(server: Server, planner_database: str) -> AsyncIterator[list[Connection]]:
    """Six connections that commit; what they leave behind goes with the file's database."""
    async with AsyncExitStack() as stack:
        made = []
        for _ in range(6):
            connection = await asyncpg.connect(server.url(planner_database))
            stack.push_async_callback(connection.close)
            made.append(connection)
        yield made


async def code_of(db: Connection, person: str) -> str:
    async with acting(db, person):
        return (await call(db, "crear_invitacion"))["codigo"]


async def largest_couple(db: Connection) -> int:
    return await db.fetchval(
        "select coalesce(max(n), 0) from (select count(*) as n from profiles"
        " where pareja_id is not null group by pareja_id) as c"
    )


async def test_of_several_who_accept_one_code_one_succeeds(connections: list[Connection]) -> None:
    ana = await add_person(connections[0], "Ana")
    code = await code_of(connections[0], ana)
    others = [await add_person(connections[0], f"p{n}") for n in range(6)]
    outcomes = await asyncio.gather(
        *(
            attempt(db, person, "aceptar_invitacion", code)
            for db, person in zip(connections, others, strict=True)
        )
    )
    assert outcomes.count("ok") == 1
    assert set(outcomes) == {
        "ok",
        "Esta invitación ya se ha usado. Pide a tu pareja un código nuevo.",
    }
    assert await largest_couple(connections[0]) == 2


async def test_two_who_invite_each_other_become_one_couple(connections: list[Connection]) -> None:
    one, two = connections[:2]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    code_a, code_b = await code_of(one, ana), await code_of(one, berta)
    outcomes = await asyncio.gather(
        attempt(one, berta, "aceptar_invitacion", code_a),
        attempt(two, ana, "aceptar_invitacion", code_b),
    )
    assert outcomes.count("ok") == 1
    assert await largest_couple(one) == 2


async def test_one_who_accepts_two_codes_at_once_gets_one_partner(
    connections: list[Connection],
) -> None:
    one, two = connections[:2]
    ana, berta, carla = [await add_person(one, n) for n in ("Ana", "Berta", "Carla")]
    code_a, code_b = await code_of(one, ana), await code_of(one, berta)
    outcomes = await asyncio.gather(
        attempt(one, carla, "aceptar_invitacion", code_a),
        attempt(two, carla, "aceptar_invitacion", code_b),
    )
    assert sorted(outcomes) == [
        "Ya tienes pareja. Desvincúlate antes de aceptar otra invitación.",
        "ok",
    ]
    assert await largest_couple(one) == 2


async def test_inviting_accepting_and_parting_at_once_never_deadlocks(
    connections: list[Connection],
) -> None:
    people = [await add_person(connections[0], f"p{n}") for n in range(4)]

    async def busy(db: Connection, number: int) -> list[str]:
        me, other = people[number % 4], people[(number + 1) % 4]
        outcomes = []
        for _ in range(15):
            outcomes.append(await attempt(db, me, "crear_invitacion"))
            code = await db.fetchval(
                "select codigo from invitaciones where creador_id = $1 and usada_por is null", other
            )
            if code is not None:
                outcomes.append(await attempt(db, me, "aceptar_invitacion", code))
            outcomes.append(await attempt(db, me, "desvincular_pareja"))
        return outcomes

    outcomes = await asyncio.gather(*(busy(db, n) for n, db in enumerate(connections)))
    assert "ok" in {sentence for one in outcomes for sentence in one}
    assert await largest_couple(connections[0]) <= 2
    lonely = await connections[0].fetchval(
        "select count(*) from parejas p where personas <>"
        " (select count(*) from profiles where pareja_id = p.id)"
    )
    assert lonely == 0


async def test_b5_former_partners_who_accept_each_other_at_once_are_the_one_couple_again(
    connections: list[Connection],
) -> None:
    one, two = connections[:2]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    couple = await pair(one, ana, berta)
    assert await attempt(one, ana, "desvincular_pareja") == "ok"
    code_a, code_b = await code_of(one, ana), await code_of(one, berta)
    outcomes = await asyncio.gather(
        attempt(one, berta, "aceptar_invitacion", code_a),
        attempt(two, ana, "aceptar_invitacion", code_b),
    )
    assert outcomes.count("ok") == 1
    rows = await one.fetch("select pareja_id::text from profiles where id in ($1, $2)", ana, berta)
    assert [row[0] for row in rows] == [couple, couple]
    assert await one.fetchval("select terminada_en from parejas where id = $1", couple) is None


async def test_parting_waits_for_a_pairing_under_way(connections: list[Connection]) -> None:
    one, two, watcher = connections[:3]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    couple = await pair(one, ana, berta)
    assert await attempt(one, ana, "desvincular_pareja") == "ok"
    code = await code_of(one, ana)
    async with one.transaction():
        assert await attempt(one, berta, "aceptar_invitacion", code) == "ok"
        parting = asyncio.create_task(two.execute("select planes.disolver($1)", couple))
        await blocked(watcher, two)
    await parting
    ended = await one.fetchrow(
        "select personas, terminada_en is not null from parejas where id = $1", couple
    )
    assert ended is not None
    assert tuple(ended) in {(0, True), (2, False)}


async def test_both_may_part_at_once(connections: list[Connection]) -> None:
    one, two = connections[:2]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    couple = await pair(one, ana, berta)
    outcomes = await asyncio.gather(
        attempt(one, ana, "desvincular_pareja"), attempt(two, berta, "desvincular_pareja")
    )
    assert set(outcomes) <= {"ok", "Ahora mismo no tienes pareja vinculada."}
    assert await one.fetchval("select personas from parejas where id = $1", couple) == 0


async def test_b12_a_proposal_during_the_pairing_waits_for_it_and_is_common(
    connections: list[Connection],
) -> None:
    one, two, watcher = connections[:3]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    code = await code_of(one, ana)
    async with one.transaction():
        assert await attempt(one, berta, "aceptar_invitacion", code) == "ok"
        proposing = asyncio.create_task(add_activity(two, ana, pareja_id=ana))
        await blocked(watcher, two)
    made = await proposing
    assert await is_of_the_couple(one, made)


async def is_of_the_couple(db: Connection, activity: str) -> bool:
    """Whether an activity belongs to the couple of its creator."""
    return await db.fetchval(
        "select a.pareja_id = p.pareja_id from actividades a"
        " join profiles p on p.id = a.creador_id where a.id = $1",
        activity,
    )


async def test_b12_a_pairing_takes_along_a_proposal_under_way(
    connections: list[Connection],
) -> None:
    one, two, watcher = connections[:3]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    code = await code_of(one, ana)
    async with one.transaction():
        made = await add_activity(one, ana)
        pairing = asyncio.create_task(attempt(two, berta, "aceptar_invitacion", code))
        await blocked(watcher, two)
    assert await pairing == "ok"
    assert await is_of_the_couple(one, made)


async def test_an_acceptance_waits_for_the_inviters_account_that_is_being_deleted(
    connections: list[Connection],
) -> None:
    one, two, watcher = connections[:3]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    code = await code_of(one, ana)
    async with one.transaction():
        await hold(one, ana)
        accepting = asyncio.create_task(attempt(two, berta, "aceptar_invitacion", code))
        await blocked(watcher, two)
        await one.execute("delete from auth.users where id = $1", ana)
    assert (await accepting).startswith("No hay ninguna invitación")


async def test_ones_own_account_that_is_being_deleted_accepts_and_invites_nobody(
    connections: list[Connection],
) -> None:
    one, two, three, watcher = connections[:4]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    code = await code_of(one, ana)
    async with one.transaction():
        await hold(one, berta)
        accepting = asyncio.create_task(attempt(two, berta, "aceptar_invitacion", code))
        inviting = asyncio.create_task(attempt(three, berta, "crear_invitacion"))
        await blocked(watcher, two)
        await blocked(watcher, three)
        await one.execute("delete from auth.users where id = $1", berta)
    gone = "No encontramos tu perfil: puede que esta cuenta ya no exista."
    assert (await accepting, await inviting) == (gone, gone)
    assert await one.fetchval("select pareja_id from profiles where id = $1", ana) is None


async def test_both_partners_accounts_may_be_deleted_at_once(connections: list[Connection]) -> None:
    one, two, three, watcher = connections[:4]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    couple = await pair(one, ana, berta)
    delete = "delete from auth.users where id = $1"
    async with one.transaction():
        await one.execute("select from parejas where id = $1 for update", couple)
        deleting = [asyncio.create_task(db.execute(delete, who)) for db, who in
                    ((two, ana), (three, berta))]  # fmt: skip
        await blocked(watcher, two)
        await blocked(watcher, three)
    assert await asyncio.gather(*deleting) == ["DELETE 1", "DELETE 1"]
    assert await one.fetchval("select count(*) from parejas where id = $1", couple) == 0


async def test_parting_waits_for_an_account_that_is_being_deleted(
    connections: list[Connection],
) -> None:
    one, two, watcher = connections[:3]
    ana, berta = await add_person(one, "Ana"), await add_person(one, "Berta")
    await pair(one, ana, berta)
    async with one.transaction():
        await hold(one, ana)
        parting = asyncio.create_task(attempt(two, berta, "desvincular_pareja"))
        await blocked(watcher, two)
        await one.execute("delete from auth.users where id = $1", ana)
    assert await parting == "ok"
    assert await one.fetchval("select pareja_id from profiles where id = $1", berta) is None


async def test_a_proposal_waits_for_its_creators_account_that_is_being_deleted(
    connections: list[Connection],
) -> None:
    one, two, watcher = connections[:3]
    ana = await add_person(one, "Ana")
    async with one.transaction():
        await hold(one, ana)
        proposing = asyncio.create_task(add_activity(two, ana))
        await blocked(watcher, two)
        await one.execute("delete from auth.users where id = $1", ana)
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await proposing


async def test_guesses_at_the_same_moment_are_all_counted(connections: list[Connection]) -> None:
    ana = await add_person(connections[0], "Ana")
    outcomes = await asyncio.gather(
        *(attempt(db, ana, "ver_invitacion", f"ZZZZZZZ{n + 2}") for n, db in enumerate(connections))
    )
    assert sum(sentence.startswith("No hay ninguna") for sentence in outcomes) == 5
    assert sum(sentence.startswith("Has probado") for sentence in outcomes) == 1


async def hold(db: Connection, person: str) -> None:
    """The lock with which the deletion of an account begins."""
    await db.execute("select from auth.users where id = $1 for update", person)


async def blocked(watcher: Connection, waiter: Connection) -> None:
    """Return once the other connection waits for a lock."""
    waits = "select cardinality(pg_blocking_pids($1)) > 0"
    await until(lambda: watcher.fetchval(waits, waiter.get_server_pid()))
