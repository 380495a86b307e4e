"""What belongs to a device: lost connections, offline list, installation, alerts, remembered theme."""

from __future__ import annotations

from playwright.async_api import expect

from tests.harness_browser import Window, Windows, this_month
from tests.harness_couple import Person

OFFLINE = "Sin conexión"
NO_NETWORK = ["net::ERR_", "Failed to fetch", r"\[planes\]"]


async def lose_the_network(window: Window) -> None:
    """As in a tunnel."""
    window.expected += NO_NETWORK
    await window.page.context.set_offline(True)
    await expect(window.text(OFFLINE)).to_be_visible()


async def test_without_a_network_the_dashboard_says_so_and_keeps_the_list(
    windows: Windows, couple: tuple[Person, Person]
):
    couple[0].create_activity("Cena", this_month(9))
    window = await windows.open(couple[1])
    await expect(window.text(OFFLINE)).to_have_count(0)
    await lose_the_network(window)
    await expect(window.item("Cena")).to_be_visible()
    await expect(window.toasts()).to_have_count(0)


async def test_0_6_without_a_network_nothing_can_be_proposed_or_answered_and_it_says_why(
    windows: Windows, couple: tuple[Person, Person]
):
    couple[0].create_activity("Cena", this_month(9))
    window = await windows.open(couple[1])
    await window.shows_notifications()
    await lose_the_network(window)
    for name in ("Nueva Actividad", "Aceptar: Cena", "Rechazar: Cena"):
        await expect(window.button(name)).to_have_attribute("aria-disabled", "true")
        await expect(window.button(name)).to_have_accessible_description(
            "Sin conexión no se puede proponer ni responder"
        )
        await window.button(name).click(force=True)
    await expect(window.dialog()).to_have_count(0)
    await window.day(this_month(9)).click()
    await window.expect_toast("Sin conexión no se puede proponer ni responder", "info")
    assert window.sent("PATCH", "/actividades") == []


async def test_what_was_said_before_the_code_of_notifications_came_is_shown_when_it_comes(
    windows: Windows, ana: Person
):
    window = await windows.open(ana, "")
    await window.page.route("**/assets/toaster-*.js", lambda route: route.abort())
    async with window.page.expect_event("requestfailed", lambda each: "toaster" in each.url):
        await window.visit("/dashboard")
    await window.dashboard_is_ready()
    await lose_the_network(window)
    await window.day(this_month(9)).click()
    await window.page.unroute("**/assets/toaster-*.js")
    await window.page.context.set_offline(False)
    await window.expect_toast("Sin conexión no se puede proponer ni responder", "info")


async def test_when_the_network_is_back_what_happened_meanwhile_is_there(
    windows: Windows, couple: tuple[Person, Person]
):
    window = await windows.open(couple[1])
    await lose_the_network(window)
    couple[0].create_activity("Entretanto", this_month(9))
    await window.page.context.set_offline(False)
    await expect(window.item("Entretanto")).to_be_visible()
    await expect(window.text(OFFLINE)).to_have_count(0)
    await expect(window.button("Aceptar: Entretanto")).not_to_have_attribute(
        "aria-disabled", "true"
    )


async def test_a_tab_that_comes_back_into_view_looks_again(
    windows: Windows, couple: tuple[Person, Person]
):
    """Trap c.3-4: hidden tabs lose the socket silently."""
    window = await windows.open(couple[1], patient=True)
    async with window.page.expect_response("**/rest/v1/actividades*"):
        await window.page.evaluate(
            "document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))"
        )
    assert len(window.sent("GET", "/actividades")) == 2


async def test_the_app_is_installable(windows: Windows):
    window = await windows.open(path="/")
    href = await window.page.locator("link[rel=manifest]").get_attribute("href")
    assert href is not None
    answer = await window.page.request.get(windows.url + href)
    assert answer.headers["content-type"].startswith("application/manifest+json")
    manifest = await answer.json()
    assert manifest["start_url"] == "/dashboard"
    assert manifest["display"] == "standalone"
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in manifest["icons"]}
    for icon in manifest["icons"]:
        answer = await window.page.request.get(windows.url + icon["src"])
        assert answer.headers["content-type"] == icon["type"]


