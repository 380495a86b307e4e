"""What is read in other ways: on paper, from right to left, by a screen reader, beside a notification."""

from __future__ import annotations

from playwright.async_api import FloatRect, Locator, expect

from tests.harness_browser import Windows, this_month
from tests.harness_couple import Person


async def test_a_printed_month_is_black_on_white_and_has_nothing_to_press(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(luis, color_scheme="dark")
    await expect(window.item("Cena")).to_be_visible()
    await window.page.emulate_media(media="print")
    for name in (
        "Aceptar: Cena",
        "Más acciones: Cena",
        "Nueva Actividad",
        "Mes siguiente",
        "Salir",
    ):
        await expect(window.button(name)).to_have_count(0)
    await expect(window.item("Cena")).to_be_visible()
    colours = await window.page.evaluate(
        "[document.documentElement, document.querySelector('article h3')].map(element => {"
        " const style = getComputedStyle(element); return [style.backgroundColor, style.color] })"
    )
    assert colours[0] == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    assert colours[1][1] == "rgb(0, 0, 0)"


async def test_a_printed_month_keeps_what_only_one_sees_to_oneself(
    windows: Windows, couple: tuple[Person, Person]
):
    couple[0].create_activity("Con Luis", this_month(9))
    couple[0].rpc("desvincular_pareja")
    window = await windows.open(couple[0])
    await window.text("De antes, solo para ti (1)").click()
    await expect(window.item("Con Luis")).to_be_visible()
    await window.page.emulate_media(media="print")
    await expect(window.page.get_by_text("Con Luis")).to_be_hidden()


async def test_a14_a_title_in_arabic_turns_and_its_buttons_do_not(windows: Windows, ana: Person):
    ana.create_activity("عشاء", this_month(9), descripcion="مساء الخير")
    window = await windows.open(ana)
    item = window.item("عشاء")
    assert await direction(item.get_by_role("heading")) == "rtl"
    assert await direction(item.get_by_text("مساء الخير")) == "rtl"
    assert await direction(item.get_by_role("button", name="Eliminar: عشاء")) == "ltr"


async def test_0_8_the_forms_send_text_that_shows_itself_and_keep_emoji_whole(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await window.open_form()
    await window.label("Título").fill("\u200b\u3164 \u202e")
    await window.button("Crear actividad").click()
    await expect(window.label("Título")).to_have_accessible_description("El título es requerido")
    await window.label("Título").fill(" 👨‍👩‍👧 Ce\u200bna\u202e\u0007 ")
    await window.label("Descripción").fill("a\tb\u2066\nc")
    await window.button("Crear actividad").click()
    await window.expect_toast("¡Actividad creada!", "success")
    (plan,) = ana.activities()
    assert (plan["titulo"], plan["descripcion"]) == ("👨‍👩‍👧 Cena", "a b \nc")
    await window.open_settings()
    await window.label("Nombre").fill("\u2800")
    await window.button("Guardar nombre").click()
    await expect(window.label("Nombre")).to_have_accessible_description(
        "Por favor ingresa tu nombre"
    )
    await window.label("Nombre").fill("\u202eAna María")
    await window.button("Guardar nombre").click()
    await window.expect_toast("Nombre cambiado", "success")
    assert ana.profile["nombre"] == "Ana María"


async def direction(locator: Locator) -> str:
    """Which way an element's text runs."""
    return await locator.evaluate("element => getComputedStyle(element).direction")


async def test_a_month_of_more_than_sixty_plans_is_one_list(windows: Windows, ana: Person):
    row = {
        "fecha": this_month(9), "estado": "pendiente", "creador_id": ana.id, "pareja_id": ana.id,
    }  # fmt: skip
    rows = [{**row, "titulo": f"Plan {n}"} for n in range(65)]
    assert ana.client.post("/rest/v1/actividades", json=rows).is_success
    window = await windows.open(ana)
    plans = window.page.get_by_role("region", name="Actividades de este mes").get_by_role("list")
    await expect(plans.get_by_role("listitem")).to_have_count(65)
    await expect(plans).to_have_count(1)


async def test_on_a_phone_a_notification_and_the_offline_strip_leave_each_other_alone(
    windows: Windows, ana: Person
):
    window = await windows.open(ana, viewport={"width": 360, "height": 740})
    await window.shows_notifications()
    window.expected += ["net::ERR_", "Failed to fetch", r"\[planes\]"]
    await window.page.context.set_offline(True)
    strip = window.page.get_by_role("status").filter(has_text="Sin conexión.")
    await expect(strip).to_be_visible()
    await window.day(this_month(9)).click()
    toast = window.toasts()
    await expect(toast).to_have_count(1)
    await window.page.evaluate("scrollTo(0, 0)")
    button = window.button("Nueva Actividad")
    assert not overlap(await box(toast), await box(strip))
    assert not overlap(await box(toast), await box(button))


async def box(locator: Locator) -> FloatRect:
    """Where an element is."""
    found = await locator.bounding_box()
    assert found is not None
    return found


def overlap(one: FloatRect, other: FloatRect) -> bool:
    """Whether two boxes share a point."""
    return (
        one["x"] < other["x"] + other["width"]
        and other["x"] < one["x"] + one["width"]
        and one["y"] < other["y"] + other["height"]
        and other["y"] < one["y"] + one["height"]
    )
