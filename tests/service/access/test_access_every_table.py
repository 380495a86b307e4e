"""Every table and function of the planner, as the catalog has them, tried from outside the couple.

A table that is added later is tried with the others: it fails here until the couple of these tests
has a row in it.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx2
import pytest

from tests.harness_couple import Person, import_person, make_couple, sign_up
from tests.harness_live import open_socket
from tests.harness_stack import Stack
from tests.service.access.test_access_photos import add_photo

REST = "/rest/v1"
EVERYTHING = {"event": "*", "schema": "public"}
SECRET = "Secreto"
COUNTED = ("exact", "planned", "estimated")
# Who has no account may end the mails that somebody gets, and read a calendar, by a secret alone.
BY_SECRET = {"baja_correo", "calendario"}
# What a caller says besides the identity of something of the couple's, by the argument's name: a
# function that is added later is tried with the others, and its arguments stand here.
IDENTITIES = ("id", "plan", "idea", "serie")
ARGUMENTS: dict[str, Any] = {
    "alcance": "pendientes", "alto": 1, "ancho": 1, "auth": "A" * 22, "bytes": 100,
    "cada_ano": True, "cambios": {"titulo": "Robado"}, "codigo": "AAAA-AAAA", "cual": "me_encanta",
    "endpoint": "https://fcm.googleapis.com/robado", "fecha": "2027-01-09", "ficha": "x",
    "hasta": "2027-02-09", "hora": "09:00", "importe": 1, "mensaje": "Robado", "mes": "2026-12",
    "motivo": False, "nombre": "Robado", "nota": "Robada", "p256dh": "B" + "A" * 86, "parte": 50,
    "presupuesto": 1, "regla": "semanal", "respuesta": "aceptado", "revision": 1, "secreto": "x",
    "si": True, "texto": "Robado", "titulo": "Robado", "vistas": {}, "zona": "UTC",
}  # fmt: skip


@dataclass(frozen=True)
class Catalog:
    """What the schema of the API has: `open` are the tables that somebody signed in may ask."""

    tables: list[str]
    open: list[str]
    published: set[str]
    functions: dict[str, list[str]]
    embeddings: list[tuple[str, str]]


@pytest.fixture(scope="module")
def catalog(stack: Stack) -> Catalog:
    return asyncio.run(_read_catalog(stack.keys["DATABASE_URL"]))


async def _read_catalog(url: str) -> Catalog:
    db = await asyncpg.connect(url)
    try:
        tables = await db.fetch(
            "select relname::text as name, has_table_privilege('authenticated', oid, 'select') as open"
            " from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1"
        )
        published = await db.fetch(
            "select tablename::text from pg_publication_tables where schemaname = 'public'"
            " and pubname = 'supabase_realtime'"
        )
        functions = await db.fetch(
            "select proname::text as name, coalesce(proargnames, '{}') as arguments from pg_proc"
            " where pronamespace = 'public'::regnamespace order by 1"
        )
        keys = await db.fetch(
            "select conrelid::regclass::text as child, confrelid::regclass::text as parent"
            " from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace"
            " and confrelid in (select oid from pg_class"
            "  where relnamespace = 'public'::regnamespace)"
        )
    finally:
        await db.close()
    pairs = [(row["child"].split(".")[-1], row["parent"].split(".")[-1]) for row in keys]
    return Catalog(
        [row["name"] for row in tables],
        [row["name"] for row in tables if row["open"]],
        {row["tablename"] for row in published},
        {row["name"]: list(row["arguments"]) for row in functions},
        pairs + [(parent, child) for child, parent in pairs],
    )


def fill(ana: Person, luis: Person, mes: str = "2026-12") -> str:
    """A row of the couple in every table, of a month that is not settled; the plan's id."""
    plan = ana.create_activity(f"{SECRET} viaje", f"{mes}-24", presupuesto=1234.5)
    luis.answer(plan, "aceptado")
    for person in (ana, luis):
        person.rpc("comentar", plan=plan, id=new(), texto=f"{SECRET} comentario")
        person.rpc("reaccionar", plan=plan, cual="me_encanta")
        person.rpc("marcar_leido", plan=plan)
    ana.rpc("comentar", plan=plan, id=deleted_of(plan), texto=f"{SECRET} comentario")
    ana.rpc("borrar_comentario", id=deleted_of(plan))
    paid = {"plan": plan, "importe": 40, "pagado_por": ana.id}
    ana.rpc("anotar_pago", id=new(), parte=50, **paid)
    owed = ana.rpc("cuentas", mes=mes)["importe"]
    ana.rpc("saldar", id=new(), mes=mes, importe=owed)
    ana.rpc(
        "guardar_fecha_especial", id=new(), titulo=f"{SECRET} día", fecha="2020-02-02",
        cada_ano=True,
    )  # fmt: skip
    idea = new()
    ana.rpc("guardar_idea", id=idea, titulo=f"{SECRET} idea")
    luis.rpc("me_apetece", idea=idea, si=True)
    series = {"titulo": f"{SECRET} clase", "fecha": "2026-12-01"}
    ana.rpc("crear_serie", id=new(), plan=series, regla="mensual", hasta="2027-01-31")
    add_photo(ana, plan)
    return plan


