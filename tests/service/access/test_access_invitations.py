"""Invitations under abuse: guessed codes, used ones, and races of acceptances over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.harness_couple import Person, import_person, make_couple
from tests.harness_stack import ROOMY, Stack, start_stack

WRONG = "No hay ninguna invitación con ese código. Revísalo e inténtalo de nuevo."
TOO_MANY = "Has probado demasiados códigos incorrectos. Espera 15 minutos e inténtalo de nuevo."


def _call(person: Person, function: str, **arguments: Any) -> httpx2.Response:
    return person.client.post(f"/rest/v1/rpc/{function}", json=arguments)


def _refusal(answer: httpx2.Response) -> str:
    assert answer.status_code == 400, answer.text
    body = answer.json()
    assert (body["code"], body["details"], body["hint"]) == ("P0001", None, None)
    return body["message"]


def _at_once(*calls: Callable[[], httpx2.Response]) -> list[httpx2.Response]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack of this file's own: twenty wrong codes close the door to everybody at one address."""
    started = start_stack(tmp_path_factory.mktemp("invitations") / "data", **ROOMY)
    yield started
    started.stop()


@pytest.fixture
def people(stack: Stack) -> tuple[Person, Person, Person]:
    return import_person(stack, "Ana"), import_person(stack, "Luis"), import_person(stack, "Eva")


def _code(person: Person) -> str:
    return person.rpc("crear_invitacion")["codigo"]


def test_a_code_may_be_typed_as_it_is_shown(people: tuple[Person, Person, Person]) -> None:
    ana, luis, _ = people
    code = _code(ana)
    typed = f" {code[:4].lower()}-{code[4:].lower()} "
    assert luis.rpc("ver_invitacion", codigo=typed) == {"nombre": "Ana", "vuelven": 0}
    luis.rpc("aceptar_invitacion", codigo=typed)
    assert luis.profile["pareja_id"] == ana.profile["pareja_id"] is not None


def test_looking_shows_the_name_and_nothing_more(people: tuple[Person, Person, Person]) -> None:
    ana, luis, _ = people
    assert luis.rpc("ver_invitacion", codigo=_code(ana)) == {"nombre": "Ana", "vuelven": 0}
    assert ana.profile["pareja_id"] is None
    assert [row["nombre"] for row in luis.client.get("/rest/v1/profiles").json()] == ["Luis"]


@pytest.mark.parametrize(
    ("function", "code"),
    [
        ("ver_invitacion", "AAAABBBB"),
        ("aceptar_invitacion", ""),
        ("ver_invitacion", "'; drop table x; --"),
        ("aceptar_invitacion", "ñ" * 100),
        ("ver_invitacion", "A" * 10000),
    ],
)
def test_a_wrong_code_is_refused_in_words(stack: Stack, function: str, code: str) -> None:
    person = import_person(stack, "Eva")
    assert _refusal(_call(person, function, codigo=code)) == WRONG


def test_the_sixth_wrong_code_is_one_too_many(people: tuple[Person, Person, Person]) -> None:
    """Also where a filter on the answer raises if that is a refusal, which would roll a count back."""
    ana, luis, eva = people
    code = _code(ana)
    for n in range(5):
        function = ("ver_invitacion", "aceptar_invitacion?pgrst_scalar->>code=like._%25%5C")[n % 2]
        assert _refusal(_call(luis, function, codigo=f"AAAABBB{n + 2}")) == WRONG
    for function in ("ver_invitacion", "aceptar_invitacion"):
        assert _refusal(_call(luis, function, codigo=code)) == TOO_MANY
    assert eva.rpc("ver_invitacion", codigo=code) == {"nombre": "Ana", "vuelven": 0}


def test_guessing_at_once_wins_no_more_guesses(people: tuple[Person, Person, Person]) -> None:
    _, luis, _ = people
    calls = [lambda n=n: _call(luis, "ver_invitacion", codigo=f"BBBBAA{n + 10}") for n in range(20)]
    messages = [_refusal(answer) for answer in _at_once(*calls)]
    assert messages.count(WRONG) == 5
    assert messages.count(TOO_MANY) == 15


