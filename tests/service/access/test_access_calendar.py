"""The calendar's address: whoever has the secret reads the couple's plans, and nobody else."""

from __future__ import annotations

import httpx2
import icalendar
import pytest

from tests.harness_access import Cast
from tests.harness_couple import Person, make_couple
from tests.harness_stack import Stack

REST = "/rest/v1"
GONE = "Esta dirección de calendario no existe o se ha revocado."


def _read(stack: Stack, secreto: str) -> httpx2.Response:
    """As a calendar program does: the address alone, no header of ours."""
    key = stack.keys["SUPABASE_PUBLISHABLE_KEY"]
    query = {"secreto": secreto, "apikey": key}
    return httpx2.get(f"{stack.url}{REST}/rpc/calendario", params=query, timeout=60)


def _is_gone(answer: httpx2.Response) -> bool:
    body = answer.json()
    return (answer.status_code, body["code"], body["message"]) == (404, "PT404", GONE)


@pytest.fixture
def couple(stack: Stack) -> tuple[Person, Person, str]:
    ana, luis = make_couple(stack)
    return ana, luis, ana.rpc("crear_calendario")["secreto"]


def test_the_address_shows_the_couples_plans(
    couple: tuple[Person, Person, str], stack: Stack
) -> None:
    ana, luis, secreto = couple
    ana.create_activity("Cena, con «velas»; y más", "2099-12-24", descripcion="Línea 1\nLínea 2")
    ana.answer(luis.create_activity("Cine", "2099-12-25"), "rechazado")
    answer = _read(stack, secreto)
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    calendar = icalendar.Calendar.from_ical(answer.content)
    assert [str(event["summary"]) for event in calendar.walk("VEVENT")] == [
        "Cena, con «velas»; y más"
    ]


def test_both_partners_have_one_address(couple: tuple[Person, Person, str]) -> None:
    ana, luis, secreto = couple
    assert luis.rpc("crear_calendario") == ana.rpc("crear_calendario") == {"secreto": secreto}


@pytest.mark.parametrize("who", ["ana", "luis"])
def test_either_partner_ends_it(couple: tuple[Person, Person, str], stack: Stack, who: str) -> None:
    ana, luis, secreto = couple
    {"ana": ana, "luis": luis}[who].rpc("revocar_calendario")
    assert _is_gone(_read(stack, secreto))
    assert ana.rpc("crear_calendario")["secreto"] != secreto


def test_parting_ends_it(couple: tuple[Person, Person, str], stack: Stack) -> None:
    ana, _, secreto = couple
    ana.rpc("desvincular_pareja")
    assert _is_gone(_read(stack, secreto))


@pytest.mark.parametrize(
    "secreto", ["", "0" * 64, "F" * 64, "x", "%", "0" * 10_000, "é", "' or 1=1"]
)
def test_any_other_secret_answers_alike(stack: Stack, secreto: str) -> None:
    assert _is_gone(_read(stack, secreto))


def test_a_secret_of_one_couple_shows_nothing_of_another(
    couple: tuple[Person, Person, str], cast: Cast, stack: Stack
) -> None:
    _, _, secreto = couple
    assert "Viaje secreto" not in _read(stack, secreto).text


def test_who_is_alone_has_no_address(cast: Cast) -> None:
    answer = cast.eva.client.post(f"{REST}/rpc/crear_calendario", json={})
    assert (answer.status_code, answer.json()["code"]) == (400, "P0001")


@pytest.mark.parametrize("function", ["crear_calendario", "revocar_calendario"])
def test_nobody_makes_or_ends_one_without_signing_in(cast: Cast, function: str) -> None:
    answer = cast.nobody.post(f"{REST}/rpc/{function}", json={})
    assert (answer.status_code, answer.json()["code"]) == (401, "42501")


def test_the_secrets_cannot_be_read(cast: Cast) -> None:
    assert cast.nobody.get(f"{REST}/calendarios").status_code == 401
    for person in (cast.ana, cast.eva):
        answer = person.client.get(f"{REST}/calendarios")
        assert (answer.status_code, answer.json()["code"]) == (403, "42501")
