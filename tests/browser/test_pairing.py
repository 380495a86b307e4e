"""Pairing (web design, rows e 1 to 1c): the card, the code, the link, every refusal, parting."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import expect

from tests.harness_browser import Window, Windows, long_date, this_month
from tests.harness_couple import PASSWORD, Person, import_person
from tests.harness_stack import Stack

CODE = re.compile(r"^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$")
OFFER = "Ana verá lo que has propuesto sin pareja, y tú lo suyo."

PARTING = (
    "Cada uno conserva solo lo que propuso, en «De antes», y nadie más lo ve. Si teníais una"
    " dirección de calendario, deja de funcionar. Si volvéis a emparejaros, vuelven los planes de"
    " los dos."
)


@pytest.fixture
def luis(stack: Stack) -> Person:
    """Somebody else without a partner."""
    return import_person(stack, "Luis")


def code_of(person: Person) -> str:
    """A new invitation's code, as the card shows it."""
    code = person.rpc("crear_invitacion")["codigo"]
    return f"{code[:4]}-{code[4:]}"


async def look_at(window: Window, code: str) -> None:
    """Type a code into the card."""
    await window.label("Código de tu pareja").fill(code)
    await window.button("Ver invitación").click()


async def expect_paired(window: Window, with_whom: str) -> None:
    """The card is gone, the partner's name is there."""
    await expect(window.page.get_by_text(re.compile(f"^\\w+ y {with_whom}$"))).to_have_count(1)
    await expect(window.heading("Planea con tu pareja")).to_have_count(0)


