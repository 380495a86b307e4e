"""What a load of the dashboard costs, and what survives a lost connection (web design d.6, c.3)."""

from __future__ import annotations

import asyncio
import json
import re
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Request, Response, Route, expect

from tests.harness_browser import Windows, other_month, this_month
from tests.harness_couple import Person

LIST = re.compile('id="route-files">(.*?)</script>')


async def test_a_dashboard_load_is_one_list_one_profile_and_one_socket(
    windows: Windows, ana: Person
):
    window = await windows.open(ana, patient=True)
    await window.page.wait_for_load_state("networkidle")
    assert len(window.sent("GET", "/actividades")) == 1
    assert len(window.sent("GET", "/profiles")) == 1
    assert window.sockets == 1
    requested_when_idle = {call.path for call in window.calls if "/rpc/" in call.path}
    assert requested_when_idle <= {
        "/rest/v1/rpc/version_del_plan",
        "/rest/v1/rpc/resumen_conversacion",
    }
    assert len(window.calls) <= 2 + 3


async def test_a_couples_dashboard_asks_once_more_for_the_partners_name(
    windows: Windows, couple: tuple[Person, Person]
):
    window = await windows.open(couple[0], patient=True)
    await expect(window.text("Ana y Luis")).to_be_visible()
    await window.page.wait_for_load_state("networkidle")
    assert len(window.sent("GET", "/actividades")) == 1
    assert len(window.sent("GET", "/profiles")) == 2
    assert window.sockets == 1


async def test_screens_without_a_session_ask_the_backend_nothing(windows: Windows, ana: Person):
    window = await windows.open(ana, "")
    for path in ("/", "/otra"):
        await window.visit(path)
        await window.page.wait_for_load_state("networkidle")
    assert window.calls == []
    assert window.sockets == 0


async def test_the_landing_page_does_not_load_the_client_of_the_backend(windows: Windows):
    """Web design d.6: 95 KB of script; whatever names supabase comes with /auth."""
    window = await windows.open(path="", fresh=True)
    sources: list[str] = []
    window.page.on("response", lambda answer: sources.append(answer.url))
    await window.visit("/")
    await window.page.wait_for_load_state("networkidle")
    scripts = [url for url in sources if url.endswith(".js")]
    assert scripts
    for url in scripts:
        answer = await window.page.request.get(url)
        assert "postgres_changes" not in await answer.text(), url


@pytest.mark.parametrize("path", ["/auth", "/dashboard"])
async def test_a_routes_code_is_asked_for_before_any_of_it_runs(
    windows: Windows, ana: Person, path: str
):
    """index.html names what a route needs; the entry is held back until all of that is on its way."""
    window = await windows.open(ana, "", fresh=True)
    requested: list[str] = []
    complete = asyncio.Event()

    def note(request: Request) -> None:
        requested.append(urlsplit(request.url).path)
        if listed <= set(requested):
            complete.set()

    async def hold(route: Route) -> None:
        await asyncio.wait_for(complete.wait(), 60)
        await route.continue_()

    page = await window.page.request.get(windows.url)
    listed = set(json.loads(LIST.search(await page.text())[1])[path])
    window.page.on("request", note)
    await window.page.route("**/assets/index-*.js", hold)
    await window.visit(path)
    await expect(window.heading("Hola, Ana")).to_be_visible()
    assert listed


async def test_sign_out_leaves_nothing_of_the_person_on_the_device(
    windows: Windows, couple: tuple[Person, Person], ana: Person
):
    """Trap c.3-10: shared phones. The next person sees no item of the last one."""
    couple[0].create_activity("Secreto", this_month(9))
    window = await windows.open(couple[0])
    await expect(window.item("Secreto")).to_be_visible()
    await window.button("Salir").click()
    await expect(window.page).to_have_url(f"{windows.url}/auth")
    kept = await window.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "Secreto" not in kept
    assert couple[0].email not in kept
    await window.type_credentials(ana.email, ana.password)
    await window.submit_button().click()
    await expect(window.text("No hay actividades planeadas este mes")).to_be_visible()


async def test_0_8_a_title_with_markup_is_shown_as_text(windows: Windows, ana: Person):
    titulo = "<img src=x onerror=alert(1)> & «comillas» 🎉"
    ana.create_activity(titulo, this_month(9), descripcion="<b>no</b>")
    window = await windows.open(ana)
    await expect(window.item(titulo)).to_be_visible()
    await expect(window.text("<b>no</b>")).to_be_visible()


async def test_more_than_a_thousand_activities_are_all_read(windows: Windows, ana: Person):
    """The server answers a thousand rows at once."""
    rows = [
        {
            "titulo": f"Plan {number}",
            "fecha": other_month(number % 60, 1 + number % 28),
            "creador_id": ana.id,
            "pareja_id": ana.id,
            "estado": "pendiente",
        }
        for number in range(1100)
    ]
    for start in range(
        0, len(rows), 220
    ):  # a request each time ends long before the database's limit
        answer = ana.client.post("/rest/v1/actividades", json=rows[start : start + 220])
        assert answer.is_success, answer.text
    window = await windows.open(ana)
    await expect(window.figure("Actividades pendientes")).to_have_text("1100")


async def test_d6_the_first_load_is_at_most_ten_files(windows: Windows, ana: Person):
    """Files with icon and typeface; an HTTP/1.1 server gives six at a time. What comes when idle is held back."""
    window = await windows.open(ana, "", fresh=True)
    await window.run_first("window.requestIdleCallback = () => 0")
    requested: list[str] = []
    window.page.on("request", lambda request: requested.append(urlsplit(request.url).path))
    await window.visit("/dashboard")
    await window.dashboard_is_ready()
    await window.page.evaluate("document.fonts.ready.then(() => true)")
    files = [path for path in requested if not path.startswith(("/rest/", "/auth/", "/realtime/"))]
    assert any(path.endswith(".woff2") for path in files)
    assert len(files) <= 10, files


async def test_d6_the_installed_app_asks_for_the_page_alone(windows: Windows, ana: Person):
    window = await windows.open(ana, worker=True)
    await window.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    by_server: set[str] = set()

    def note(answer: Response) -> None:
        if not answer.from_service_worker and not re.search("/(rest|auth)/v1/", answer.url):
            by_server.add(urlsplit(answer.url).path)

    window.page.on("response", note)
    await window.visit("/dashboard")
    await window.dashboard_is_ready()
    assert by_server <= {"/dashboard"}
