"""What plans really cost: who writes payments down, what the two owe each other, how a month is settled.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid
from decimal import Decimal
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

MONTH = "2026-12"
MISSING = "Ese plan no existe o no lo compartes."
BEFORE = "Ese plan es de antes y ya no se puede cambiar."
UNACCEPTED = "Solo un plan aceptado tiene gastos."
SETTLED = "Las cuentas de ese mes ya están saldadas. Anuladlo para cambiarlas."
CHANGED = "Las cuentas han cambiado. Revisadlas antes de saldar."


async def add_plan(db: Connection, ana: str, berta: str, fecha: str = f"{MONTH}-05") -> str:
    """Proposed by Ana, accepted by Berta."""
    plan = await add_activity(db, ana, "Cena", fecha=fecha)
    async with acting(db, berta):
        await db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = auth.uid() where id = $1",
            plan,
        )
    return plan


async def pay(db: Connection, by: str, plan: str, importe: str, payer: str, **more: Any) -> str:
    """`by` writes down what `payer` paid."""
    identity, parte = more.get("id", str(uuid.uuid4())), more.get("parte", 50)
    return await attempt(db, by, "anotar_pago", identity, plan, Decimal(importe), payer, parte)


async def accounts(db: Connection, person: str, month: str = MONTH) -> dict[str, Any]:
    async with acting(db, person):
        return await call(db, "cuentas", month)


async def settle(db: Connection, person: str, cents: int, month: str = MONTH) -> str:
    return await attempt(db, person, "saldar", str(uuid.uuid4()), month, cents)


async def test_c11_both_write_down_what_was_paid_and_see_the_same_balance(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_plan(db, ana, berta)
    identity = str(uuid.uuid4())
    assert await pay(db, berta, plan, "40", ana, id=identity) == "ok"
    assert await pay(db, ana, plan, "10.01", berta, parte=30) == "ok"
    # Berta owes half of 40, Ana 70 % of 10.01 without the odd cent.
    expected = {"gastado": 5001, "de": berta, "a": ana, "importe": 2000 - 700, "saldado": None}
    assert await accounts(db, ana) == await accounts(db, berta) == expected
    assert await accounts(db, ana, "2026-11") | {"gastado": 0, "importe": 0} == {
        "gastado": 0, "de": None, "a": None, "importe": 0, "saldado": None,
    }  # fmt: skip
    assert await pay(db, ana, plan, "20", ana, parte=100, id=identity) == "ok"
    assert (await accounts(db, berta))["importe"] == 700
    assert await attempt(db, berta, "borrar_pago", identity) == "ok"
    assert (await accounts(db, berta))["gastado"] == 1001


async def test_c11_1_the_two_shares_are_the_total_and_the_odd_cent_is_the_payers(
    db: Connection,
) -> None:
    wrong = await db.fetch(
        """
        select cents, parte, owed
        from (select generate_series(1, 400) union values (99999), (999999999999)) as c (cents),
          generate_series(0, 100) as s (parte),
          lateral (select planes.deuda(cents / 100.0, parte::smallint) as owed) as d
        where owed not between 0 and cents
          or (cents - owed) * 100 - cents::numeric * parte not between 0 and 99
        """
    )
    assert wrong == []


async def test_c11_2_a_month_is_settled_once_and_stays_as_it_was(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_plan(db, ana, berta)
    assert await settle(db, ana, 0) == "No hay nada que saldar."
    identity = str(uuid.uuid4())
    await pay(db, ana, plan, "40", ana, id=identity)
    assert await settle(db, berta, 1999) == CHANGED
    assert await settle(db, berta, 2000) == "ok"
    assert await settle(db, ana, 2000) == "ok"
    assert await db.fetchval("select count(*) from liquidaciones") == 1
    settled = (await accounts(db, ana))["saldado"]
    assert (settled["de"], settled["a"], settled["importe"]) == (berta, ana, 2000)
    assert await pay(db, ana, plan, "5", ana) == SETTLED
    assert await pay(db, ana, plan, "5", ana, id=identity) == SETTLED
    assert await attempt(db, ana, "borrar_pago", identity) == SETTLED
    # Another month is open; this one is again once it is annulled, by either.
    other = await add_plan(db, ana, berta, "2027-01-01")
    assert await pay(db, ana, other, "5", ana) == "ok"
    assert await attempt(db, ana, "anular_saldo", settled["id"]) == "ok"
    assert (await accounts(db, berta))["saldado"] is None
    assert await pay(db, ana, plan, "5", ana) == "ok"
    assert await settle(db, ana, 2250) == "ok"
    assert await db.fetchval("select count(*) from liquidaciones") == 2


async def test_c11_3_after_parting_payments_are_read_by_the_plans_creator_and_kept(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_plan(db, ana, berta)
    identity = str(uuid.uuid4())
    await pay(db, ana, plan, "40", ana, id=identity)
    await settle(db, ana, 2000)
    async with acting(db, ana):
        await call(db, "desvincular_pareja")
    seen = {}
    for person in people:
        async with acting(db, person):
            seen[person] = (
                await db.fetchval("select count(*) from pagos"),
                await db.fetchval("select count(*) from liquidaciones"),
            )
    assert seen == {ana: (1, 0), berta: (0, 0), carla: (0, 0)}
    assert await pay(db, ana, plan, "5", ana) == BEFORE
    assert await attempt(db, ana, "borrar_pago", identity) == BEFORE
    assert await pay(db, berta, plan, "5", berta) == MISSING
    assert await accounts(db, ana) == {
        "gastado": 0, "de": None, "a": None, "importe": 0, "saldado": None,
    }  # fmt: skip
    await pair(db, ana, carla)
    assert (await accounts(db, carla))["gastado"] == 0
    assert await pay(db, ana, plan, "5", ana) == BEFORE
    async with acting(db, carla):
        await call(db, "desvincular_pareja")
    await pair(db, ana, berta)
    assert (await accounts(db, berta))["saldado"]["importe"] == 2000


async def test_c11_an_outsider_and_nobody_see_and_change_nothing(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    plan = await add_plan(db, ana, berta)
    identity = str(uuid.uuid4())
    await pay(db, ana, plan, "40", ana, id=identity)
    await settle(db, ana, 2000)
    settled = str(await db.fetchval("select id from liquidaciones"))
    for wrong in (plan, str(uuid.uuid4())):
        assert await pay(db, carla, wrong, "1", carla) == MISSING
    for wrong in (identity, str(uuid.uuid4())):
        assert await attempt(db, carla, "borrar_pago", wrong) == MISSING
    assert await attempt(db, carla, "anular_saldo", settled) == "ok"
    assert (await accounts(db, ana))["saldado"]["id"] == settled
    assert (await accounts(db, carla))["gastado"] == 0
    async with acting(db, carla):
        assert await db.fetchval("select count(*) from pagos") == 0
        assert await db.fetchval("select count(*) from liquidaciones") == 0
    for table in ("pagos", "liquidaciones"):
        for statement in (f"insert into {table} default values", f"delete from {table}"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with acting(db, ana):
                    await db.execute(statement)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with acting(db, None, "anon"):
                await db.execute(f"select from {table}")
    for table, key in (("pagos", identity), ("liquidaciones", settled)):
        outcomes = await answers(
            db, f"public.{table}", [await key_of(db, f"public.{table}", key)],
            [("authenticated", {"sub": who, "role": "authenticated"}) for who in (berta, carla)],
        )  # fmt: skip
        assert [rows for rows, _ in outcomes] == [[True], [False]]


async def test_c11_only_an_accepted_plan_has_costs_and_one_of_the_two_pays(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    waiting = await add_activity(db, ana, "Cena", fecha=f"{MONTH}-05")
    assert await pay(db, ana, waiting, "5", ana) == UNACCEPTED
    plan = await add_plan(db, ana, berta)
    assert await pay(db, ana, plan, "5", carla) == "Paga uno de los dos."
    alone = await add_activity(db, carla, "Sola", fecha=f"{MONTH}-05")
    assert await pay(db, carla, alone, "5", carla) == UNACCEPTED
    # The same id under another plan is another payment.
    other = await add_plan(db, ana, berta)
    identity = str(uuid.uuid4())
    await pay(db, ana, plan, "5", ana, id=identity)
    await pay(db, ana, other, "9", ana, id=identity)
    assert (await accounts(db, ana))["gastado"] == 1400


@pytest.mark.parametrize(
    ("constraint", "importe", "parte"),
    [
        ("importe", "0", 50),
        ("importe", "-1", 50),
        ("importe", "0.004", 50),
        ("importe", "NaN", 50),
        ("parte", "1", 101),
        ("parte", "1", -1),
    ],
)
async def test_c11_a_payment_is_an_amount_and_a_share(
    db: Connection, people: tuple[str, str, str], constraint: str, importe: str, parte: int
) -> None:
    ana, berta, _ = people
    plan = await add_plan(db, ana, berta)
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        await pay(db, ana, plan, importe, ana, parte=parte)
    assert refusal.value.constraint_name == f"pagos_{constraint}_check"


async def test_c11_twenty_payments_a_plan(db: Connection, people: tuple[str, str, str]) -> None:
    ana, berta, _ = people
    plan = await add_plan(db, ana, berta)
    await pay(db, ana, plan, "1", ana)
    await db.execute(
        "insert into pagos (id, actividad_id, pagado_por, importe)"
        " select gen_random_uuid(), actividad_id, pagado_por, 1 from pagos, generate_series(2, 20)"
    )
    assert await pay(db, berta, plan, "1", ana) == "En este plan ya no caben más gastos."


@pytest.mark.parametrize("month", ["2026-13", "2026-1", "0000-01", "2026-11-01", "'; --", ""])
async def test_c11_a_month_is_a_year_and_a_month(
    db: Connection, people: tuple[str, str, str], month: str
) -> None:
    assert await attempt(db, people[0], "cuentas", month) == "Ese mes no existe."
    assert await attempt(db, people[0], "saldar", str(uuid.uuid4()), month, 1) == (
        "Ese mes no existe."
    )


async def test_c11_payments_come_back_with_their_plan_and_are_in_the_export(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan = await add_plan(db, ana, berta)
    await pay(db, berta, plan, "40", ana, parte=25)
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", plan)
    assert (await accounts(db, ana))["gastado"] == 0
    async with acting(db, ana):
        await call(db, "recuperar_plan", plan)
    assert (await accounts(db, ana))["importe"] == 3000
    async with acting(db, ana):
        (payment,) = (await call(db, "exportar_datos"))["pagos"]
    assert (payment["pagado_por"], payment["anotado_por"], payment["parte"]) == (ana, berta, 25)


async def test_c11_what_somebody_paid_goes_with_their_account_from_the_trash_too(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    plan, deleted = await add_plan(db, ana, berta), await add_plan(db, ana, berta)
    for each in (plan, deleted):
        await pay(db, ana, each, "40", berta)
        await pay(db, berta, each, "7", ana)
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", deleted)
    await db.execute("delete from auth.users where id = $1", berta)
    async with acting(db, ana):
        await call(db, "recuperar_plan", deleted)
        left = await db.fetch("select pagado_por::text, anotado_por::text from pagos")
    # The deleted plan is nobody's acceptance any more, so that it has no costs.
    assert [tuple(row) for row in left] == [(ana, None)]
