"""Section 6 of the specification: who is shown what, and what the server keeps to itself."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.harness_browser import Windows, this_month
from tests.harness_couple import Person


@pytest.mark.parametrize("path", ["/dashboard"])
async def test_section_6_everything_requires_a_signed_in_user(windows: Windows, path: str):
    window = await windows.open(path="/")
    await window.visit(path)
    await expect(window.heading("Iniciar Sesión")).to_be_visible()
    assert window.calls == []
    assert window.sockets == 0


async def test_section_6_the_creator_deletes_and_cannot_accept_or_reject(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, _luis = couple
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana)
    await expect(window.button("Eliminar: Cena")).to_be_visible()
    await expect(window.answer_buttons("Cena")).to_have_count(0)


async def test_section_6_the_partner_accepts_or_rejects_and_cannot_delete(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(luis)
    await expect(window.answer_buttons("Cena")).to_have_count(2)
    await expect(window.button("Eliminar: Cena")).to_have_count(0)


async def test_section_6_the_list_shows_every_activity_the_server_returns(
    windows: Windows, couple: tuple[Person, Person]
):
    """No filter by couple in the client: what one kept from a former couple is listed last, folded."""
    ana, luis = couple
    ana.create_activity("De antes", this_month(9))
    ana.rpc("desvincular_pareja")
    ana.create_activity("De ahora", this_month(10))
    luis.create_activity("De Luis", this_month(11))
    window = await windows.open(ana)
    await expect(window.item("De ahora")).to_be_visible()
    await window.text("De antes, solo para ti (1)").click()
    await expect(window.item("De antes")).to_be_visible()
    await expect(window.item("De Luis")).to_have_count(0)


async def test_section_6_pareja_id_of_a_new_activity_is_the_profiles(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, _luis = couple
    window = await windows.open(ana)
    await window.propose("Cena", this_month(9))
    await expect(window.item("Cena")).to_be_visible()
    pareja = ana.profile["pareja_id"]
    assert pareja is not None
    assert [row["pareja_id"] for row in ana.activities()] == [pareja]


async def test_section_6_pareja_id_falls_back_to_ones_own_id(windows: Windows, ana: Person):
    window = await windows.open(ana)
    await window.propose("Cena", this_month(9))
    await expect(window.item("Cena")).to_be_visible()
    assert [row["pareja_id"] for row in ana.activities()] == [ana.id]


async def test_section_6_somebody_outside_the_couple_is_shown_nothing_of_it(
    windows: Windows, couple: tuple[Person, Person], ana: Person
):
    couple[0].create_activity("Secreto", this_month(9))
    window = await windows.open(ana)
    await expect(window.text("No hay actividades planeadas este mes")).to_be_visible()
    await expect(window.figure("Actividades pendientes")).to_have_text("0")
