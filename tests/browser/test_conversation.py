"""What the two say about a plan: comments, reactions, reasons, and what is not read yet.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid

import pytest
from playwright.async_api import Locator, Route, expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Window, Windows, today
from tests.harness_couple import Person


def say(person: Person, plan: str, texto: str) -> str:
    identity = str(uuid.uuid4())
    person.rpc("comentar", plan=plan, id=identity, texto=texto)
    return identity


async def open_sheet(windows: Windows, person: Person, plan: str, titulo: str) -> Window:
    window = await windows.open(person, f"/dashboard?plan={plan}")
    await expect(sheet_of(window, titulo).get_by_role("log")).to_be_visible()
    return window


def sheet_of(window: Window, titulo: str) -> Locator:
    return window.page.get_by_role("dialog", name=titulo)


async def test_c4_1_a_comment_is_seen_by_the_other_and_counted_until_it_is_read(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today())
    his = await windows.open(luis)
    hers = await open_sheet(windows, ana, plan, "Cena")
    log = sheet_of(hers, "Cena").get_by_role("log")
    await expect(log).to_contain_text("Aún no habéis comentado nada.")
    await hers.label("Escribe un comentario").fill("¿Reservo? https://cine.es")
    await hers.page.keyboard.press("Control+Enter")
    await expect(log.get_by_text("¿Reservo?")).to_have_count(1)
    await expect(hers.label("Escribe un comentario")).to_have_value("")
    unread = his.item("Cena").get_by_role("button", name="1 comentario, 1 sin leer: Cena")
    await expect(unread).to_be_visible()
    await expect(his.toasts()).to_have_count(0)
    await unread.click()
    theirs = sheet_of(his, "Cena").get_by_role("log")
    await expect(theirs).to_contain_text("Ana")
    await expect(theirs.get_by_role("link", name="https://cine.es")).to_be_visible()
    await expect_clean(his, axe_source)
    await his.label("Escribe un comentario").fill("Sí")
    await his.button("Enviar").click()
    await expect(log.get_by_text("Sí", exact=True)).to_have_count(1)
    await his.page.keyboard.press("Escape")
    await expect(his.item("Cena").get_by_role("button", name="2 comentarios: Cena")).to_be_visible()


async def test_c4_a_comment_is_taken_back_by_its_author_and_goes_for_both(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today())
    say(ana, plan, "Reservado")
    hers = await open_sheet(windows, ana, plan, "Cena")
    his = await open_sheet(windows, luis, plan, "Cena")
    await expect(his.page.get_by_text("Reservado")).to_be_visible()
    await expect(his.button("Eliminar comentario: Reservado")).to_have_count(0)
    await hers.button("Eliminar comentario: Reservado").click()
    for window in (hers, his):
        await expect(window.page.get_by_text("Reservado")).to_have_count(0)
        await expect(window.page.get_by_text("Aún no habéis comentado nada.")).to_be_visible()
    await hers.expect_toast("Comentario eliminado", "success")
    await hers.button("Deshacer").click()
    await hers.expect_toast("Comentario recuperado", "success")
    for window in (hers, his):
        await expect(window.page.get_by_text("Reservado")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1280])
async def test_c4_every_reaction_can_be_read_and_pressed_at_any_width(
    windows: Windows, couple: tuple[Person, Person], width: int
):
    """The button stands at the sheet's left edge until somebody has reacted."""
    ana, _ = couple
    plan = ana.create_activity("Cena", today())
    window = await windows.open(
        ana, f"/dashboard?plan={plan}", viewport={"width": width, "height": 780}
    )
    await window.button("Reaccionar").click()
    sheet = await sheet_of(window, "Cena").bounding_box()
    assert sheet
    for name in ("Me encanta", "Qué ganas", "Qué risa", "De acuerdo", "No lo sé", "Qué pena"):
        await expect(window.menu_item(name)).to_be_visible()
        box = await window.menu_item(name).bounding_box()
        assert box
        assert sheet["x"] <= box["x"]
        assert box["x"] + box["width"] <= sheet["x"] + sheet["width"]


async def test_c4_a_reaction_is_chosen_by_keys_and_shows_whose_it_is(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today())
    his = await open_sheet(windows, luis, plan, "Cena")
    hers = await open_sheet(windows, ana, plan, "Cena")
    await hers.button("Reaccionar").focus()
    keys = hers.page.keyboard
    for key in ("Enter", "ArrowDown", "Enter"):
        await keys.press(key)
    for window in (hers, his):
        await expect(sheet_of(window, "Cena").get_by_text("Qué ganas")).to_contain_text("Ana")