async def test_0_6_the_last_list_opens_without_a_network_until_sign_out(
    windows: Windows, couple: tuple[Person, Person]
):
    couple[0].create_activity("Cena", this_month(9))
    window = await windows.open(couple[1], worker=True)
    await window.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    # Also of a page that crashes, and so is never left.
    await window.page.wait_for_function("() => JSON.stringify({...localStorage}).includes('Cena')")
    window.expected += [*NO_NETWORK, "ServiceWorker", "Failed to load resource"]
    await window.page.context.set_offline(True)
    await window.page.reload()
    await expect(window.text("Hola, Luis")).to_be_visible()
    await expect(window.item("Cena")).to_be_visible()
    await expect(window.text("Luis y Ana")).to_have_count(1)
    await expect(window.text(OFFLINE)).to_be_visible()
    await expect(window.button("Aceptar: Cena")).to_have_attribute("aria-disabled", "true")
    await window.button("Salir").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    kept = await window.page.evaluate("JSON.stringify({...localStorage})")
    assert "Cena" not in kept
    assert await window.stored_session() is None


async def test_the_service_worker_keeps_nothing_of_the_backend(windows: Windows, ana: Person):
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(ana, worker=True)
    await window.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await window.page.reload()
    await window.dashboard_is_ready()
    cached: list[str] = await window.page.evaluate(
        """async () => {
            const names = await caches.keys();
            const lists = await Promise.all(names.map(async n => (await caches.open(n)).keys()));
            return lists.flat().map(request => new URL(request.url).pathname);
        }"""
    )
    assert "/" in cached
    assert [path for path in cached if "/v1" in path or path == "/mailbox"] == []


RECORD_ALERTS = """
window.raised = [];
window.asked = 0;
const Real = window.Notification;
window.Notification = class extends Real {
    constructor(title, options) { super(title, options); window.raised.push(title); }
    static requestPermission() { window.asked += 1; return Real.requestPermission(); }
};
"""
HIDE = "Object.defineProperty(document, 'visibilityState', {get: () => 'hidden'})"


async def open_with_alerts(windows: Windows, person: Person) -> Window:
    """A dashboard whose system notifications are heard; permission is granted once asked."""
    window = await windows.open(person, "", permissions=["notifications"])
    await window.run_first(RECORD_ALERTS)
    await window.visit("/dashboard")
    await window.dashboard_is_ready()
    return window


async def test_c1_8_without_push_a_hidden_tab_raises_a_system_notification_once_switched_on(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    activity = ana.create_activity("Cena", this_month(9))
    window = await open_with_alerts(windows, ana)
    await window.open_settings()
    switch = window.page.get_by_role("switch", name="Avisos del sistema")
    assert await window.page.evaluate("asked") == 0
    await expect(switch).to_have_attribute("aria-checked", "false")
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "true")
    assert await window.page.evaluate("asked") == 1
    await window.page.evaluate(HIDE)
    luis.answer(activity, "aceptado")
    await window.page.wait_for_function("() => raised.length === 1")
    assert await window.page.evaluate("raised") == ["¡Tu pareja actualizó una actividad!"]


async def test_a_tab_in_view_or_switched_off_raises_no_system_notification(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    first, second = (ana.create_activity(titulo, this_month(9)) for titulo in ("Cena", "Cine"))
    window = await open_with_alerts(windows, ana)
    await window.open_settings()
    switch = window.page.get_by_role("switch", name="Avisos del sistema")
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "true")
    luis.answer(first, "aceptado")
    await window.expect_toast("¡Tu pareja actualizó una actividad!", "info")
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "false")
    await window.close_settings()
    await window.page.evaluate(HIDE)
    luis.answer(second, "aceptado")
    await expect(window.item("Cine").get_by_text("Aceptado", exact=True)).to_be_visible()
    assert await window.page.evaluate("raised") == []


async def test_the_theme_is_the_systems_until_one_is_chosen_and_then_remembered(
    windows: Windows, ana: Person
):
    window = await windows.open(ana, color_scheme="dark")
    dark = await background(window)
    await window.open_settings()
    await expect(window.label("Como el sistema")).to_be_checked()
    await window.page.emulate_media(color_scheme="light")
    light = await background(window)
    assert light != dark
    await window.label("Oscuro").check()
    assert await background(window) == dark
    await window.page.reload()
    assert await background(window) == dark
    await window.open_settings()
    await expect(window.label("Oscuro")).to_be_checked()
    await window.label("Como el sistema").check()
    assert await background(window) == light
    await window.label("Oscuro").check()
    await window.visit("/")
    assert await background(window) == dark


async def background(window: Window) -> str:
    """The page's colour."""
    return await window.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
