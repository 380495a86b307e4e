"""The profile made with the user, and who may read and change it."""

from __future__ import annotations

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_person, add_user, pair


async def name_of(db: Connection, user: str) -> str | None:
    return await db.fetchval("select nombre from public.profiles where id = $1", user)


@pytest.mark.parametrize(
    ("email", "metadata", "nombre"),
    [
        ("ana@example.com", {"nombre": "Ana"}, "Ana"),
        ("ana@example.com", {"nombre": "  Ana María \n"}, "Ana María"),
        ("ana@example.com", {"nombre": "\u00a0\u200bAna\ufeff"}, "Ana"),
        ("ana@example.com", {"nombre": "Ana\n\tLuz"}, "Ana Luz"),
        ("ana@example.com", {"nombre": "x" * 61}, "x" * 60),
        ("ana@example.com", {"nombre": "x" * 59 + "  y"}, "x" * 59),
        ("ana@example.com", {"nombre": "👩‍❤️‍👨" * 12}, ("👩‍❤️‍👨" * 12)[:60]),
        ("ana@example.com", {"nombre": "   "}, "ana"),
        ("ana@example.com", {"nombre": ""}, "ana"),
        ("ana@example.com", {"nombre": None}, "ana"),
        ("ana@example.com", {"nombre": 7}, "ana"),
        ("ana@example.com", {"nombre": {"a": 1}}, "ana"),
        ("ana@example.com", {}, "ana"),
        ("ana@example.com", ["nombre"], "ana"),
        ("ana@example.com", "nombre", "ana"),
        ("ana@example.com", None, "ana"),
        ("x" * 64 + "@example.com", None, "x" * 60),
        ("@example.com", None, "Sin nombre"),
        (None, None, "Sin nombre"),
        (None, {"nombre": "Ana"}, "Ana"),
    ],
)
async def test_the_profile_is_made_with_the_user(
    db: Connection, email: str | None, metadata: object, nombre: str
) -> None:
    assert await name_of(db, await add_user(db, email, metadata)) == nombre


async def test_anonymous_and_phone_users_have_profiles(db: Connection) -> None:
    for columns in ({"is_anonymous": True}, {"phone": "34600000000"}):
        assert await name_of(db, await add_user(db, **columns)) == "Sin nombre"


async def test_the_auth_services_role_makes_profiles(db: Connection) -> None:
    await db.execute("set local role supabase_auth_admin; set local search_path = auth")
    user = await add_user(db, "ana@example.com")
    await db.execute("reset role; set local search_path = public")
    assert await name_of(db, user) == "ana"


async def test_a_sign_up_without_a_profile_leaves_no_user(db: Connection) -> None:
    await db.execute(
        "alter table public.profiles add constraint nobody check (nombre <> 'ana') not valid"
    )
    with pytest.raises(asyncpg.CheckViolationError):
        async with db.transaction():
            await add_user(db, "ana@example.com")
    assert await db.fetchval("select count(*) from auth.users") == 0


async def test_deleting_the_user_deletes_the_profile(db: Connection) -> None:
    user = await add_person(db, "Ana")
    await db.execute("delete from auth.users where id = $1", user)
    assert await name_of(db, user) is None


async def test_a_person_reads_the_own_and_the_partners_profile_only(db: Connection) -> None:
    ana, berta, carla = [await add_person(db, n) for n in ("Ana", "Berta", "Carla")]
    await pair(db, ana, berta)
    for reader, seen in ((ana, {"Ana", "Berta"}), (berta, {"Ana", "Berta"}), (carla, {"Carla"})):
        async with acting(db, reader):
            assert {r["nombre"] for r in await db.fetch("select * from profiles")} == seen


async def test_unpaired_people_do_not_see_each_other(db: Connection) -> None:
    ana, _berta = await add_person(db, "Ana"), await add_person(db, "Berta")
    async with acting(db, ana):
        assert await db.fetchval("select count(*) from profiles") == 1


async def test_a_person_renames_herself_and_nobody_else(db: Connection) -> None:
    ana, berta = await add_person(db, "Ana"), await add_person(db, "Berta")
    await pair(db, ana, berta)
    async with acting(db, ana):
        assert await db.execute("update profiles set nombre = 'Anita'") == "UPDATE 1"
    assert (await name_of(db, ana), await name_of(db, berta)) == ("Anita", "Berta")


@pytest.mark.parametrize("nombre", ["", "   ", "\u200b", "x" * 61, "a\nb", None])
async def test_a_bad_name_is_refused(db: Connection, nombre: str | None) -> None:
    ana = await add_person(db, "Ana")
    with pytest.raises(asyncpg.IntegrityConstraintViolationError):
        async with acting(db, ana):
            await db.execute("update profiles set nombre = $1", nombre)


@pytest.mark.parametrize(
    "statement",
    [
        "update profiles set pareja_id = gen_random_uuid()",
        "update profiles set id = gen_random_uuid()",
        "insert into profiles (id, nombre) values (gen_random_uuid(), 'Otra')",
        "delete from profiles",
        "truncate profiles",
        "select * from parejas",
        "insert into parejas default values",
        "select * from invitaciones",
        "insert into invitaciones (codigo, creador_id) values ('ABCDEFGH', auth.uid())",
        "select planes.disolver(gen_random_uuid())",
        "select planes.invitacion_valida('x')",
        "select planes.anotar_codigo_erroneo(auth.uid())",
        "select last_value from planes.codigo_erroneo_0",
    ],
)
async def test_what_belongs_to_the_functions_is_closed_to_the_signed_in(
    db: Connection, statement: str
) -> None:
    ana = await add_person(db, "Ana")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, ana):
            await db.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "select * from profiles",
        "select count(*) from actividades",
        "select * from parejas",
        "select * from invitaciones",
        "insert into actividades (titulo) values ('x')",
        "update profiles set nombre = 'x'",
        "delete from actividades",
        "select crear_invitacion()",
        "select ver_invitacion('ABCDEFGH')",
        "select aceptar_invitacion('ABCDEFGH')",
        "select desvincular_pareja()",
        "select planes.mi_pareja()",
    ],
)
async def test_nobody_gets_anything_without_signing_in(db: Connection, statement: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with acting(db, None, "anon"):
            await db.execute(statement)