async def test_the_card_makes_a_code_without_look_alikes_valid_for_seven_days(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await expect(window.heading("Planea con tu pareja")).to_be_visible()
    await window.button("Crear código").click()
    await expect(window.text("Tu código de invitación")).to_be_visible()
    await expect(window.page.get_by_text(CODE)).to_have_count(1)
    until = (datetime.now().astimezone() + timedelta(days=7)).date().isoformat()
    await expect(window.text(f"Sirve una vez, hasta el {long_date(until)}.")).to_be_visible()


async def test_a_code_typed_by_the_partner_pairs_both_live(
    windows: Windows, ana: Person, luis: Person
):
    hers, his = await windows.open(ana), await windows.open(luis)
    await hers.button("Crear código").click()
    code = await hers.page.get_by_text(CODE).text_content()
    assert code is not None
    await look_at(his, code)
    await expect(his.question()).to_have_accessible_name("¿Planear junto a Ana?")
    await expect(his.question()).to_have_accessible_description(OFFER)
    await his.button("Aceptar invitación").click()
    await expect_paired(his, "Ana")
    await expect_paired(hers, "Luis")
    await hers.expect_toast("Ya planeas con Luis", "info")
    assert ana.profile["pareja_id"] == luis.profile["pareja_id"] is not None


async def test_a_code_may_be_typed_in_any_case_with_or_without_the_dash(
    windows: Windows, ana: Person, luis: Person
):
    his, code = await windows.open(luis), code_of(ana)
    for typed in (code.lower(), code.replace("-", ""), f" {code} "):
        await look_at(his, typed)
        await expect(his.question()).to_have_accessible_name("¿Planear junto a Ana?")
        await his.question().get_by_role("button", name="Cancelar").click()
        await expect(his.question()).to_have_count(0)
        await his.page.wait_for_function("() => !history.state?.dialog")


async def test_a_link_leads_a_signed_in_visitor_to_the_offer(
    windows: Windows, ana: Person, luis: Person
):
    his = await windows.open(luis, f"/auth?invitacion={code_of(ana)}")
    await expect(his.page).to_have_url(f"{windows.url}/dashboard")
    await expect(his.question()).to_have_accessible_name("¿Planear junto a Ana?")
    await his.button("Aceptar invitación").click()
    await expect_paired(his, "Ana")


async def test_a_link_survives_sign_up_and_login(windows: Windows, ana: Person):
    his = await windows.open(path=f"/auth?invitacion={code_of(ana)}")
    await expect(his.heading("Crear Cuenta")).to_be_visible()
    email = ana.email.replace("ana", "invitado")
    await his.type_credentials(email, PASSWORD, "Invitado")
    await his.submit_button().click()
    await expect(his.heading("Iniciar Sesión")).to_be_visible()
    await his.label("Contraseña").fill(PASSWORD)
    await his.submit_button().click()
    await expect(his.question()).to_have_accessible_name("¿Planear junto a Ana?")
    await his.button("Aceptar invitación").click()
    await expect_paired(his, "Ana")


async def test_an_offer_that_is_not_wanted_changes_nothing(
    windows: Windows, ana: Person, luis: Person
):
    his = await windows.open(luis)
    await look_at(his, code_of(ana))
    await his.question().get_by_role("button", name="Cancelar").click()
    await expect(his.heading("Planea con tu pareja")).to_be_visible()
    assert luis.profile["pareja_id"] is None


async def test_an_offer_that_could_not_be_accepted_stays_to_be_accepted_again(
    windows: Windows, ana: Person, luis: Person
):
    """An invitation link is used up by its first look; what failed must not cost it."""
    his = await windows.open(luis, f"/auth?invitacion={code_of(ana)}")
    his.expected.append("net::ERR_")
    await his.page.route("**/rpc/aceptar_invitacion", lambda route: route.abort())
    await his.button("Aceptar invitación").click()
    await his.expect_toast("El servidor no responde. Inténtalo de nuevo.", "error")
    await his.page.unroute("**/rpc/aceptar_invitacion")
    await his.button("Aceptar invitación").click()
    await expect_paired(his, "Ana")


async def test_the_link_and_the_code_can_be_copied(windows: Windows, ana: Person):
    window = await windows.open(ana, permissions=["clipboard-read", "clipboard-write"])
    await window.button("Crear código").click()
    code = await window.page.get_by_text(CODE).text_content()
    await window.button("Copiar código").click()
    await window.expect_toast("Copiado", "success")
    assert await window.page.evaluate("navigator.clipboard.readText()") == code
    await window.button("Copiar enlace").click()
    await window.page.wait_for_function(
        "async link => await navigator.clipboard.readText() === link",
        arg=f"{windows.url}/auth?invitacion={code}",
    )


async def test_the_code_is_still_there_after_a_reload_and_another_replaces_it(
    windows: Windows, ana: Person, luis: Person
):
    window = await windows.open(ana)
    await window.button("Crear código").click()
    code = await window.page.get_by_text(CODE).text_content()
    assert code is not None
    await window.page.reload()
    await expect(window.text(code)).to_be_visible()
    await window.button("Crear otro código").click()
    await expect(window.text(code)).to_have_count(0)
    his = await windows.open(luis)
    his.expected += ["status of 400"]
    await look_at(his, code)
    await his.expect_toast(
        "No hay ninguna invitación con ese código. Revísalo e inténtalo de nuevo.", "error"
    )


async def test_pairing_moves_what_both_had_proposed_to_the_couple(
    windows: Windows, ana: Person, luis: Person
):
    """Row e 1b: and nobody is told that the partner updated anything."""
    ana.create_activity("De Ana", this_month(9), presupuesto=3)
    luis.create_activity("De Luis", this_month(10))
    hers, his = await windows.open(ana), await windows.open(luis)
    await look_at(his, code_of(ana))
    await his.button("Aceptar invitación").click()
    for window in (hers, his):
        await expect(window.item("De Ana")).to_be_visible()
        await expect(window.item("De Luis")).to_be_visible()
        await expect(window.text("¡Tu pareja actualizó una actividad!")).to_have_count(0)
    await his.button("Aceptar: De Ana").click()
    await expect(hers.figure("Presupuesto aceptado")).to_have_text("3,00\u00a0€")


async def test_one_sees_the_partners_name_and_nothing_about_pairing(
    windows: Windows, couple: tuple[Person, Person]
):
    window = await windows.open(couple[0])
    await expect_paired(window, "Luis")


@pytest.mark.parametrize("typed", ["", "ABCD", "ABCD-EFG", "ABCD-EFGHJ"])
async def test_a_code_of_another_length_is_not_even_sent(windows: Windows, ana: Person, typed: str):
    window = await windows.open(ana)
    await look_at(window, typed)
    await expect(window.text("El código tiene 8 letras o números")).to_have_count(1)
    await expect(window.label("Código de tu pareja")).to_be_focused()
    assert window.sent("POST", "/rpc/ver_invitacion") == []


async def refusal(windows: Windows, person: Person, code: str, sentence: str) -> None:
    """A code that the server refuses shows its sentence, once."""
    window = await windows.open(person)
    window.expected += ["status of 400"]
    await look_at(window, code)
    await window.expect_toast(sentence, "error")
    await expect(window.question()).to_have_count(0)


async def test_an_unknown_code_is_refused(windows: Windows, luis: Person):
    sentence = "No hay ninguna invitación con ese código. Revísalo e inténtalo de nuevo."
    await refusal(windows, luis, "AAAA-AAAA", sentence)


async def test_ones_own_code_is_refused(windows: Windows, ana: Person):
    sentence = "Esta invitación es tuya: compártela con tu pareja."
    await refusal(windows, ana, code_of(ana), sentence)


async def test_an_expired_code_is_refused(
    windows: Windows, ana: Person, luis: Person, expire_invitation: Callable[[Person], None]
):
    code = code_of(ana)
    expire_invitation(ana)
    sentence = "Esta invitación ha caducado. Pide a tu pareja un código nuevo."
    await refusal(windows, luis, code, sentence)


async def test_a_used_code_is_refused(windows: Windows, stack: Stack, ana: Person, luis: Person):
    code = code_of(ana)
    luis.rpc("aceptar_invitacion", codigo=code)
    sentence = "Esta invitación ya se ha usado. Pide a tu pareja un código nuevo."
    await refusal(windows, import_person(stack, "Eva"), code, sentence)


async def test_after_five_wrong_codes_even_the_right_one_has_to_wait(
    windows: Windows, ana: Person, luis: Person
):
    for _ in range(5):
        answer = luis.client.post("/rest/v1/rpc/ver_invitacion", json={"codigo": "AAAAAAAA"})
        assert answer.status_code == 400
    sentence = "Has probado demasiados códigos incorrectos. Espera 15 minutos e inténtalo de nuevo."
    await refusal(windows, luis, code_of(ana), sentence)


async def test_a_link_opened_by_somebody_who_is_paired_says_so(
    windows: Windows, couple: tuple[Person, Person], ana: Person
):
    window = await windows.open(couple[0], f"/auth?invitacion={code_of(ana)}")
    await window.expect_toast("Ya compartes el calendario con tu pareja", "info")
    await expect(window.question()).to_have_count(0)


async def test_a_broken_link_says_so(windows: Windows, luis: Person):
    window = await windows.open(luis, "/auth?invitacion=ABC")
    await window.expect_toast("El enlace de invitación está incompleto", "error")


async def test_parting_is_confirmed_seen_by_both_and_deletes_nothing(
    windows: Windows, couple: tuple[Person, Person]
):
    """Row e 1c."""
    ana, luis = couple
    ana.create_activity("De Ana", this_month(9))
    luis.create_activity("De Luis", this_month(10))
    hers, his = await windows.open(ana), await windows.open(luis)
    await hers.open_settings()
    await hers.button("Desvincular").click()
    question = hers.question()
    await expect(question).to_have_accessible_name("¿Quieres dejar de compartir el calendario?")
    await expect(question).to_have_accessible_description(PARTING)
    await question.get_by_role("button", name="Desvincular").click()
    for window in (hers, his):
        await expect(window.text("Ya no compartís el calendario")).to_be_visible()
    for window, own, other in ((hers, "De Ana", "De Luis"), (his, "De Luis", "De Ana")):
        await expect(window.heading("Planea con tu pareja")).to_be_visible()
        await window.text("De antes, solo para ti (1)").click()
        await expect(window.item(own)).to_contain_text("De antes. Solo lo ves tú.")
        await expect(window.item(other)).to_have_count(0)
    assert [row["titulo"] for row in ana.activities()] == ["De Ana"]


async def numbers(window: Window) -> list[str | None]:
    """The three sums."""
    names = ("Actividades pendientes", "Actividades aceptadas", "Presupuesto aceptado")
    return [await window.figure(name).text_content() for name in names]


async def test_b1_pairing_again_brings_back_the_plans_of_both(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("De Ana", this_month(9))
    accepted = luis.create_activity("De Luis", this_month(10), presupuesto=3)
    ana.answer(accepted, "aceptado")
    ana.rpc("desvincular_pareja")
    hers, his = await windows.open(ana), await windows.open(luis)
    await expect(hers.text("De antes, solo para ti (1)")).to_be_visible()
    await look_at(his, code_of(ana))
    await expect(his.question()).to_have_accessible_name("¿Volver a planear junto a Ana?")
    await expect(his.question()).to_have_accessible_description(
        "Vuelven los 2 planes que teníais en común."
    )
    await his.button("Aceptar invitación").click()
    await his.expect_toast("Vuelves a planear con Ana", "info")
    await hers.expect_toast("Vuelves a planear con Luis", "info")
    for window in (hers, his):
        await expect(window.item("De Ana")).to_be_visible()
        await expect(window.item("De Luis")).to_be_visible()
        await expect(window.text(re.compile("^De antes"))).to_have_count(0)
        assert await numbers(window) == ["1", "1", "3,00\u00a0€"]


async def test_b3_plans_of_a_former_couple_count_nowhere(
    windows: Windows, stack: Stack, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Con Luis", this_month(9), presupuesto=7)
    luis.answer(plan, "aceptado")
    ana.create_activity("Pendiente", this_month(9))
    luis.rpc("desvincular_pareja")
    eva = import_person(stack, "Eva")
    eva.rpc("aceptar_invitacion", codigo=ana.rpc("crear_invitacion")["codigo"])
    ana.create_activity("Con Eva", this_month(10))
    hers, hers_too = await windows.open(ana), await windows.open(eva)
    for window in (hers, hers_too):
        await expect(window.item("Con Eva")).to_be_visible()
        assert await numbers(window) == ["1", "0", "0,00\u00a0€"]
        await expect(window.marks(this_month(9))).to_have_count(0)
    await expect(hers_too.text(re.compile("^De antes"))).to_have_count(0)
    await hers.text("De antes, solo para ti (2)").click()
    await expect(hers.item("Con Luis")).to_contain_text("Aceptado")
    await hers.delete("Pendiente")
    await expect(hers.text("De antes, solo para ti (1)")).to_be_visible()


async def test_b11_parting_clears_the_others_plans_from_the_devices_copy(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Secreto de Ana", this_month(9))
    window = await windows.open(luis)
    copy = "() => JSON.stringify({...localStorage}).includes('Secreto de Ana')"
    await window.page.wait_for_function(copy)
    ana.rpc("desvincular_pareja")
    await expect(window.item("Secreto de Ana")).to_have_count(0)
    await window.page.wait_for_function(f"() => !({copy})()")


async def test_b9_every_sentence_of_the_offer_is_true_of_these_two(
    windows: Windows, stack: Stack, couple: tuple[Person, Person]
):
    ana, luis = couple
    luis.create_activity("De antes")
    luis.rpc("desvincular_pareja")
    eva = import_person(stack, "Eva")
    his = await windows.open(luis)
    await look_at(his, code_of(eva))
    await expect(his.question()).to_have_accessible_description(
        "Eva verá lo que has propuesto sin pareja, y tú lo suyo. Lo de antes sigue siendo solo tuyo."
    )
    await his.question().get_by_role("button", name="Cancelar").click()
    luis.create_activity("A solas")
    await expect(his.item("A solas")).to_be_visible()
    await look_at(his, code_of(ana))
    await expect(his.question()).to_have_accessible_description(
        "Vuelve el plan que teníais en común. Ana verá lo que has propuesto sin pareja, y tú lo suyo."
    )


async def test_b9_a_code_that_was_used_is_not_passed_on_after_parting(
    windows: Windows, ana: Person, luis: Person
):
    """Neither on the page that saw the couple nor after a reload."""
    hers = await windows.open(ana)
    await hers.button("Crear código").click()
    code = await hers.page.get_by_text(CODE).text_content()
    luis.rpc("aceptar_invitacion", codigo=code)
    await expect_paired(hers, "Luis")
    luis.rpc("desvincular_pareja")
    await expect(hers.button("Crear código")).to_be_visible()
    await expect(hers.page.get_by_text(CODE)).to_have_count(0)
    await hers.page.reload()
    await expect(hers.button("Crear código")).to_be_visible()
    await expect(hers.page.get_by_text(CODE)).to_have_count(0)


async def test_b9_a_parting_is_not_told_as_a_deletion_where_a_plan_is_open(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("De Ana")
    window = await windows.open(luis, f"/dashboard?plan={plan}")
    sheet = window.page.get_by_role("dialog", name="De Ana")
    await expect(sheet).to_be_visible()
    ana.rpc("desvincular_pareja")
    await expect(window.text("Ese plan no existe o no lo compartes.")).to_be_visible()
    await expect(window.text("Ya no compartís el calendario")).to_be_visible()
    await expect(window.page.get_by_text("ha eliminado este plan")).to_have_count(0)
    await expect(sheet).to_have_count(0)


async def test_b9_a_parting_takes_the_question_for_a_reason_along(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("De Ana")
    window = await windows.open(luis)
    await expect(window.button("Algún día")).to_be_visible()
    await window.button("Rechazar la propuesta: De Ana").click()
    await expect(window.text("¿Quieres decir por qué?")).to_have_count(1)
    await expect(window.heading("Te toca responder")).to_be_visible()
    ana.rpc("desvincular_pareja")
    await expect(window.text("Ya no compartís el calendario")).to_be_visible()
    await expect(window.text("¿Quieres decir por qué?")).to_have_count(0)


async def test_parting_that_is_not_confirmed_parts_nobody(
    windows: Windows, couple: tuple[Person, Person]
):
    window = await windows.open(couple[0])
    await window.open_settings()
    await expect(window.text("Planeas con Luis")).to_be_visible()
    await window.button("Desvincular").click()
    await window.question().get_by_role("button", name="Cancelar").click()
    await window.button("Cerrar").click()
    await expect_paired(window, "Luis")
    assert couple[0].profile["pareja_id"] is not None


@pytest.fixture
def expire_invitation(stack: Stack) -> Callable[[Person], None]:
    """Moves the end of a person's live invitation into the past, as only the operator can."""

    def expire(person: Person) -> None:
        key = stack.keys["SUPABASE_SERVICE_ROLE_KEY"]
        answer = person.client.patch(
            f"/rest/v1/invitaciones?creador_id=eq.{person.id}",
            headers={"apikey": key, "authorization": f"Bearer {key}"},
            json={"caduca_en": (datetime.now(UTC) - timedelta(seconds=1)).isoformat()},
        )
        assert answer.is_success, answer.text

    return expire
