"""Section 4 of the specification: statuses, transitions, session events, live updates."""

from __future__ import annotations

from playwright.async_api import expect

from tests.harness_browser import Windows, this_month
from tests.harness_couple import Person

LABELS = {"pendiente": "Pendiente", "aceptado": "Aceptado", "rechazado": "Rechazado"}


def one_of_each(ana: Person, luis: Person) -> None:
    """An activity per status, all on the twelfth, titled by the status."""
    ana.create_activity("pendiente", this_month(12))
    for estado in ("aceptado", "rechazado"):
        luis.answer(ana.create_activity(estado, this_month(12)), estado)


async def test_section_4_new_activities_start_as_pendiente(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.propose("Cena", this_month(9))
    await expect(window.item("Cena").get_by_text("Pendiente", exact=True)).to_be_visible()
    assert [row["estado"] for row in ana.activities()] == ["pendiente"]


async def test_section_4_a_rejected_activity_stays_struck_through_and_counts_for_nothing(
    windows: Windows, couple: tuple[Person, Person]
):
    """Web design, row e 12."""
    ana, luis = couple
    luis.answer(ana.create_activity("Cena", this_month(9), presupuesto=30), "rechazado")
    window = await windows.open(ana)
    await expect(window.item("Cena").locator("s")).to_have_text("Cena")
    await expect(window.figure("Presupuesto aceptado")).to_have_text("0,00\u00a0€")
    await expect(window.button("Eliminar: Cena")).to_be_visible()


async def test_section_4_signed_in_event_in_another_tab_signs_this_tab_in(
    windows: Windows, ana: Person
):
    first = await windows.open(path="/auth")
    second = await windows.open_tab(await first.page.context.new_page(), "/auth")
    await second.type_credentials(ana.email, ana.password)
    await second.submit_button().click()
    await expect(second.page).to_have_url(f"{windows.url}/dashboard")
    await expect(first.page).to_have_url(f"{windows.url}/dashboard")


async def test_section_4_signed_out_event_in_another_tab_signs_this_tab_out(
    windows: Windows, ana: Person
):
    first = await windows.open(ana)
    second = await windows.open_tab(await first.page.context.new_page(), "/dashboard")
    await second.button("Salir").click()
    await expect(second.page).to_have_url(f"{windows.url}/auth")
    await expect(first.page).to_have_url(f"{windows.url}/auth")


async def test_section_4_a_session_survives_a_reload(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.page.reload()
    await expect(window.text("Hola, Ana")).to_be_visible()


async def test_section_4_the_session_refreshes_by_itself(windows: Windows, ana: Person):
    """Token refreshed: the stored session is a new one and the dashboard stays."""
    window = await windows.open_nearly_expired(ana, seconds=60)
    async with window.page.expect_response("**/auth/v1/token?grant_type=refresh_token") as answer:
        await window.visit("/dashboard")
    assert (await answer.value).status == 200
    await window.dashboard_is_ready()
    session = await window.stored_session()
    assert session is not None
    assert session["refresh_token"] != ana.session["refresh_token"]
    await expect(window.text("Hola, Ana")).to_be_visible()


async def test_section_4_the_three_values_have_their_labels_and_colours_in_both_themes(
    windows: Windows, couple: tuple[Person, Person]
):
    """Aceptado green, rechazado red, pendiente the primary colour."""
    one_of_each(*couple)
    window = await windows.open(couple[0])
    for scheme in ("light", "dark"):
        await window.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        primary = await window.button("Nueva Actividad").evaluate(
            "button => getComputedStyle(button).backgroundColor"
        )
        for estado, label in LABELS.items():
            chip = window.item(estado).get_by_text(label, exact=True)
            await expect(chip).to_be_visible()
            mark = window.page.get_by_role("grid").locator(f"[data-estado={estado}]")
            drawn = await mark.evaluate(
                "mark => { const s = getComputedStyle(mark);"
                " return s.borderTopWidth === '0px' ? s.backgroundColor : s.borderTopColor }"
            )
            assert drawn == await chip.evaluate("chip => getComputedStyle(chip).color")
            red, green, blue = (int(part) for part in drawn[4:-1].split(","))
            if estado == "aceptado":
                assert green > max(red, blue)
            elif estado == "rechazado":
                assert red > max(green, blue)
            else:
                assert drawn == primary


async def test_section_4_an_answer_names_the_accepter_and_no_transition_out_of_it_is_offered(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Sí", this_month(9))
    ana.create_activity("No", this_month(10))
    window = await windows.open(luis)
    for titulo, word, label in (("Sí", "Aceptar", "Aceptado"), ("No", "Rechazar", "Rechazado")):
        await window.button(f"{word}: {titulo}").click()
        await expect(window.item(titulo).get_by_text(label, exact=True)).to_be_visible()
        await expect(window.answer_buttons(titulo)).to_have_count(0)
    answered = [(row["estado"], row["aceptado_por"]) for row in ana.activities()]
    assert answered == [("aceptado", luis.id), ("rechazado", None)]
    await window.page.reload()
    for titulo in ("Sí", "No"):
        await expect(window.item(titulo)).to_be_visible()
        await expect(window.answer_buttons(titulo)).to_have_count(0)


async def test_section_4_the_creator_may_delete_in_every_status_after_confirming(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    one_of_each(ana, luis)
    window = await windows.open(ana)
    for left, estado in enumerate(LABELS):
        await window.button(f"Eliminar: {estado}").click()
        await window.question().get_by_role("button", name="Cancelar").click()
        await expect(window.question()).to_have_count(0)
        await expect(window.item(estado)).to_be_visible()
        assert len(window.sent("DELETE", "/actividades")) == left
        assert len(ana.activities()) == len(LABELS) - left
        await window.delete(estado)
        await expect(window.item(estado)).to_have_count(0)
    assert ana.activities() == []
