"""Realtime tells the couple, and nobody else, of inserts, updates and deletes.

Silence is proved by what follows: a listener hears changes in the order of their commits, so when
a later change of their own has arrived, nothing earlier is still on its way.
"""

from __future__ import annotations

import uuid

import httpx2
import pytest

from tests.harness_access import Cast, make_cast
from tests.harness_couple import Person, make_couple
from tests.harness_live import ALL_ACTIVITIES, Live, open_socket
from tests.harness_stack import Stack

EVERYTHING = {"event": "*", "schema": "public"}
OWN_PROFILE = {"event": "*", "schema": "public", "table": "profiles"}


def _key(stack: Stack) -> str:
    return stack.keys["SUPABASE_PUBLISHABLE_KEY"]


def _token(person: Person) -> str:
    return person.session["access_token"]


def _live_through(cast: Cast) -> str:
    """A whole life of an activity of the couple."""
    activity = cast.ana.create_activity("Secreta")
    cast.luis.answer(activity, "aceptado")
    cast.ana.delete(activity)
    return activity


async def _sentinel(person: Person, live: Live) -> None:
    """Wait until a change that comes later, the person's own, has arrived."""
    own = person.create_activity("Propia")
    await live.await_change(lambda data: (data.get("record") or {}).get("id") == own)


async def test_both_partners_hear_a_whole_life(cast: Cast, stack: Stack) -> None:
    async with (
        open_socket(stack.url, _key(stack)) as hers,
        open_socket(stack.url, _key(stack)) as his,
    ):
        await hers.subscribe("actividades-changes", _token(cast.ana), ALL_ACTIVITIES)
        await his.subscribe("actividades-changes", _token(cast.luis), ALL_ACTIVITIES)
        activity = cast.ana.create_activity("De los dos")
        for live in (hers, his):
            change = await live.await_change(lambda data: data["type"] == "INSERT")
            assert (change["record"]["id"], change["record"]["titulo"]) == (activity, "De los dos")
        cast.luis.answer(activity, "aceptado")
        for live in (hers, his):
            change = await live.await_change(lambda data: data["type"] == "UPDATE")
            assert change["record"]["aceptado_por"] == cast.luis.id
        cast.ana.delete(activity)
        for live in (hers, his):
            change = await live.await_change(lambda data: data["type"] == "DELETE")
            assert change["old_record"]["id"] == activity
            assert live.changes == []


@pytest.mark.parametrize(
    "changes",
    [
        (ALL_ACTIVITIES,),
        (EVERYTHING,),
        ({**ALL_ACTIVITIES, "event": "DELETE"}, ALL_ACTIVITIES),
        ({"event": "*", "schema": "*"},),
        ({**ALL_ACTIVITIES, "filter": "titulo=like.%"},),
    ],
    ids=["table", "schema", "deletes", "every schema", "filter"],
)
async def test_an_outsider_hears_nothing_of_the_couple(
    cast: Cast, stack: Stack, changes: tuple[dict[str, str], ...]
) -> None:
    async with open_socket(stack.url, _key(stack)) as live:
        await live.subscribe("actividades-changes", _token(cast.eva), *changes)
        _live_through(cast)
        await _sentinel(cast.eva, live)
        assert live.changes == []


async def test_filters_by_the_couples_ids_help_nobody(cast: Cast, stack: Stack) -> None:
    pareja = cast.ana.profile["pareja_id"]
    bindings = [
        {**ALL_ACTIVITIES, "filter": f"pareja_id=eq.{pareja}"},
        {**ALL_ACTIVITIES, "filter": f"id=eq.{cast.activity}"},
        {**ALL_ACTIVITIES, "filter": f"creador_id=in.({cast.ana.id},{cast.luis.id})"},
        {**ALL_ACTIVITIES, "filter": f"creador_id=eq.{cast.eva.id}"},
    ]
    async with open_socket(stack.url, _key(stack)) as live:
        await live.subscribe("x", _token(cast.eva), *bindings)
        _live_through(cast)
        await _sentinel(cast.eva, live)
        assert live.changes == []


async def test_subscribing_to_a_row_tells_nothing_of_it(cast: Cast, stack: Stack) -> None:
    received = []
    for row in (cast.activity, str(uuid.uuid4())):
        async with open_socket(stack.url, _key(stack)) as live:
            await live.subscribe(
                "x", _token(cast.eva), {**ALL_ACTIVITIES, "filter": f"id=eq.{row}"}
            )
            await live.settle()
            received.append([(f.event, str(f.payload).replace(row, "ROW")) for f in live.kept])
    assert received[0] == received[1]


