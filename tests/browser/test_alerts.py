"""Alerts with the app closed: switched on by keys, chosen, delivered, and silent after «Salir».

The browser's own push service is not on this network: its subscription is made here, with keys of
its own, and what the stack sends to it is decrypted. The names begin with the rows of the planner's
design.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.test_accessibility import expect_clean
from tests.harness_browser import Window, Windows, today
from tests.harness_couple import Person
from tests.harness_push import Browser, PushService, Received, allowance, push_service
from tests.harness_stack import ROOMY, Stack, start_stack
from tests.harness_states import until

SECONDS = 60  # for what must come; nothing waits longer than it takes

SUBSCRIBE = """
([target]) => {
    const subscription = {
        endpoint: target.endpoint,
        toJSON: () => ({endpoint: target.endpoint, keys: target}),
        unsubscribe: async () => { window.unsubscribed = true; return true; },
    };
    PushManager.prototype.subscribe = async (options) => {
        window.subscribed = options;
        return subscription;
    };
    PushManager.prototype.getSubscription = async () => subscription;
}
"""


@pytest.fixture(scope="module")
async def push(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[PushService, Path]]:
    folder = tmp_path_factory.mktemp("push")
    async with push_service(folder) as service:
        yield service, folder


@pytest.fixture(scope="module")
async def stack(
    push: tuple[PushService, Path], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stack]:
    """A stack that may call the push service of loopback."""
    data_dir = tmp_path_factory.mktemp("data")
    settings: Any = ROOMY | allowance(push[1])
    made = await asyncio.to_thread(lambda: start_stack(data_dir, **settings))
    yield made
    await asyncio.to_thread(made.stop)


async def open_with_push(windows: Windows, person: Person, browser: Browser, **more: Any) -> Window:
    """A dashboard whose service worker is there, in a browser with that subscription."""
    window = await windows.open(person, "", worker=True, permissions=["notifications"], **more)
    await window.run_first(f"({SUBSCRIBE})({json.dumps([browser.target()])})")
    await window.visit("/dashboard")
    await window.dashboard_is_ready()
    await window.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await window.open_settings()
    return window


async def switch_on(window: Window) -> None:
    switch = window.page.get_by_role("switch", name="Avisos en este dispositivo")
    await expect(switch).to_have_attribute("aria-checked", "false")
    await switch.focus()
    await window.page.keyboard.press("Space")
    await expect(switch).to_have_attribute("aria-checked", "true")


async def received(service: PushService, browser: Browser, count: int = 1) -> list[Received]:
    path = "/" + browser.endpoint.rpartition("/")[2]
    async with asyncio.timeout(SECONDS):
        while len(service.at(path)) < count:  # noqa: ASYNC110 — another process sends it
            await asyncio.sleep(0.02)
    return service.at(path)


@pytest.mark.parametrize("width", [360, 1280])
async def test_c1_1_switched_on_by_keys_an_alert_reaches_the_closed_app(
    windows: Windows, couple: tuple[Person, Person], push: tuple[PushService, Path],
    axe_source: str, width: int,
):  # fmt: skip
    ana, luis = couple
    service, _ = push
    browser = service.browser(f"/on{width}")
    window = await open_with_push(windows, ana, browser, viewport={"width": width, "height": 800})
    await switch_on(window)
    subscribed = await window.page.evaluate("window.subscribed")
    assert subscribed["userVisibleOnly"] is True
    assert len(subscribed["applicationServerKey"]) == 87
    for name in ("Propuestas nuevas", "Respuestas y cambios", "Planes eliminados", "Comentarios"):
        await expect(window.page.get_by_role("checkbox", name=name)).to_be_checked()
    quiet = window.page.get_by_role("checkbox", name="No molestar")
    await expect(window.label("Desde")).to_have_value("22:30")
    await expect_clean(window, axe_source)
    await quiet.press("Space")
    await expect(quiet).not_to_be_checked()
    await expect(window.label("Desde")).to_have_count(0)
    await window.button("Enviar un aviso de prueba").click()
    await window.expect_toast("Aviso de prueba enviado", "success")
    (test,) = await received(service, browser)
    assert browser.read(test)["titulo"] == "Aviso de prueba"
    await window.page.context.close()
    plan = luis.create_activity("Cena romántica", today(), presupuesto=45.5)
    message = (await received(service, browser, 2))[1]
    alert = browser.read(message)
    assert alert["titulo"] == "Luis propone un plan"
    assert alert["cuerpo"].startswith("Cena romántica · ")
    assert alert["url"] == f"/dashboard?plan={plan}"
    assert message.headers["topic"] == plan.replace("-", "")


async def test_c1_what_is_not_wanted_is_not_told_and_other_devices_are_removed(
    windows: Windows, couple: tuple[Person, Person], push: tuple[PushService, Path]
):
    ana, luis = couple
    service, _ = push
    other, browser = service.browser("/other"), service.browser("/here")
    ana.rpc("registrar_dispositivo", **other.target(), nombre="Firefox, Android", zona="UTC")
    window = await open_with_push(windows, ana, browser)
    await switch_on(window)
    await window.button("Quitar: Firefox, Android").click()
    await expect(window.button("Quitar: Firefox, Android")).to_have_count(0)
    await window.page.get_by_role("checkbox", name="No molestar").click()
    await expect(window.page.get_by_role("checkbox", name="No molestar")).not_to_be_checked()
    title = window.page.get_by_role("checkbox", name="Mostrar el título del plan")
    await title.click()
    await expect(title).not_to_be_checked()
    proposals = window.page.get_by_role("checkbox", name="Propuestas nuevas")
    await proposals.click()
    await expect(proposals).not_to_be_checked()
    plan = luis.create_activity("Secreto", today())
    luis.rpc("comentar", plan=plan, id=plan, texto="Qué bien")
    (message,) = await received(service, browser)
    alert = browser.read(message)
    assert (alert["titulo"], alert["cuerpo"]) == ("Luis comenta", "Ábrelo para verlo")
    assert service.at("/other") == []


async def test_c1_7_whoever_signs_out_is_told_nothing_there(
    windows: Windows, couple: tuple[Person, Person], push: tuple[PushService, Path]
):
    ana, _ = couple
    browser = push[0].browser("/out")
    window = await open_with_push(windows, ana, browser)
    await switch_on(window)
    assert len(ana.rpc("mis_dispositivos")) == 1
    await window.close_settings()
    await window.button("Salir").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    assert await window.page.evaluate("window.unsubscribed") is True
    assert await window.page.evaluate("caches.has('avisos')") is False
    assert await window.page.evaluate("localStorage.getItem('planes.dispositivo')") is None


async def test_c1_the_worker_shows_what_comes_unless_a_page_is_in_view_or_nobody_is_signed_in(
    windows: Windows, couple: tuple[Person, Person], push: tuple[PushService, Path]
):
    ana, _ = couple
    window = await open_with_push(windows, ana, push[0].browser("/shown"))
    await switch_on(window)
    alert = {"titulo": "Luis propone un plan", "cuerpo": "Cena", "url": "/dashboard?plan=a"}
    deliver = await delivery(window.page, windows.url)
    await deliver(alert)
    (worker,) = window.page.context.service_workers
    shown = "self.registration.getNotifications().then(l => l.map(n => [n.title, n.body, n.data]))"
    await window.expect_toast("Luis propone un plan · Cena", "info")
    assert await worker.evaluate(shown) == []
    await window.page.goto("about:blank")
    await until(lambda: worker.evaluate("self.clients.matchAll().then(l => l.length === 0)"))
    await deliver(alert)
    found = await until(lambda: worker.evaluate(f"{shown}.then(l => l.length > 0 && l)"))
    assert found == [["Luis propone un plan", "Cena", "/dashboard?plan=a"]]


async def delivery(page: Page, url: str) -> Any:
    """What hands a message to the worker, as the browser's own push service would."""
    session: Any = await page.context.new_cdp_session(page)
    registered: asyncio.Queue[str] = asyncio.Queue()

    def record(event: dict[str, Any]) -> None:
        for registration in event["registrations"]:
            registered.put_nowait(registration["registrationId"])

    session.on("ServiceWorker.workerRegistrationUpdated", record)
    await session.send("ServiceWorker.enable")
    registration = await asyncio.wait_for(registered.get(), SECONDS)

    async def deliver(message: object) -> None:
        await session.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": url, "registrationId": registration, "data": json.dumps(message)},
        )

    return deliver


