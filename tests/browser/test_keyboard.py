"""Everything by keyboard alone, and the keys of the calendar (web design d.5). Nothing here clicks."""

from __future__ import annotations

from datetime import date, timedelta

from playwright.async_api import Locator, expect

from tests.harness_browser import Window, Windows, month_title, other_month, this_month, today
from tests.harness_couple import PASSWORD, Person

STOPS = 80  # more than a screen has


async def tab_to(window: Window, target: Locator) -> None:
    """Press Tab until the target has the focus; every stop on the way shows where the focus is."""
    await expect(target).to_be_visible()
    for _ in range(STOPS):
        if await target.evaluate("element => element === document.activeElement"):
            return
        await window.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reached {target}")


async def press(window: Window, target: Locator, key: str = "Enter") -> None:
    """Go to a control by Tab and press it."""
    await tab_to(window, target)
    await window.page.keyboard.press(key)


async def type_into(window: Window, label: str, text: str) -> None:
    """Go to a field by Tab and type."""
    await tab_to(window, window.label(label))
    await window.page.keyboard.type(text)


async def test_every_action_of_the_product_works_by_keyboard_alone(windows: Windows, ana: Person):
    window = await windows.open(path="/")
    email = ana.email.replace("ana", "teclado")

    await press(window, window.button("Comenzar Ahora"))  # landing
    await press(window, window.button("Crear Cuenta"))  # sign up
    await type_into(window, "Nombre", "Luis")
    await type_into(window, "Correo electrónico", email)
    await type_into(window, "Contraseña", PASSWORD)
    await window.page.keyboard.press("Enter")
    await expect(window.heading("Iniciar Sesión")).to_be_visible()
    await expect(window.label("Contraseña")).to_be_focused()
    await window.page.keyboard.type(PASSWORD)  # sign in
    await window.page.keyboard.press("Enter")
    await window.dashboard_is_ready()

    await press(window, window.button("Crear código"))  # pair
    await expect(window.text("Tu código de invitación")).to_be_visible()
    await type_into(window, "Código de tu pareja", ana.rpc("crear_invitacion")["codigo"])
    await window.page.keyboard.press("Enter")
    await press(window, window.button("Aceptar invitación"))
    await expect(window.text("Luis y Ana")).to_have_count(1)

    await press(window, window.button("Mes siguiente"))  # change month
    await expect(window.month_title()).to_have_text(month_title(other_month(1)))
    await press(window, window.button("Hoy"))
    await expect(window.month_title()).to_have_text(month_title(today()))

    await tab_to(window, window.day(today()))  # open a day and create
    await window.page.keyboard.press("Home")
    await window.page.keyboard.press("Control+Home")
    await window.page.keyboard.press("Enter")
    await expect(window.label("Título")).to_be_focused()
    await window.page.keyboard.type("Cena")
    await type_into(window, "Descripción", "En el puerto")
    await type_into(window, "Presupuesto", "20,50")
    await press(window, window.button("Crear actividad"))
    await expect(window.item("Cena")).to_be_visible()

    ana.create_activity("Cine", today())  # accept and reject
    ana.create_activity("Museo", today())
    await press(window, window.button("Aceptar: Cine"), "Space")
    await expect(window.item("Cine").get_by_text("Aceptado", exact=True)).to_be_visible()
    await press(window, window.button("Rechazar: Museo"))
    await expect(window.item("Museo").get_by_text("Rechazado", exact=True)).to_be_visible()

    await press(window, window.button("Eliminar: Cena"))  # delete
    question = window.question()
    await expect(question.get_by_role("button", name="Cancelar")).to_be_focused()
    await press(window, question.get_by_role("button", name="Eliminar"))
    await expect(question).to_have_count(0)
    await expect(window.item("Cena")).to_have_count(0)

    await press(window, window.button("Ajustes"))  # the rest
    await press(window, window.button("Desvincular"))
    await press(window, window.question().get_by_role("button", name="Desvincular"))
    await expect(window.heading("Planea con tu pareja")).to_be_visible()
    await press(window, window.button("Salir"))
    await expect(window.page).to_have_url(f"{windows.url}/auth")


