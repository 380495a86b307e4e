"""Section 4 of the specification, live updates: two partners, two browsers, no reload."""

from __future__ import annotations

from playwright.async_api import expect

from tests.harness_browser import Window, Windows, this_month
from tests.harness_couple import Person

PARTNER_UPDATED = "¡Tu pareja actualizó una actividad!"


async def both(windows: Windows, couple: tuple[Person, Person]) -> tuple[Window, Window]:
    """Ana's window and Luis's, both on the dashboard. A reload of either would empty the mark."""
    ana, luis = couple
    hers, his = await windows.open(ana), await windows.open(luis)
    for window in (hers, his):
        await window.page.evaluate("window.loadedOnce = true")
    return hers, his


async def never_reloaded(window: Window) -> bool:
    """Whether the page is still the one that was opened."""
    return await window.page.evaluate("window.loadedOnce === true")


async def test_section_4_an_insert_reloads_the_partners_list(
    windows: Windows, couple: tuple[Person, Person]
):
    hers, his = await both(windows, couple)
    await hers.propose("Cena", this_month(9))
    await expect(his.item("Cena")).to_be_visible()
    await expect(his.figure("Actividades pendientes")).to_have_text("1")
    await expect(his.marks(this_month(9))).to_have_count(1)
    assert await never_reloaded(his)


async def test_section_4_an_update_reloads_the_partners_list(
    windows: Windows, couple: tuple[Person, Person]
):
    couple[0].create_activity("Cena", this_month(9), presupuesto=25)
    hers, his = await both(windows, couple)
    await his.button("Aceptar: Cena").click()
    await expect(hers.item("Cena").get_by_text("Aceptado", exact=True)).to_be_visible()
    await expect(hers.figure("Actividades aceptadas")).to_have_text("1")
    await expect(hers.figure("Presupuesto aceptado")).to_have_text("25,00\u00a0€")
    assert await never_reloaded(hers)


async def test_section_4_a_delete_reloads_the_partners_list(
    windows: Windows, couple: tuple[Person, Person]
):
    couple[0].create_activity("Cena", this_month(9))
    hers, his = await both(windows, couple)
    await hers.delete("Cena")
    await expect(his.item("Cena")).to_have_count(0)
    await expect(his.text("No hay actividades planeadas este mes")).to_be_visible()
    assert await never_reloaded(his)


async def test_section_4_on_an_update_the_partner_gets_the_info_notification(
    windows: Windows, couple: tuple[Person, Person]
):
    couple[0].create_activity("Cena", this_month(9))
    hers, his = await both(windows, couple)
    await his.button("Aceptar: Cena").click()
    await hers.expect_toast(PARTNER_UPDATED, "info")


async def test_section_4_whoever_acted_is_not_told_that_the_partner_did(
    windows: Windows, couple: tuple[Person, Person]
):
    """Web design, row e 8: the own echo is swallowed, and the answer's own notification shows."""
    couple[0].create_activity("Cena", this_month(9))
    couple[0].create_activity("Cine", this_month(10))
    hers, his = await both(windows, couple)
    await his.button("Aceptar: Cena").click()
    await hers.expect_toast(PARTNER_UPDATED, "info")
    await his.button("Rechazar: Cine").click()
    await expect(hers.item("Cine").get_by_text("Rechazado", exact=True)).to_be_visible()
    await expect(his.item("Cine").get_by_text("Rechazado", exact=True)).to_be_visible()
    await his.expect_toast("Actividad rechazada", "success")
    await expect(his.text(PARTNER_UPDATED)).to_have_count(0)


async def test_section_4_whoever_acted_is_not_told_in_a_second_tab_either(
    windows: Windows, couple: tuple[Person, Person]
):
    """Web design, row e 8: aceptado_por is me."""
    couple[0].create_activity("Cena", this_month(9))
    hers, his = await both(windows, couple)
    other = await windows.open_tab(await his.page.context.new_page(), "/dashboard")
    await his.button("Aceptar: Cena").click()
    await hers.expect_toast(PARTNER_UPDATED, "info")
    await expect(other.item("Cena").get_by_text("Aceptado", exact=True)).to_be_visible()
    await expect(other.toasts()).to_have_count(0)


async def test_section_4_inserts_and_deletes_are_no_update(
    windows: Windows, couple: tuple[Person, Person]
):
    hers, his = await both(windows, couple)
    await hers.propose("Cena", this_month(9))
    await his.expect_toast("Ana propone «Cena»", "info")
    await hers.delete("Cena")
    await expect(his.item("Cena")).to_have_count(0)
    await expect(his.text(PARTNER_UPDATED)).to_have_count(0)


async def test_section_4_a_burst_of_updates_is_one_notification(
    windows: Windows, couple: tuple[Person, Person]
):
    """Web design, row e 8."""
    ana, luis = couple
    waiting = [ana.create_activity(f"Plan {number}", this_month(9)) for number in range(4)]
    hers = await windows.open(ana)
    for activity in waiting:
        luis.answer(activity, "aceptado")
    await expect(hers.figure("Actividades aceptadas")).to_have_text("4")
    await hers.expect_toast(PARTNER_UPDATED, "info")


async def test_section_4_changes_made_outside_the_web_app_arrive_as_well(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    his = await windows.open(luis)
    activity = ana.create_activity("Por guion", this_month(9))
    await expect(his.item("Por guion")).to_be_visible()
    ana.delete(activity)
    await expect(his.item("Por guion")).to_have_count(0)


async def test_section_4_somebody_outside_the_couple_hears_nothing(
    windows: Windows, couple: tuple[Person, Person], ana: Person
):
    """Section 6: what the server does not show it does not tell either."""
    outsider = await windows.open(ana, patient=True)
    his = await windows.open(couple[1])
    await his.propose("Secreto", this_month(9))
    couple[0].answer(couple[1].activities()[0]["id"], "aceptado")
    await his.expect_toast(PARTNER_UPDATED, "info")
    await expect(outsider.item("Secreto")).to_have_count(0)
    await expect(outsider.toasts()).to_have_count(0)
    assert len(outsider.sent("GET", "/actividades")) == 1