@pytest.mark.parametrize("change", [ALL_ACTIVITIES, EVERYTHING], ids=["table", "schema"])
async def test_whoever_is_not_signed_in_hears_nothing(
    cast: Cast, stack: Stack, change: dict[str, str]
) -> None:
    async with (
        open_socket(stack.url, _key(stack)) as anonymous,
        open_socket(stack.url, _key(stack)) as eva,
    ):
        await anonymous.subscribe("actividades-changes", None, change)
        await eva.subscribe("actividades-changes", _token(cast.eva), ALL_ACTIVITIES)
        for _ in range(2):
            _live_through(cast)
            await _sentinel(cast.eva, eva)
        await anonymous.settle()
        assert anonymous.changes == []


async def test_profiles_are_told_to_the_couple_alone(cast: Cast, stack: Stack) -> None:
    async with (
        open_socket(stack.url, _key(stack)) as luis,
        open_socket(stack.url, _key(stack)) as eva,
    ):
        await luis.subscribe("p", _token(cast.luis), OWN_PROFILE)
        await eva.subscribe("p", _token(cast.eva), OWN_PROFILE)
        _rename(cast.ana, "Ana María")
        _rename(cast.eva, "Eva María")
        received = await luis.await_change(lambda data: data["type"] == "UPDATE")
        assert received["record"]["nombre"] == "Ana María"
        received = await eva.await_change(lambda data: data["type"] == "UPDATE")
        assert received["record"]["nombre"] == "Eva María"
        assert eva.changes == []


def _rename(person: Person, nombre: str) -> httpx2.Response:
    path = f"/rest/v1/profiles?id=eq.{person.id}"
    answer = person.client.patch(path, json={"nombre": nombre})
    assert answer.status_code == 204, answer.text
    return answer


async def test_the_service_role_hears_every_couple(cast: Cast, stack: Stack) -> None:
    other = make_cast(stack)
    async with open_socket(stack.url, stack.keys["SUPABASE_SECRET_KEY"]) as live:
        await live.subscribe("all", None, ALL_ACTIVITIES)
        for one in (cast, other):
            activity = one.ana.create_activity("Para todos")
            change = await live.await_change(
                lambda data, a=activity: (data.get("record") or {}).get("id") == a
            )
            assert change["type"] == "INSERT"
            one.luis.answer(activity, "rechazado")
            assert (await live.await_change(lambda d: d["type"] == "UPDATE"))["record"][
                "id"
            ] == activity
            one.ana.delete(activity)
            change = await live.await_change(lambda d: d["type"] == "DELETE")
            assert change["old_record"]["id"] == activity


async def test_an_ex_partner_hears_nothing_more_on_an_open_channel(stack: Stack) -> None:
    ana, luis = make_couple(stack)
    pending = ana.create_activity("Pendiente")
    async with open_socket(stack.url, _key(stack)) as live:
        await live.subscribe("actividades-changes", _token(luis), ALL_ACTIVITIES)
        ana.rpc("desvincular_pareja")
        ana.create_activity("Sola")
        ana.delete(pending)
        await _sentinel(luis, live)
        assert live.changes == []


async def test_an_ex_partner_hears_nothing_of_the_next_couple(cast: Cast, stack: Stack) -> None:
    ana, luis = make_couple(stack)
    async with open_socket(stack.url, _key(stack)) as live:
        await live.subscribe("actividades-changes", _token(luis), ALL_ACTIVITIES, OWN_PROFILE)
        luis.rpc("desvincular_pareja")
        code = ana.rpc("crear_invitacion")["codigo"]
        make_cast(stack).eva.rpc("aceptar_invitacion", codigo=code)
        ana.delete(ana.create_activity("Con Eva"))
        await _sentinel(luis, live)
        received = [data for data in live.changes if data["table"] == "actividades"]
        assert received == []
        assert all((d.get("record") or d["old_record"])["id"] == luis.id for d in live.changes)


async def test_a_socket_needs_a_key_of_ours(stack: Stack) -> None:
    address = f"{stack.url}/realtime/v1/websocket"
    upgrade = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    async with httpx2.AsyncClient() as client:
        for query in ("", "?apikey=", "?apikey=nonsense", "?apikey=sb_secret_x", "?apikey=%00%ff"):
            answer = await client.get(address + query, headers=upgrade)
            assert answer.status_code == 401, query