def new() -> str:
    return str(uuid.uuid4())


def deleted_of(plan: str) -> str:
    """The identity of the plan's comment that its author may still take back."""
    return str(uuid.uuid5(uuid.UUID(plan), "comentario"))


@dataclass(frozen=True)
class People:
    ana: Person
    luis: Person
    eva: Person
    plan: str


@pytest.fixture(scope="module")
def people(stack: Stack) -> People:
    ana, luis = make_couple(stack)
    return People(ana, luis, sign_up(stack, "Eva"), fill(ana, luis))


@pytest.fixture(scope="module")
def parted(stack: Stack) -> People:
    """The same, and then Luis left."""
    ana, luis = make_couple(stack)
    plan = fill(ana, luis)
    luis.rpc("desvincular_pareja")
    return People(ana, luis, luis, plan)


def get(person: Person, path: str, **headers: str) -> httpx2.Response:
    return person.client.get(f"{REST}/{path}", headers=headers)


def shows(people: People, answer: httpx2.Response) -> bool:
    """Whether an answer has anything of the couple's."""
    assert answer.status_code < 500, answer.text
    return any(word in answer.text for word in (SECRET, people.plan, people.ana.id))


def test_the_partner_sees_a_row_of_every_table(people: People, catalog: Catalog) -> None:
    empty = [table for table in catalog.open if get(people.luis, f"{table}?select=*").json() == []]
    assert empty == []


def test_an_outsider_reads_counts_and_embeds_nothing(people: People, catalog: Catalog) -> None:
    expect_nothing(people, catalog)
    for table in set(catalog.open) - {"profiles"}:
        assert get(people.eva, f"{table}?select=*").json() == []
        for rows in get(people.luis, f"{table}?select=*").json():
            uuids = {name: value for name, value in rows.items() if is_uuid(value)}
            for name, value in uuids.items():
                exact = get(people.eva, f"{table}?{name}=eq.{value}", prefer="count=exact")
                assert (exact.json(), exact.headers["content-range"]) == ([], "*/0")


def test_the_former_partner_reads_counts_and_embeds_nothing(
    parted: People, catalog: Catalog
) -> None:
    expect_nothing(parted, catalog)


def expect_nothing(people: People, catalog: Catalog) -> None:
    readable = [
        table for table in catalog.open if shows(people, get(people.eva, f"{table}?select=*"))
    ]
    assert readable == []
    for parent, child in catalog.embeddings:
        answer = get(people.eva, f"{parent}?select=*,{child}(*)")
        assert not shows(people, answer), f"{child} in {parent}"
    for function in ("resumen_conversacion", "exportar_datos", "mis_borrados", "mis_dispositivos"):
        answer = people.eva.client.post(f"{REST}/rpc/{function}", json={})
        assert answer.is_success
        assert not shows(people, answer), function
    answer = people.eva.client.post(f"{REST}/rpc/cuentas", json={"mes": "2026-12"})
    assert not shows(people, answer)


def is_uuid(value: Any) -> bool:
    try:
        return str(uuid.UUID(value)) == value
    except (ValueError, TypeError, AttributeError):
        return False


@pytest.mark.parametrize("who", ["outsider", "former partner"])
def test_no_row_of_the_couple_is_changed_from_outside(
    request: pytest.FixtureRequest, catalog: Catalog, who: str
) -> None:
    couple: People = request.getfixturevalue("people" if who == "outsider" else "parted")
    before = {table: rows_of(couple.ana, table) for table in catalog.open}
    for table in catalog.tables:
        column = "titulo" if table == "actividades" else "id"
        for method, body in (("PATCH", {column: new()}), ("DELETE", None), ("POST", {})):
            filters = f"?or=({column}.is.null,{column}.not.is.null)" if method != "POST" else ""
            answer = couple.eva.client.request(
                method, f"{REST}/{table}{filters}", json=body,
                headers={"prefer": "return=representation"},
            )  # fmt: skip
            assert answer.status_code < 500, answer.text
            assert not shows(couple, answer), f"{method} {table}"
    assert {table: rows_of(couple.ana, table) for table in catalog.open} == before


@pytest.mark.parametrize("who", ["outsider", "former partner"])
def test_no_function_tells_or_changes_anything_of_the_couple_from_outside(
    request: pytest.FixtureRequest, catalog: Catalog, who: str
) -> None:
    couple: People = request.getfixturevalue("people" if who == "outsider" else "parted")
    before = {table: rows_of(couple.ana, table) for table in catalog.open}
    listed = {row.get("id") for table in catalog.open for row in rows(couple.ana, table)}
    kept = sorted(identity for identity in listed if is_uuid(identity))
    known = [deleted_of(couple.plan), *kept]
    for function in catalog.functions.keys() - {"eliminar_cuenta"}:
        names = catalog.functions[function]
        of_theirs = known if {"ids", *IDENTITIES} & set(names) else [couple.plan]
        for identity in of_theirs:
            arguments = {name: argument(couple, function, name, identity) for name in names}
            answer = couple.eva.client.post(f"{REST}/rpc/{function}", json=arguments)
            assert answer.status_code < 500, answer.text
            # Not `shows`: an identity that she says herself may be given to something of hers.
            assert not any(word in answer.text for word in (SECRET, couple.ana.email)), function
    assert {table: rows_of(couple.ana, table) for table in catalog.open} == before