async def test_c4_5_a_rejection_is_one_press_and_its_reason_may_follow(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", today())
    ana.create_activity("Cine", today())
    hers, his = await windows.open(ana), await windows.open(luis)
    await his.button("Rechazar: Cena").click()
    await his.expect_toast("Actividad rechazada", "success")
    offer = his.item("Cena").get_by_role("region", name="¿Quieres decir por qué? Cena")
    await expect(offer).to_be_visible()
    await expect_clean(his, axe_source)
    await expect(hers.item("Cena")).to_contain_text("Rechazado")
    await offer.get_by_label("Motivo").fill("Ese día trabajo")
    await offer.get_by_role("button", name="Enviar motivo").click()
    await expect(offer).to_have_count(0)
    await expect(hers.item("Cena")).to_contain_text("Motivo de Luis: Ese día trabajo")
    await expect(his.item("Cena")).to_contain_text("Tu motivo: Ese día trabajo")
    await his.button("Rechazar la propuesta: Cine").click()
    waiting = his.page.get_by_role("region", name="¿Quieres decir por qué? Cine")
    await expect(waiting).to_be_visible()
    await waiting.get_by_role("button", name="Ahora no").click()
    await expect(waiting).to_have_count(0)
    assert {row["estado"] for row in ana.activities()} == {"rechazado"}


async def test_c4_5_a_reason_that_fails_leaves_the_rejection(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", today())
    his = await windows.open(luis)
    his.expected += ["net::ERR_"]
    await his.page.route("**/rpc/comentar", lambda route: route.abort())
    await his.button("Rechazar: Cena").click()
    offer = his.item("Cena").get_by_role("region", name="¿Quieres decir por qué? Cena")
    await offer.get_by_label("Motivo").fill("No puedo")
    await offer.get_by_role("button", name="Enviar motivo").click()
    await his.expect_toast("El servidor no responde. Inténtalo de nuevo.", "error")
    assert ana.activities()[0]["estado"] == "rechazado"


async def test_c4_3_what_was_not_sent_is_kept_and_tried_again_once(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today())
    window = await open_sheet(windows, luis, plan, "Cena")
    window.expected += ["net::ERR_"]
    await window.page.route("**/rpc/comentar", lambda route: route.abort())
    await window.label("Escribe un comentario").fill("Hola")
    await window.button("Enviar").click()
    await expect(window.page.get_by_text("No se ha enviado")).to_be_visible()
    await window.page.unroute("**/rpc/comentar")
    # It is shown before it is kept.
    async with window.page.expect_response("**/rpc/comentar", timeout=60_000):
        await window.button("Reintentar").click()
    await expect(window.page.get_by_text("No se ha enviado")).to_have_count(0)
    log = sheet_of(window, "Cena").get_by_role("log")
    await expect(log.get_by_text("Hola", exact=True)).to_have_count(1)
    assert len(ana.client.get("/rest/v1/comentarios?select=id").json()) == 1


async def test_c4_2_outsiders_get_nothing_by_embedding_or_counts(
    couple: tuple[Person, Person], ana: Person
):
    first, second = couple
    plan = first.create_activity("Cena", today())
    say(second, plan, "Secreto")
    for table in ("comentarios", "reacciones", "lecturas"):
        answer = ana.client.get(f"/rest/v1/{table}?select=*", headers={"prefer": "count=exact"})
        assert answer.json() == []
        assert answer.headers["content-range"] == "*/0"
        wanted = {"prefer": "count=planned"}
        planned = ana.client.get(f"/rest/v1/{table}?select=*&texto=eq.Secreto", headers=wanted)
        assert "Secreto" not in planned.text
    embedded = ana.client.get("/rest/v1/actividades?select=id,comentarios(texto),reacciones(cual)")
    assert embedded.json() == []
    assert first.client.get("/rest/v1/actividades?select=comentarios(texto)").json() == [
        {"comentarios": [{"texto": "Secreto"}]}
    ]


async def test_0_5_a_section_that_cannot_be_loaded_says_so_and_is_tried_again(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today())
    luis.rpc("comentar", plan=plan, id=str(uuid.uuid4()), texto="Llego tarde")
    window = await windows.open(ana)
    window.expected += ["status of 500", r"\[planes\]"]

    async def fail(route: Route) -> None:
        await route.fulfill(status=500, json={"message": "no"})

    await window.page.route("**/rest/v1/comentarios*", fail)
    await window.item("Cena").get_by_role("button", name="Cena", exact=True).click()
    sheet = window.page.get_by_role("dialog", name="Cena")
    await expect(sheet).to_contain_text("No se ha podido cargar.")
    await expect(window.toasts()).to_have_count(0)
    await window.page.unroute("**/rest/v1/comentarios*")
    await sheet.get_by_role("button", name="Reintentar").click()
    await expect(sheet.get_by_role("log")).to_contain_text("Llego tarde")
    await expect(sheet.get_by_text("No se ha podido cargar.")).to_have_count(0)