async def test_c6_reminders_are_chosen_and_kept(
    windows: Windows, couple: tuple[Person, Person], push: tuple[PushService, Path], axe_source: str
):
    ana, _ = couple
    window = await open_with_push(windows, ana, push[0].browser("/reminded"))
    await switch_on(window)
    box = window.page.get_by_role("checkbox", name="Recordatorios")
    await expect(box).to_be_checked()
    hour = window.label("El día antes, a las")
    await expect(hour).to_have_value("19:00")
    await expect_clean(window, axe_source)
    await hour.fill("08:15")
    await window.page.get_by_role("checkbox", name="Una hora antes").click()
    await expect(window.page.get_by_role("checkbox", name="Una hora antes")).not_to_be_checked()

    async def is_hour_kept() -> bool:
        return ana.rpc("mis_recordatorios")["dia_antes_a"] == "08:15:00"

    await until(
        is_hour_kept
    )  # each choice is a request of its own, and a reload ends those on their way
    await window.page.reload()
    await window.open_settings()
    await expect(window.label("El día antes, a las")).to_have_value("08:15")
    by_mail = window.page.get_by_role("checkbox", name="También por correo")
    await by_mail.click()
    await expect(by_mail).to_be_checked()
    assert ana.rpc("mis_recordatorios") == {
        "dia_antes": True, "dia_antes_a": "08:15:00", "hora_antes": False, "correo": True,
    }  # fmt: skip
    await window.page.get_by_role("checkbox", name="El día antes").click()
    await expect(window.label("El día antes, a las")).to_have_count(0)
