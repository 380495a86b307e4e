"""Pairing by code, and parting: what each function gives, refuses and changes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from tests.harness_sql import Connection, acting, add_activity, add_person, call, pair

USED = "Esta invitación ya se ha usado. Pide a tu pareja un código nuevo."
UNKNOWN = "No hay ninguna invitación con ese código. Revísalo e inténtalo de nuevo."
TOO_MANY = "Has probado demasiados códigos incorrectos. Espera 15 minutos e inténtalo de nuevo."


async def invite(db: Connection, person: str) -> str:
    async with acting(db, person):
        return (await call(db, "crear_invitacion"))["codigo"]


async def tried(db: Connection, person: str, function: str, *arguments: Any) -> str | None:
    """The sentence with which a function refuses (P0001), or None where it does not."""
    try:
        async with acting(db, person):
            await call(db, function, *arguments)
    except asyncpg.RaiseError as refusal:
        return str(refusal)
    return None


async def couple_of(db: Connection, person: str) -> str | None:
    return await db.fetchval("select pareja_id::text from profiles where id = $1", person)


@pytest.fixture
async def ana(db: Connection) -> str:
    return await add_person(db, "Ana")


@pytest.fixture
async def berta(db: Connection) -> str:
    return await add_person(db, "Berta")


@pytest.fixture
async def carla(db: Connection) -> str:
    return await add_person(db, "Carla")


async def test_an_invitation_has_eight_clear_symbols_and_lives_seven_days(
    db: Connection, ana: str
) -> None:
    async with acting(db, ana):
        made = await call(db, "crear_invitacion")
    assert set(made) == {"codigo", "caduca_en"}
    assert len(made["codigo"]) == 8
    assert set(made["codigo"]) <= set("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    left = datetime.fromisoformat(made["caduca_en"]) - datetime.now(UTC)
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)


async def test_codes_use_the_whole_alphabet_evenly(db: Connection) -> None:
    symbols = await db.fetch(
        "select symbol, count(*) as n from (select unnest(string_to_array("
        "planes.codigo_nuevo(), null)) as symbol from generate_series(1, 4000)) as s"
        " group by symbol"
    )
    counts = [row["n"] for row in symbols]
    assert len(counts) == 32
    assert min(counts) > 800  # 1000 expected; a bias of one bit would give 0, 500 or 2000
    assert max(counts) < 1200


async def test_the_code_shows_who_invites(db: Connection, ana: str, berta: str) -> None:
    code = await invite(db, ana)
    async with acting(db, berta):
        assert await call(db, "ver_invitacion", code) == {"nombre": "Ana", "vuelven": 0}
    assert await couple_of(db, berta) is None


@pytest.mark.parametrize(
    "typed",
    [
        lambda c: c,
        lambda c: c.lower(),
        lambda c: f"{c[:4]}-{c[4:]}",
        lambda c: f"  {c[:4].lower()} – {c[4:]}\n",
        " ".join,
    ],
)
async def test_a_code_is_taken_as_people_type_it(
    db: Connection, ana: str, berta: str, typed: Any
) -> None:
    code = await invite(db, ana)
    async with acting(db, berta):
        assert await call(db, "aceptar_invitacion", typed(code))


async def test_accepting_gives_both_one_fresh_couple(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    couple = await pair(db, ana, berta)
    assert await couple_of(db, ana) == await couple_of(db, berta) == couple
    assert couple not in {ana, berta}
    assert await couple_of(db, carla) is None
    assert await db.fetchval("select personas from parejas where id = $1", couple) == 2


async def test_activities_with_the_own_id_move_to_the_couple(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    for person, titulo in ((ana, "Cine"), (berta, "Cena"), (carla, "Otra")):
        await add_activity(db, person, titulo)
    couple = await pair(db, ana, berta)
    rows = await db.fetch("select titulo, pareja_id::text from actividades order by titulo")
    assert [tuple(r) for r in rows] == [("Cena", couple), ("Cine", couple), ("Otra", carla)]
    async with acting(db, berta):
        assert await db.fetchval("select count(*) from actividades") == 2


async def test_one_code_per_person_lives(db: Connection, ana: str, berta: str) -> None:
    first = await invite(db, ana)
    second = await invite(db, ana)
    assert await tried(db, berta, "aceptar_invitacion", first) == UNKNOWN
    assert await tried(db, berta, "aceptar_invitacion", second) is None


async def test_the_own_code_is_refused(db: Connection, ana: str) -> None:
    code = await invite(db, ana)
    for function in ("ver_invitacion", "aceptar_invitacion"):
        refusal = await tried(db, ana, function, code)
        assert refusal == "Esta invitación es tuya: compártela con tu pareja."


async def test_a_used_code_is_refused(db: Connection, ana: str, berta: str, carla: str) -> None:
    code = await invite(db, ana)
    async with acting(db, berta):
        await call(db, "aceptar_invitacion", code)
    for function in ("ver_invitacion", "aceptar_invitacion"):
        assert await tried(db, carla, function, code) == USED


async def test_an_expired_code_is_refused(db: Connection, ana: str, berta: str) -> None:
    code = await invite(db, ana)
    await db.execute("update invitaciones set caduca_en = now()")
    for function in ("ver_invitacion", "aceptar_invitacion"):
        refusal = await tried(db, berta, function, code)
        assert refusal == "Esta invitación ha caducado. Pide a tu pareja un código nuevo."


async def test_who_has_a_partner_neither_invites_nor_accepts(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    code = await invite(db, carla)
    await pair(db, ana, berta)
    for function in ("ver_invitacion", "aceptar_invitacion"):
        refusal = await tried(db, ana, function, code)
        assert refusal == "Ya tienes pareja. Desvincúlate antes de aceptar otra invitación."
    refusal = await tried(db, ana, "crear_invitacion")
    assert refusal == "Ya tienes pareja. Desvincúlate antes de invitar a otra persona."


async def test_an_inviter_who_has_found_a_partner_is_refused(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    code = await invite(db, ana)
    await pair(db, ana, berta)  # replaces the code, so put it back as another client could hold it
    await db.execute("insert into invitaciones (codigo, creador_id) values ($1, $2)", code, ana)
    refusal = await tried(db, carla, "aceptar_invitacion", code)
    assert refusal == "Quien te invitó ya tiene pareja."


async def test_pairing_ends_the_other_invitations_of_both(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    other = await invite(db, berta)
    await pair(db, ana, berta)
    assert await tried(db, carla, "aceptar_invitacion", other) == UNKNOWN


async def test_the_used_code_does_not_revive_with_the_users_account_gone(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    code = await invite(db, ana)
    async with acting(db, berta):
        await call(db, "aceptar_invitacion", code)
    await db.execute("delete from auth.users where id = $1", berta)
    assert await tried(db, carla, "aceptar_invitacion", code) == UNKNOWN


@pytest.mark.parametrize("code", ["", "x", "ABCDEFGH", "A" * 100_000, "'; --", "🙂", None])
async def test_an_unknown_code_is_refused(db: Connection, ana: str, code: str | None) -> None:
    for function in ("ver_invitacion", "aceptar_invitacion"):
        assert await tried(db, ana, function, code) == UNKNOWN


async def test_without_a_profile_nothing_is_paired(db: Connection, ana: str) -> None:
    await db.execute("delete from profiles where id = $1", ana)
    refusal = await tried(db, ana, "crear_invitacion")
    assert refusal == "No encontramos tu perfil: puede que esta cuenta ya no exista."


async def test_the_service_role_is_nobody_to_pair(db: Connection) -> None:
    with pytest.raises(asyncpg.RaiseError, match="Debes iniciar sesión"):
        async with acting(db, None, "service_role"):
            await call(db, "crear_invitacion")


async def test_five_wrong_codes_close_the_door(db: Connection, ana: str, berta: str) -> None:
    code = await invite(db, ana)
    for n in range(5):
        assert await tried(db, berta, "aceptar_invitacion", f"ZZZZZZZ{n + 2}") == UNKNOWN
    assert await tried(db, berta, "aceptar_invitacion", code) == TOO_MANY
    assert await tried(db, berta, "ver_invitacion", code) == TOO_MANY


async def test_the_door_is_closed_to_that_person_only(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    code = await invite(db, ana)
    for _ in range(6):
        await tried(db, berta, "ver_invitacion", "ZZZZZZZZ")
    assert await tried(db, carla, "aceptar_invitacion", code) is None


async def test_the_door_opens_after_fifteen_quiet_minutes(
    db: Connection, ana: str, berta: str
) -> None:
    code = await invite(db, ana)
    for _ in range(5):
        await tried(db, berta, "ver_invitacion", "ZZZZZZZZ")
    await age_wrong_codes(db, berta, minutes=14)
    assert await tried(db, berta, "ver_invitacion", code) == TOO_MANY
    await age_wrong_codes(db, berta, minutes=1)
    assert await tried(db, berta, "ver_invitacion", code) is None


async def test_used_expired_and_own_codes_are_no_guesses(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    code = await invite(db, ana)
    await db.execute("update invitaciones set caduca_en = now()")
    for _ in range(6):
        assert await tried(db, berta, "ver_invitacion", code) != TOO_MANY
    await db.execute("update invitaciones set usada_por = $1", carla)
    for _ in range(6):
        assert await tried(db, berta, "ver_invitacion", code) == USED


async def test_many_people_with_wrong_codes_forget_nobody_at_the_limit(db: Connection) -> None:
    closed = [await add_person(db, f"p{n}") for n in range(3)]
    for person in closed:
        for _ in range(5):
            await tried(db, person, "ver_invitacion", "ZZZZZZZZ")
    for n in range(60):
        await tried(db, await add_person(db, f"q{n}"), "ver_invitacion", "ZZZZZZZZ")
    for person in closed:
        assert await tried(db, person, "ver_invitacion", "ZZZZZZZZ") == TOO_MANY


async def tried_from(db: Connection, person: str, address: str | None, code: str) -> str | None:
    """What `ver_invitacion` refuses with to somebody whom the gateway saw at an address."""
    headers = {"x-forwarded-for": address} if address else {}
    try:
        async with acting(db, person):
            await db.execute("select set_config('request.headers', $1, true)", json.dumps(headers))
            await call(db, "ver_invitacion", code)
    except asyncpg.RaiseError as refusal:
        return str(refusal)
    return None


@pytest.mark.parametrize(
    ("places", "neighbour", "stranger"),
    [
        (["203.0.113.7"], "203.0.113.7", "203.0.113.8"),
        (["2001:db8:1:2::1", "2001:db8:1:2::2"], "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"),
        (["unknown"], "unknown", "203.0.113.8"),
    ],
)
async def test_twenty_wrong_codes_close_the_door_to_an_address(
    db: Connection, ana: str, places: list[str], neighbour: str, stranger: str
) -> None:
    code = await invite(db, ana)
    people = [await add_person(db, f"p{n}") for n in range(6)]
    for n in range(20):
        place = places[n % len(places)]
        assert await tried_from(db, people[n // 4], place, "ZZZZZZZZ") == UNKNOWN
    assert await tried_from(db, people[5], neighbour, code) == TOO_MANY
    assert await tried_from(db, people[5], stranger, code) is None


async def test_without_a_gateway_no_address_is_counted(db: Connection, ana: str) -> None:
    code = await invite(db, ana)
    people = [await add_person(db, f"p{n}") for n in range(7)]
    for n in range(24):
        await tried_from(db, people[n // 4], None, "ZZZZZZZZ")
    assert await tried_from(db, people[6], None, code) is None


async def test_parting_empties_both_and_keeps_what_each_created(
    db: Connection, ana: str, berta: str
) -> None:
    await pair(db, ana, berta)
    await add_activity(db, ana, "De Ana")
    await add_activity(db, berta, "De Berta")
    assert await tried(db, ana, "desvincular_pareja") is None
    assert (await couple_of(db, ana), await couple_of(db, berta)) == (None, None)
    for person, own in ((ana, "De Ana"), (berta, "De Berta")):
        async with acting(db, person):
            assert [r["titulo"] for r in await db.fetch("select titulo from actividades")] == [own]
            assert await db.fetchval("select count(*) from profiles") == 1
    ended = await db.fetchrow("select personas, terminada_en is not null from parejas")
    assert ended is not None
    assert tuple(ended) == (0, True)


async def test_a_parted_partner_answers_nothing(db: Connection, ana: str, berta: str) -> None:
    await pair(db, ana, berta)
    await add_activity(db, ana)
    await tried(db, berta, "desvincular_pareja")
    async with acting(db, berta):
        assert await db.execute("update actividades set estado = 'rechazado'") == "UPDATE 0"


async def test_a_new_partner_sees_nothing_of_the_former_couple(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    await pair(db, ana, berta)
    await add_activity(db, ana, "Con Berta")
    await tried(db, ana, "desvincular_pareja")
    await add_activity(db, ana, "A solas")
    await pair(db, ana, carla)
    async with acting(db, carla):
        assert [r["titulo"] for r in await db.fetch("select titulo from actividades")] == [
            "A solas"
        ]
    async with acting(db, ana):
        assert await db.fetchval("select count(*) from actividades") == 2
    async with acting(db, berta):
        assert await db.fetchval("select count(*) from actividades") == 0


async def test_parting_without_a_partner_is_refused(db: Connection, ana: str) -> None:
    refusal = await tried(db, ana, "desvincular_pareja")
    assert refusal == "Ahora mismo no tienes pareja vinculada."


async def test_a_deleted_account_leaves_the_partner_free(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    await pair(db, ana, berta)
    await db.execute("delete from auth.users where id = $1", berta)
    assert await couple_of(db, ana) is None
    await pair(db, ana, carla)


async def test_a_third_person_is_refused_by_the_database_itself(
    db: Connection, ana: str, berta: str, carla: str
) -> None:
    couple = await pair(db, ana, berta)
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        async with acting(db, None, "service_role"):
            await db.execute("update profiles set pareja_id = $1 where id = $2", couple, carla)
    assert refusal.value.constraint_name == "profiles_pareja_id_check"


async def age_wrong_codes(db: Connection, person: str, *, minutes: int) -> None:
    """Make the person's wrong codes older, by turning back the clock in their register."""
    await db.execute(
        "select setval(registro, (fallos::bigint << 60) | ((segundos - $2 * 60) << 28) | marca)"
        " from planes.codigo_erroneo_registros($1)"
        " where marca = planes.codigo_erroneo_marca($1) and fallos > 0",
        person,
        minutes,
    )
