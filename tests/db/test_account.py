"""The way out for good, and all that is one's own to take along.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_activity, call

AGAIN = "Vuelve a escribir tu contraseña."


@asynccontextmanager
async def signed_in_by(db: Connection, person: str, amr: Any) -> AsyncGenerator[None]:
    """A block as somebody whose token says how and when they signed in."""
    async with acting(db, person):
        claims = json.dumps({"sub": person, "role": "authenticated", "amr": amr})
        await db.execute("select set_config('request.jwt.claims', $1, true)", claims)
        yield


def password(seconds_ago: float) -> list[dict[str, Any]]:
    return [{"method": "password", "timestamp": int(time.time() - seconds_ago)}]


async def leave(db: Connection, person: str) -> None:
    async with signed_in_by(db, person, password(5)):
        await call(db, "eliminar_cuenta")


@pytest.mark.parametrize(
    "amr",
    [
        None,
        [],
        {},
        "password",
        ["password"],
        password(601),
        [{"method": "password"}],
        [{"method": "password", "timestamp": "9999999999"}],
        [{"method": "otp", "timestamp": int(time.time())}],
        [{"method": "totp", "timestamp": int(time.time())}, *password(3600)],
    ],
)
async def test_c5_an_account_goes_only_with_a_password_just_typed(
    db: Connection, people: tuple[str, str, str], amr: Any
) -> None:
    ana, _, _ = people
    with pytest.raises(asyncpg.RaiseError, match=AGAIN):
        async with signed_in_by(db, ana, amr):
            await call(db, "eliminar_cuenta")
    assert await db.fetchval("select count(*) from auth.users where id = $1", ana) == 1


async def rows_naming(db: Connection, person: str) -> list[str]:
    """The tables in which a person's id stands anywhere."""
    found: list[str] = []
    for table in await db.fetch(
        "select oid::regclass::text as name from pg_class where relkind = 'r'"
        " and relnamespace::regnamespace::text in ('public', 'planes', 'auth')"
    ):
        name = table["name"]
        if await db.fetchval(
            f"select exists (select from {name} t where t::text like $1)", f"%{person}%"
        ):
            found.append(name)
    return found


async def test_c5_2_an_account_that_goes_leaves_no_row(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, _ = people
    mine, hers = await add_activity(db, ana, "Cena"), await add_activity(db, berta, "Cine")
    async with acting(db, ana):
        await db.execute(
            "update actividades set estado = 'aceptado', aceptado_por = $1 where id = $2", ana, hers
        )
        await call(db, "crear_calendario")
    await db.execute("delete from actividades where id = $1", mine)
    await add_activity(db, ana, "Museo")
    await leave(db, ana)
    assert await rows_naming(db, ana) == []
    async with acting(db, berta):
        (left,) = await db.fetch("select titulo, estado from actividades")
        assert (left["titulo"], left["estado"]) == ("Cine", "pendiente")
        assert await db.fetchval("select pareja_id from profiles") is None


async def test_c5_3_a_session_that_outlives_its_account_does_nothing(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, _, _ = people
    await leave(db, ana)
    async with acting(db, ana):
        assert await db.fetchval("select count(*) from actividades") == 0
        assert await db.fetchval("select count(*) from profiles") == 0
    for function in ("eliminar_cuenta", "crear_invitacion", "mis_borrados"):
        with pytest.raises(asyncpg.RaiseError, match="No encontramos tu perfil"):
            async with signed_in_by(db, ana, password(5)):
                await call(db, function)
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await add_activity(db, ana)


@pytest.mark.parametrize("function", ["eliminar_cuenta", "exportar_datos"])
async def test_c5_nobody_without_a_session_calls_it(db: Connection, function: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, None, "anon"):
            await call(db, function)


async def test_c5_5_the_export_has_all_that_one_may_read_and_nobody_elses(
    db: Connection, people: tuple[str, str, str]
) -> None:
    ana, berta, carla = people
    await add_activity(db, carla, "De Carla")
    for person, titulo in ((ana, "Cena"), (berta, "Cine")):
        await add_activity(db, person, titulo)
    gone = await add_activity(db, ana, "Museo")
    async with acting(db, ana):
        await db.execute("delete from actividades where id = $1", gone)
        mine = await call(db, "exportar_datos")
    assert {row["titulo"] for row in mine["actividades"]} == {"Cena", "Cine"}
    assert {row["que"] for row in mine["historial"]} == {"propuesto"}
    assert [row["titulo"] for row in mine["papelera"]] == ["Museo"]
    assert (mine["perfil"]["nombre"], mine["pareja"]) == ("Ana", {"nombre": "Berta"})
    assert carla not in json.dumps(mine)
    async with acting(db, carla):
        theirs = await call(db, "exportar_datos")
    assert theirs["pareja"] is None
    assert [row["titulo"] for row in theirs["actividades"]] == ["De Carla"]