def test_ones_own_invitation_is_not_for_oneself(people: tuple[Person, Person, Person]) -> None:
    ana, _, _ = people
    answer = _call(ana, "aceptar_invitacion", codigo=_code(ana))
    assert _refusal(answer) == "Esta invitación es tuya: compártela con tu pareja."


def test_a_new_invitation_ends_the_old_one(people: tuple[Person, Person, Person]) -> None:
    ana, luis, _ = people
    old, new = _code(ana), _code(ana)
    assert _refusal(_call(luis, "aceptar_invitacion", codigo=old)) == WRONG
    luis.rpc("aceptar_invitacion", codigo=new)


def test_a_used_invitation_is_used_up(people: tuple[Person, Person, Person]) -> None:
    ana, luis, eva = people
    code = _code(ana)
    luis.rpc("aceptar_invitacion", codigo=code)
    answer = _call(eva, "aceptar_invitacion", codigo=code)
    assert _refusal(answer) == "Esta invitación ya se ha usado. Pide a tu pareja un código nuevo."


def test_who_has_a_partner_neither_invites_nor_accepts(stack: Stack) -> None:
    ana, luis = make_couple(stack)
    eva = import_person(stack, "Eva")
    answer = _call(ana, "crear_invitacion")
    assert _refusal(answer) == "Ya tienes pareja. Desvincúlate antes de invitar a otra persona."
    answer = _call(luis, "aceptar_invitacion", codigo=_code(eva))
    assert _refusal(answer) == "Ya tienes pareja. Desvincúlate antes de aceptar otra invitación."


def test_pairing_moves_what_each_had_alone(people: tuple[Person, Person, Person]) -> None:
    ana, luis, eva = people
    ana.create_activity("De Ana")
    luis.create_activity("De Luis")
    eva.create_activity("De Eva")
    luis.rpc("aceptar_invitacion", codigo=_code(ana))
    for person in (ana, luis):
        assert {row["titulo"] for row in person.activities()} == {"De Ana", "De Luis"}
    assert {row["titulo"] for row in eva.activities()} == {"De Eva"}


def test_of_many_acceptances_at_once_one_wins(stack: Stack) -> None:
    ana = import_person(stack, "Ana")
    suitors = [import_person(stack, "Luis") for _ in range(6)]
    code = _code(ana)
    answers = _at_once(*[lambda s=s: _call(s, "aceptar_invitacion", codigo=code) for s in suitors])
    won = [s for s, answer in zip(suitors, answers, strict=True) if answer.is_success]
    assert len(won) == 1
    for answer in answers:
        if not answer.is_success:
            assert "usado" in _refusal(answer) or "pareja" in _refusal(answer)
    paired = [s for s in suitors if s.profile["pareja_id"] is not None]
    assert paired == won
    assert won[0].profile["pareja_id"] == ana.profile["pareja_id"]


def test_accepting_each_other_at_once_makes_one_couple(
    people: tuple[Person, Person, Person],
) -> None:
    ana, luis, _ = people
    hers, his = _code(ana), _code(luis)
    answers = _at_once(
        lambda: _call(ana, "aceptar_invitacion", codigo=his),
        lambda: _call(luis, "aceptar_invitacion", codigo=hers),
    )
    assert sorted(answer.is_success for answer in answers) == [False, True]
    assert [a.status_code for a in answers if not a.is_success] == [400]
    assert ana.profile["pareja_id"] == luis.profile["pareja_id"] is not None


def test_a_ring_of_acceptances_leaves_couples_of_two(stack: Stack) -> None:
    ring = [import_person(stack, "Ana") for _ in range(5)]
    codes = [_code(person) for person in ring]
    answers = _at_once(
        *[
            lambda p=person, c=codes[n - 1]: _call(p, "aceptar_invitacion", codigo=c)
            for n, person in enumerate(ring)
        ]
    )
    assert all(answer.status_code in {200, 400} for answer in answers), [a.text for a in answers]
    couples = [person.profile["pareja_id"] for person in ring]
    paired = [couple for couple in couples if couple is not None]
    assert len(paired) == 2 * sum(answer.is_success for answer in answers) > 0
    assert all(paired.count(couple) == 2 for couple in paired)