def test_0_4_of_a_foreign_plan_every_function_says_what_it_says_of_none(
    people: People, catalog: Catalog
) -> None:
    for function, names in catalog.functions.items():
        if "plan" not in names or function == "crear_serie":
            continue
        foreign, missing = (
            people.eva.client.post(
                f"{REST}/rpc/{function}",
                json={name: argument(people, function, name, identity) for name in names},
            )
            for identity in (people.plan, new())
        )
        assert foreign.status_code == missing.status_code == 400, function
        assert foreign.json() == missing.json(), function
        assert foreign.json()["code"] == "P0001", function
        if function != "recuperar_plan":  # of what is in the trash it has words of its own
            assert foreign.json()["message"] == "Ese plan no existe o no lo compartes.", function


def test_0_4_of_a_foreign_id_every_function_says_what_it_says_of_a_new_one(
    stack: Stack, people: People, catalog: Catalog
) -> None:
    theirs = [deleted_of(people.plan)]
    for table in catalog.open:
        found = [row["id"] for row in rows(people.ana, table) if is_uuid(row.get("id"))]
        theirs += found[:1]
    theirs += [row["serie_id"] for row in rows(people.ana, "actividades") if row["serie_id"]][:1]
    for function, names in catalog.functions.items():
        for name in {"id", "idea", "serie"} & set(names):
            stranger = import_person(stack, "Sara")  # who has nothing by these ids of her own
            for identity in theirs:
                foreign, fresh = (
                    stranger.client.post(
                        f"{REST}/rpc/{function}",
                        json={n: argument(people, function, n, people.plan) for n in names}
                        | {name: each},
                    )
                    for each in (identity, new())
                )
                assert foreign.status_code == fresh.status_code, (function, identity)
                assert foreign.text == fresh.text, (function, identity)


def argument(couple: People, function: str, name: str, identity: str) -> Any:
    if (function, name) == ("crear_serie", "plan"):
        return {"titulo": "Robado", "fecha": "2027-01-09"}
    own = {"ids": [identity], "pagado_por": couple.ana.id, **dict.fromkeys(IDENTITIES, identity)}
    return own[name] if name in own else ARGUMENTS[name]


def rows(person: Person, table: str) -> list[dict[str, Any]]:
    return get(person, f"{table}?select=*").json()


def rows_of(person: Person, table: str) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows(person, table))


def test_nobody_without_an_account_reaches_a_table(
    people: People, stack: Stack, catalog: Catalog
) -> None:
    with nobody(stack) as client:
        for table in catalog.tables:
            for prefer in ("", *(f"count={each}" for each in COUNTED)):
                answer = client.get(f"{REST}/{table}", headers={"prefer": prefer})
                assert (answer.status_code, answer.json()["code"]) == (401, "42501"), table
                assert "content-range" not in answer.headers


def test_nobody_without_an_account_calls_a_function(
    people: People, stack: Stack, catalog: Catalog
) -> None:
    assert len(catalog.functions) > 40
    with nobody(stack) as client:
        for function in catalog.functions.keys() - BY_SECRET:
            arguments = dict.fromkeys(catalog.functions[function])
            answer = client.post(f"{REST}/rpc/{function}", json=arguments)
            assert (answer.status_code, answer.json()["code"]) == (401, "42501"), function


def nobody(stack: Stack) -> httpx2.Client:
    headers = {"apikey": stack.keys["SUPABASE_PUBLISHABLE_KEY"]}
    return httpx2.Client(base_url=stack.url, headers=headers, timeout=60)


async def test_nobody_outside_hears_of_any_table(
    people: People, parted: People, stack: Stack, catalog: Catalog
) -> None:
    key = stack.keys["SUPABASE_PUBLISHABLE_KEY"]
    async with (
        open_socket(stack.url, key) as partners,
        open_socket(stack.url, key) as outsiders,
        open_socket(stack.url, key) as formers,
    ):
        listeners = ((people.luis, partners), (people.eva, outsiders), (parted.luis, formers))
        for person, live in listeners:
            await live.subscribe("planes-extras", person.session["access_token"], EVERYTHING)
        await asyncio.to_thread(fill, people.ana, people.luis, "2027-03")
        await asyncio.to_thread(parted.ana.create_activity, f"{SECRET} plan")
        for person, live in listeners:
            own = await asyncio.to_thread(person.create_activity, "Propia")
            await live.await_change(lambda data, own=own: data.get("record", {}).get("id") == own)
        received = {change["table"] for change in partners.changes}
        # Nobody's name or couple changed meanwhile.
        assert received >= catalog.published - {"profiles"}
        assert outsiders.changes == []
        assert formers.changes == []
