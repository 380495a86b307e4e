"""Photos of a plan: added, seen by the other, looked at by keys and finger, taken away and back.

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import re
from typing import Any

import pyvips
from playwright.async_api import FilePayload, Locator, expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Window, Windows, today
from tests.harness_couple import Person
from tests.service.access.test_access_photos import add_photo

WHERE = b"41 24 12.2 N 2 10 26.5 E"
CHOOSER = "input[type=file][multiple]"
FILES = "**/storage/v1/object/recuerdos/**"
SIGNED = "**/storage/v1/object/sign/recuerdos/**"


def photo(name: str, width: int = 640, height: int = 480, red: int = 200) -> FilePayload:
    """A picture as a camera makes it: its place is in it."""
    colour = pyvips.Image.black(width, height).new_from_image([red, 90, 60])
    data = colour.cast("uchar").jpegsave_buffer()
    content = b"Exif\x00\x00" + WHERE
    place = b"\xff\xe1" + (len(content) + 2).to_bytes(2, "big") + content
    return {"name": name, "mimeType": "image/jpeg", "buffer": data[:2] + place + data[2:]}


def photos_of(window: Window) -> Locator:
    return window.page.get_by_role("region", name="Recuerdos")


def thumbs(window: Window) -> Locator:
    return photos_of(window).get_by_role("button", name=re.compile("^Foto "))


async def add(window: Window, *files: FilePayload) -> None:
    await expect(photos_of(window)).to_be_visible()
    await window.page.locator(CHOOSER).set_input_files(list(files))


async def swipe(window: Window, from_x: int, to_x: int) -> None:
    await (
        window.page.get_by_role("dialog")
        .last.locator("img")
        .evaluate(
            """(image, [from, to]) => {
            const touch = x => new Touch({identifier: 1, target: image, clientX: x, clientY: 200})
            const fire = (type, x, touches) => image.dispatchEvent(new TouchEvent(type, {
                bubbles: true, touches: touches ? [touch(x)] : [], changedTouches: [touch(x)],
            }))
            fire('touchstart', from, true)
            fire('touchend', to, false)
        }""",
            [from_x, to_x],
        )
    )


async def test_c14_2_a_photo_is_added_without_its_place_seen_by_the_other_live_and_taken_back(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena romántica", today())
    hers = await windows.open(ana, f"/dashboard?plan={plan}")
    his = await windows.open(
        luis, f"/dashboard?plan={plan}", viewport={"width": 360, "height": 740}
    )
    await expect(photos_of(his)).to_contain_text("Aún no hay recuerdos de este plan.")
    await add(hers, photo("a.jpg"), photo("b.jpg", 3000, 1000, red=20))
    for window in (hers, his):
        await expect(thumbs(window)).to_have_count(2)
    await expect(thumbs(his).first).to_have_accessible_name("Foto de Ana, Cena romántica")
    await expect(thumbs(hers).first).to_have_accessible_name("Foto tuya, Cena romántica")
    await expect_clean(his, axe_source)
    # The picture is there, at most 2048 pixels, and says nothing of where it was taken (C14.2).
    await thumbs(his).first.focus()
    await his.page.keyboard.press("Enter")
    viewer = his.page.get_by_role("dialog", name="Foto de Ana, Cena romántica")
    await expect(viewer).to_contain_text("1 de 2")
    await expect(his.button("Foto siguiente")).to_be_focused()
    await his.page.keyboard.press("ArrowRight")
    await expect(viewer).to_contain_text("2 de 2")
    await expect(viewer.locator("img")).to_have_js_property("naturalWidth", 2048)
    stored = await his.page.evaluate(
        "async () => (await (await fetch(document.querySelector('[role=dialog] img[width]').src))"
        ".text())"
    )
    assert "RIFF" in stored
    assert WHERE.decode() not in stored
    await expect(viewer.get_by_role("button", name="Eliminar")).to_have_count(0)
    await swipe(his, 100, 300)
    await expect(viewer).to_contain_text("1 de 2")
    await swipe(his, 300, 290)
    await expect(viewer).to_contain_text("1 de 2")
    await expect_clean(his, axe_source)
    await his.page.keyboard.press("Escape")
    await expect(thumbs(his).first).to_be_focused()
    # Its author writes under it, takes it away, and takes that back.
    await thumbs(hers).first.click()
    await hers.button("Escribir un pie de foto").click()
    await hers.label("Pie de foto").fill("El faro")
    await hers.page.keyboard.press("Enter")
    await expect(hers.page.get_by_role("img", name="El faro")).to_be_visible()
    await hers.page.get_by_role("dialog").last.get_by_role("button", name="Eliminar").click()
    await hers.expect_toast("Foto eliminada", "success")
    await expect(thumbs(his)).to_have_count(1)
    await hers.button("Deshacer").click()
    await expect(hers.page.get_by_text("2 de 2", exact=True)).to_be_visible()
    await hers.page.keyboard.press("Escape")
    for window in (hers, his):
        await expect(thumbs(window)).to_have_count(2)


async def test_c14_3_what_could_not_be_sent_is_kept_over_a_reload_and_sent_once(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, _ = couple
    plan = ana.create_activity("Cena", today())
    window = await windows.open(ana, f"/dashboard?plan={plan}")
    window.expected += [r"\[planes\] recuerdo", "ERR_FAILED", "ERR_INTERNET_DISCONNECTED", "planes"]
    await window.page.route(FILES, lambda route: route.abort())
    await add(window, photo("a.jpg"), photo("b.jpg"))
    await expect(photos_of(window).get_by_role("status")).to_contain_text("Subiendo 2 fotos")
    await window.page.context.set_offline(True)
    await expect(photos_of(window).get_by_role("status")).to_contain_text(
        "2 fotos esperan conexión"
    )
    await window.page.context.set_offline(False)
    # Whoever leaves now loses them, and is told so.
    await (
        window.page.get_by_role("dialog", name="Cena").get_by_role("button", name="Cerrar").click()
    )
    await window.button("Salir").click()
    await expect(window.question()).to_contain_text("Hay 2 fotos sin subir. Si sales, se pierden.")
    await window.question().get_by_role("button", name="Cancelar").click()
    await window.page.unroute(FILES)
    await window.visit(f"/dashboard?plan={plan}")
    await expect(thumbs(window)).to_have_count(2)
    assert len(_rows(ana)) == 2
    await expect(photos_of(window).get_by_role("status")).to_have_text("")


async def test_c14_4_what_is_no_photo_is_said_and_a_refusal_has_its_sentence(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, _ = couple
    plan = ana.create_activity("Cena", today())
    window = await windows.open(ana, f"/dashboard?plan={plan}")
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    wrong: list[FilePayload] = [
        {"name": "a.svg", "mimeType": "image/svg+xml", "buffer": svg},
        {"name": "b.jpg", "mimeType": "image/jpeg", "buffer": b"\xff\xd8\xff no picture"},
        photo("c.jpg", 10_000, 6000),
    ]
    for file in wrong:
        await add(window, file)
        await window.expect_toast("No se ha podido leer esa foto.", "error")
        await window.page.get_by_role("button", name="Cerrar notificación").click()
    # A repeat of what is on its way out is said again.
    window.expected.append("status of 400")
    full = {"code": "P0001", "message": "Habéis llenado vuestro espacio.", "details": None}
    await window.page.route(
        "**/rpc/preparar_recuerdo", lambda route: route.fulfill(status=400, json=full)
    )
    await add(window, photo("d.jpg"))
    await expect(photos_of(window).get_by_role("alert")).to_contain_text(
        "Habéis llenado vuestro espacio."
    )
    await window.page.unroute("**/rpc/preparar_recuerdo")
    await photos_of(window).get_by_role("button", name="Reintentar").click()
    await expect(thumbs(window)).to_have_count(1)


async def test_c14_1_after_parting_ones_own_photos_are_looked_at_in_the_settings(
    windows: Windows, axe_source: str, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = luis.create_activity("Cena de Luis", today())
    hers = await windows.open(ana, f"/dashboard?plan={plan}")
    await add(hers, photo("a.jpg"))
    await expect(thumbs(hers)).to_have_count(1)
    luis.rpc("desvincular_pareja")
    await hers.visit("/dashboard?ajustes=datos")
    left = hers.page.get_by_role("region", name="Fotos de antes")
    await expect(left).to_contain_text("Solo las ves tú.")
    await expect_clean(hers, axe_source)
    await left.get_by_role("button", name="Foto tuya").press("Enter")
    viewer = hers.page.get_by_role("dialog", name="Foto tuya")
    await expect(viewer.locator("img")).to_have_js_property("naturalWidth", 640)
    await viewer.get_by_role("button", name="Eliminar").click()
    await hers.expect_toast("Foto eliminada", "success")
    await expect(left).to_have_count(0)
    assert _rows(luis) == []


def _rows(person: Person) -> list[dict[str, Any]]:
    return person.client.get("/rest/v1/recuerdos?select=*&subido_en=not.is.null").json()


async def test_c14_photos_that_cannot_be_fetched_to_be_saved_are_said_so(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    plan = ana.create_activity("Cena", today())
    luis.answer(plan, "aceptado")
    add_photo(ana, plan)
    window = await windows.open(ana, "/dashboard?ajustes=datos")
    window.expected += ["status of 404", r"\[planes\] photos"]
    await window.page.route(SIGNED, lambda route: route.fulfill(status=404))
    await window.button("Descargar las fotos (.zip)").click()
    await window.expect_toast("No se ha podido cargar.", "error")
