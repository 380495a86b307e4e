"""A server that does not answer, while the browser says that there is a network."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from tests.harness_browser import Windows, session_key, this_month
from tests.harness_couple import Person, make_couple
from tests.harness_stack import Stack, start_stack

NOISE = ["net::ERR_", "Failed to fetch", r"\[planes\]", "Failed to load resource", "WebSocket"]
UNANSWERED = "El servidor no responde. Inténtalo de nuevo."


@pytest.fixture
def stoppable(tmp_path: Path) -> Iterator[Stack]:
    """A stack of this test's own."""
    stack = start_stack(tmp_path / "data")
    yield stack
    if stack.process.poll() is None:
        stack.process.send_signal(signal.SIGCONT)
        stack.stop()


@pytest.mark.parametrize("expired", [False, True])
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGSTOP])
async def test_with_the_server_stopped_or_hanging_the_last_list_opens(
    browser: Browser, stoppable: Stack, end: signal.Signals, expired: bool
):
    ana, luis = make_couple(stoppable)
    ana.create_activity("Cena", this_month(9))
    windows = Windows(browser, stoppable.url)
    window = await windows.open(luis, worker=True)
    window.expected += NOISE
    await window.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await window.page.wait_for_function("() => JSON.stringify({...localStorage}).includes('Cena')")
    if expired:
        session = {**luis.session, "expires_at": int(time.time()) - 60}
        await window.page.evaluate(
            "([key, text]) => localStorage.setItem(key, text)",
            [session_key(stoppable.url), json.dumps(session)],
        )
    if end is signal.SIGTERM:
        stoppable.stop()
    else:
        stoppable.process.send_signal(end)
    await window.page.reload()
    await expect(window.text("Hola, Luis")).to_be_visible()
    await expect(window.item("Cena")).to_be_visible()
    await expect(window.page).to_have_url(f"{stoppable.url}/dashboard")
    assert await windows.close() == []


async def test_a_server_that_hangs_is_not_waited_for_where_there_is_a_copy(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    ana.create_activity("Cena", this_month(9))
    window = await windows.open(luis)
    await window.page.wait_for_function("() => JSON.stringify({...localStorage}).includes('Cena')")
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await window.page.route("**/rest/v1/**", hold)
    await window.page.reload()
    await expect(window.text("Hola, Luis")).to_be_visible()
    await expect(window.item("Cena")).to_be_visible()
    assert held
    for route in held:
        await route.abort()
    window.expected += NOISE


async def test_what_could_not_be_sent_says_that_the_server_does_not_answer_and_stays_typed(
    windows: Windows, couple: tuple[Person, Person]
):
    window = await windows.open(couple[0])
    window.expected += NOISE
    await window.page.route("**/rest/v1/**", lambda route: route.abort())
    await window.open_settings()
    await window.label("Nombre").fill("Ana María")
    await window.button("Guardar nombre").click()
    await window.expect_toast(UNANSWERED, "error")
    await expect(window.label("Nombre")).to_have_value("Ana María")
    await window.page.unroute("**/rest/v1/**")
    await window.visit("/dashboard?vista=ideas")
    await window.button("Añadir idea").click()
    await window.label("Título").fill("Aprender a bailar")
    await window.page.route("**/rest/v1/rpc/guardar_idea", lambda route: route.abort())
    await window.button("Guardar").click()
    await window.expect_toast(UNANSWERED, "error")
    await window.page.unroute("**/rest/v1/rpc/guardar_idea")
    await window.button("Guardar").click()
    await expect(window.item("Aprender a bailar")).to_be_visible()