async def test_everything_beyond_the_specification_works_by_keyboard_alone(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    luis.answer(ana.create_activity("Cena", this_month(9), presupuesto=10), "aceptado")
    luis.answer(ana.create_activity("Cine", other_month(-1), presupuesto=5), "aceptado")
    ana.create_activity("Viaje", other_month(2))
    window = await windows.open(luis, permissions=["notifications"])

    async with window.page.expect_download():
        await press(window, window.button("Más acciones: Cena"))
        await window.page.keyboard.press("a")
        await expect(window.menu_item("Añadir a mi calendario")).to_be_focused()
        await window.page.keyboard.press("Enter")
    async with window.page.expect_download():
        await press(window, window.button("Descargar el mes para mi calendario"))
    summary = window.page.locator("summary", has_text="Últimos seis meses")
    await press(window, summary)
    await expect(window.page.get_by_role("rowheader")).to_have_count(6)
    await press(window, window.date_of("Cena"))
    await expect(window.day(this_month(9))).to_be_focused()
    await press(window, window.button("Más acciones: Cena"))
    for key, action in (
        ("End", "Historial"), ("ArrowDown", "Duplicar"),
        ("ArrowUp", "Historial"), ("Home", "Duplicar"),
    ):  # fmt: skip
        await window.page.keyboard.press(key)
        await expect(window.menu_item(action)).to_be_focused()
    await window.page.keyboard.press("Escape")
    await expect(window.button("Más acciones: Cena")).to_be_focused()
    await window.page.keyboard.press("Enter")
    await window.page.keyboard.press("Enter")
    await expect(window.label("Fecha")).to_be_focused()
    await window.page.keyboard.press("Escape")
    await expect(window.button("Más acciones: Cena")).to_be_focused()

    await press(window, window.button("Aceptar la propuesta: Viaje"))
    await expect(window.heading("Próximos planes")).to_be_focused()
    await press(window, window.button("Ajustes"))
    await press(window, window.page.get_by_role("switch", name="Avisos del sistema"), "Space")
    await press(window, window.button("Suscribirse desde otro calendario"))
    await press(window, window.button("Revocar"))
    await press(window, window.question().get_by_role("button", name="Revocar"))
    await expect(window.button("Suscribirse desde otro calendario")).to_be_visible()


def shifted(fecha: str, days: int) -> str:
    """A date so many days later."""
    return (date.fromisoformat(fecha) + timedelta(days=days)).isoformat()


def sunday_of(fecha: str) -> str:
    """The Sunday that begins a date's week."""
    return shifted(fecha, -(date.fromisoformat(fecha).isoweekday() % 7))


def keys_from_the_fifteenth() -> tuple[tuple[tuple[str, ...], str], ...]:
    """Keys, and the day on which they end."""
    day, sunday = this_month(15), sunday_of(this_month(15))
    return (
        (("ArrowRight",), shifted(day, 1)),
        (("ArrowLeft",), shifted(day, -1)),
        (("ArrowDown",), shifted(day, 7)),
        (("ArrowUp",), shifted(day, -7)),
        (("ArrowUp",) * 3, shifted(day, -21)),
        (("ArrowDown",) * 3, shifted(day, 21)),
        (("Home",), sunday),
        (("End",), shifted(sunday, 6)),
        (("PageDown",), other_month(1, 15)),
        (("PageUp",), other_month(-1, 15)),
        (("PageDown", "PageDown", "Control+Home"), today()),
    )


async def test_keys_move_through_the_calendar_and_across_months(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.day(today()).focus()
    for keys, target in keys_from_the_fifteenth():
        await go_to_the_fifteenth(window)
        for key in keys:
            await window.page.keyboard.press(key)
        await expect(window.day(target)).to_be_focused()
        await expect(window.month_title()).to_have_text(month_title(target))


async def go_to_the_fifteenth(window: Window) -> None:
    """By keys, from wherever in the calendar the focus is."""
    await window.page.keyboard.press("Control+Home")
    distance = 15 - int(today()[8:])
    for _ in range(abs(distance)):
        await window.page.keyboard.press("ArrowRight" if distance > 0 else "ArrowLeft")
    await expect(window.day(this_month(15))).to_be_focused()


async def test_a_month_key_keeps_the_day_or_takes_the_shorter_months_last(
    windows: Windows, ana: Person
):
    window = await windows.open_at(ana, "2027-01-31T12:00:00")
    await window.day("2027-01-31").focus()
    await window.page.keyboard.press("PageDown")
    await expect(window.day("2027-02-28")).to_be_focused()


async def test_a_key_opens_the_dialog_and_the_focus_comes_back_to_the_day(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await window.day(today()).focus()
    await go_to_the_fifteenth(window)
    for key in ("Enter", "Space"):
        await window.page.keyboard.press(key)
        await expect(window.label("Fecha")).to_have_value(this_month(15))
        await expect(window.label("Título")).to_be_focused()
        await window.page.keyboard.press("Escape")
        await expect(window.dialog()).to_have_count(0)
        await window.page.wait_for_function("() => !history.state?.dialog")
        await expect(window.day(this_month(15))).to_be_focused()


async def test_the_calendar_is_one_stop_of_the_tab_order(windows: Windows, ana: Person):
    window = await windows.open(ana)
    stops = window.page.get_by_role("grid").locator("button[tabindex='0']")
    await expect(stops).to_have_count(1)
    await expect(window.page.get_by_role("grid")).to_have_accessible_name(month_title(today()))
    await window.day(today()).focus()
    await window.page.keyboard.press("Tab")
    assert not await window.page.evaluate("!!document.activeElement.closest('[role=grid]')")


async def test_the_month_title_is_announced(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await expect(window.month_title()).to_have_attribute("aria-live", "polite")


async def test_the_skip_link_is_first_and_leads_to_the_list(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.page.keyboard.press("Tab")
    skip = window.page.get_by_role("link", name="Saltar a la lista de actividades")
    await expect(skip).to_be_focused()
    await expect(skip).to_be_in_viewport()
    await window.page.keyboard.press("Enter")
    await expect(window.heading("Actividades de este mes")).to_be_focused()


async def test_the_dialog_keeps_the_focus_and_escape_gives_it_back_to_the_button(
    windows: Windows, ana: Person
):
    window = await windows.open(ana)
    await press(window, window.button("Nueva Actividad"))
    await expect(window.label("Título")).to_be_focused()
    for _ in range(12):
        await window.page.keyboard.press("Tab")
        assert await window.page.evaluate("!!document.activeElement.closest('[role=dialog]')")
    await window.page.keyboard.press("Escape")
    await expect(window.button("Nueva Actividad")).to_be_focused()


async def test_after_a_deletion_the_focus_is_on_the_next_item_or_the_list(
    windows: Windows, ana: Person
):
    ana.create_activity("Primera", this_month(3))
    ana.create_activity("Segunda", this_month(4))
    window = await windows.open(ana)
    for titulo, next_focus in (
        ("Primera", window.item("Segunda")),
        ("Segunda", window.heading("Actividades de este mes")),
    ):
        await press(window, window.button(f"Eliminar: {titulo}"))
        await press(window, window.question().get_by_role("button", name="Eliminar"))
        await expect(next_focus).to_be_focused()


async def test_a_notification_lets_the_focus_go_on(windows: Windows, couple: tuple[Person, Person]):
    couple[0].create_activity("Cena", "2027-01-05")
    window = await windows.open_at(couple[1], "2027-01-05T12:00:00")
    await press(window, window.button("Aceptar: Cena"))
    await tab_to(window, window.toasts())
    for _ in range(2):
        await window.page.keyboard.press("Tab")
        await expect(window.toasts()).not_to_be_focused()


async def test_after_an_answer_the_focus_stays_on_the_item(
    windows: Windows, couple: tuple[Person, Person]
):
    couple[0].create_activity("Cena", this_month(3))
    window = await windows.open(couple[1])
    await press(window, window.button("Aceptar: Cena"))
    await expect(window.answer_buttons("Cena")).to_have_count(0)
    await expect(window.item("Cena")).to_be_focused()


async def test_the_focus_is_always_visible(windows: Windows, ana: Person):
    """Every stop of the tab order has the two-pixel outline."""
    window = await windows.open(ana)
    first = await _focused(window)
    for _ in range(STOPS):
        await window.page.keyboard.press("Tab")
        name, outline = await _focused(window)
        if name == "BODY" or (name, outline) == first:
            break
        assert outline == "2px solid", name


async def _focused(window: Window) -> tuple[str, str]:
    found = await window.page.evaluate(
        "() => { const e = document.activeElement, s = getComputedStyle(e);"
        " return [e.tagName === 'BODY' ? 'BODY' : e.outerHTML.slice(0, 120),"
        " `${s.outlineWidth} ${s.outlineStyle}`] }"
    )
    return found[0], found[1]
