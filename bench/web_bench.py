"""The web app as a browser feels it: bytes, first paint, stability, and the answer to a press.

Sizes are gzip -9 over the built files. Paint and interaction are read by PerformanceObserver in
Chromium under throttling: CPU four times slower; 1.6 Mbit/s down, 0.75 up and 150 ms for loading.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Locator, ViewportSize, async_playwright, expect

from bench.figures import Figure, keep
from bench.web_push import print_push
from tests.harness_browser import Window, Windows, chromium_options, this_month, today
from tests.harness_couple import Person, make_couple
from tests.harness_stack import ROOT, Stack, start_stack

DIST = ROOT / "web" / "dist"
KILOBYTE = 1024
CPU_SLOWDOWN = 4
SLOW_4G = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 0.75e6 / 8,
}
PHONE: ViewportSize = {"width": 390, "height": 844}
LOADS = 5
TIMEOUT_MS = 60_000
PRESSES = 15
IN_THE_MONTH = 500
IN_ALL = 10_000
PROPOSED = 2 * PRESSES  # by the partner: one is answered a press

# Chromium reports an interaction shorter than this as nothing at all.
SHORTEST_EVENT_MS = 16
_OBSERVER = """
window.measured = {lcp: 0, cls: 0, events: {}};
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) measured.lcp = entry.startTime;
}).observe({type: 'largest-contentful-paint', buffered: true});
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) measured.cls += entry.value;
}).observe({type: 'layout-shift', buffered: true});
new PerformanceObserver(list => {
    for (const {interactionId, duration} of list.getEntries())
        if (interactionId)
            measured.events[interactionId] =
                Math.max(measured.events[interactionId] ?? 0, duration);
}).observe({type: 'event', durationThreshold: 16, buffered: true});
"""
_TWO_FRAMES = (
    "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame("
    "() => setTimeout(done))))"
)


def main() -> None:
    """Print the figures."""
    print_sizes()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        stack = start_stack(Path(folder) / "data")
        try:
            asyncio.run(_in_browser(stack))
        finally:
            stack.stop()
    print_push()


def print_sizes() -> None:
    """What each route loads, following the build's own manifest and index.html's list of files."""
    manifest: dict[str, Any] = json.loads((DIST / ".vite" / "manifest.json").read_text())
    landing = _reached(manifest, ["index.html"])
    dashboard = landing | _listed("/dashboard")
    later = _reached(
        manifest,
        [name for chunk in manifest.values() for name in chunk.get("dynamicImports", [])],
    )
    styles = {css for chunk in manifest.values() for css in chunk.get("css", [])}
    for path, files, target in (("/", landing, 91), ("/dashboard", dashboard, 185)):
        size = _gzipped(files)
        print(f"scripts of {path:12} {size:7.1f} KB  (target {target}, first load)")
        keep(Figure(f"scripts of {path}, gzip", size, "KB", target))
    print(f"and later, when idle    {_gzipped(later - dashboard):7.1f} KB")
    print(f"styles, all of them     {_gzipped(styles):7.1f} KB  (target 18)")
    keep(Figure("styles, gzip", _gzipped(styles), "KB", 18))


def _listed(path: str) -> set[str]:
    """The scripts of a route besides the entry, as the build wrote them into index.html."""
    found = re.search('id="route-files">(.*?)</script>', (DIST / "index.html").read_text())
    assert found, "the build wrote no list of each route's files"
    files: list[str] = json.loads(found[1])[path]
    return {file.removeprefix("/") for file in files if file.endswith(".js")}


def _reached(manifest: dict[str, Any], start: list[str]) -> set[str]:
    """The files that these chunks need before they can run."""
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        chunk = manifest[waiting.pop()]
        if chunk["file"] not in found:
            found.add(chunk["file"])
            waiting += chunk.get("imports", [])
    return found


def _gzipped(files: Iterable[str]) -> float:
    return sum(len(gzip.compress((DIST / file).read_bytes(), 9)) for file in files) / KILOBYTE


async def _in_browser(stack: Stack) -> None:
    expect.set_options(timeout=TIMEOUT_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium_options())
        windows = Windows(browser, stack.url)
        await _print_loads(windows, "/", None, 1.8)
        await _print_loads(windows, "/dashboard", make_couple(stack)[0], 2.5)
        await _print_presses(windows, make_couple(stack))
        await browser.close()


async def _print_loads(windows: Windows, path: str, person: Person | None, target: float) -> None:
    paints: list[float] = []
    shifts: list[float] = []
    for _ in range(LOADS):
        window = await windows.open(person, "", viewport=PHONE)
        await _throttle(window, network=True)
        await _load(window, path, "/rest/v1/actividades" if person else path)
        measured = await window.page.evaluate("measured")
        paints.append(measured["lcp"] / 1000)
        shifts.append(measured["cls"])
        await window.page.context.close()
    keep(Figure(f"largest paint of {path}, slow phone", statistics.median(paints), "s", target))
    keep(Figure(f"layout shift of {path}", max(shifts), "", 0.02))
    print(
        f"LCP of {path:11}      {statistics.median(paints):7.2f} s   (target {target})\n"
        f"CLS of {path:11}      {max(shifts):7.3f}     (target 0.02, worst of {LOADS})"
    )


async def _load(window: Window, path: str, last: str) -> None:
    """Load a page until its last answer. Nobody looks into it meanwhile: that takes its time."""
    async with window.page.expect_response(lambda answer: urlsplit(answer.url).path == last):
        await window.visit(path)
    await window.page.wait_for_load_state("networkidle")
    await window.page.wait_for_function("() => measured.lcp > 0", timeout=TIMEOUT_MS)
    await _rest(window)


@dataclass(frozen=True, slots=True)
class Way:
    """Something that people do again and again: a press there, and one that takes it back."""

    what: str
    there: Callable[[Window], Locator]
    back: Callable[[Window], Locator] | None = None
    key: str = ""
    """Typed instead of the press, Backspace back."""


def _button(name: str) -> Callable[[Window], Locator]:
    return lambda window: window.button(name)


def _more(window: Window) -> Locator:
    item = window.page.get_by_role("article").first
    return item.get_by_role("button", name=re.compile("^Más acciones"))


def _title(window: Window) -> Locator:
    """Of a plan of one's own: its sheet has a button that closes it."""
    own = window.page.get_by_role("button", name=re.compile("^Eliminar: "))
    item = window.page.get_by_role("article").filter(has=own).first
    return item.get_by_role("heading").get_by_role("button")


def _fold(window: Window) -> Locator:
    return window.page.locator("summary", has_text="Últimos seis meses")


def _search(window: Window) -> Locator:
    return window.label("Buscar")


def _proposal(window: Window) -> Locator:
    return window.page.get_by_role("button", name=re.compile("^Aceptar la propuesta")).first


_MONTH = (
    Way("month change", _button("Mes siguiente"), _button("Mes anterior")),
    Way("dialog", _button("Nueva Actividad"), _button("Cancelar")),
    Way("menu", _more, _more),
    Way("sheet", _title, _button("Cerrar")),
    Way("fold", _fold, _fold),
    Way("week", _button("Semana"), _button("Mes")),
    Way("agenda", _button("Agenda"), _button("Mes")),
    Way("answer", _proposal),
)
_AGENDA = (
    Way("search letter", _search, key="p"),
    Way("toggle", _button("Pendientes"), _button("Pendientes")),
)


async def _print_presses(windows: Windows, couple: tuple[Person, Person]) -> None:
    ana, luis = couple
    _fill(ana, luis)
    window = await windows.open(ana)
    await expect(window.figure("Actividades pendientes")).to_have_text(str(IN_ALL))
    await _throttle(window, network=False)
    for way in _MONTH:
        await _print_way(window, way)
    await window.button("Agenda").click()
    await expect(_search(window)).to_be_visible()  # it comes after the press's own paint
    for way in _AGENDA:
        await _print_way(window, way)
    await _print_export(window)
    await window.page.context.close()


async def _print_export(window: Window) -> None:
    """How long all that somebody may read takes, from the press to the whole file (row C5.5)."""
    await window.open_settings()
    button = window.button("Descargar todo")
    await expect(button).to_be_visible()
    start = time.perf_counter()
    async with window.page.expect_download() as waiting:
        await button.click()
    await (await waiting.value).path()
    seconds = time.perf_counter() - start
    keep(Figure(f"export of {IN_ALL} plans, slow phone's processor", seconds, "s", 5))
    print(f"export of {IN_ALL} plans  {seconds:5.2f} s   (target 5)")


async def _print_way(window: Window, way: Way) -> None:
    """How long each takes, from the input to the first frame that shows an answer to it."""
    pressed: list[float] = []
    target = way.there(window)
    if not await target.count():
        print(f"{way.what}: nothing to press today")
        return
    if way.key:
        await target.click()
    else:  # what the first press loads stays
        await _press(window, target)
        if way.back:
            await _press(window, way.back(window))
    while len(pressed) < PRESSES:
        for each, key in ((way.there, way.key), (way.back, way.key and "Backspace")):
            if each or key:
                found = (each or way.there)(window)
                name = await found.get_attribute("aria-label")
                pressed.append(await _press(window, found, key))
                if name and not (way.back or way.key):  # what was answered goes
                    await expect(window.button(name)).to_have_count(0)
    median = statistics.median(pressed)
    keep(Figure(f"{way.what}, slow phone's processor", median, "ms", 100))
    print(
        f"{way.what:15}{IN_THE_MONTH}/{IN_ALL}  {median:5.0f} ms"
        f"  worst {max(pressed):5.0f} ms  (targets 100, 200)"
    )


async def _press(window: Window, target: Locator, key: str = "") -> float:
    """Press once, on a page at rest: milliseconds until the next frame is shown.

    Event Timing's duration of the longest of its events: it ends with the frame after them, and
    not with what that frame leaves for later. By the mouse alone: a locator's click puts listeners
    of its own into the page.
    """
    if not key:
        await target.scroll_into_view_if_needed()
        box = await target.bounding_box()
        assert box, "there is nothing to press"
        await window.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await _rest(window)
    await window.page.evaluate("measured.events = {}")
    if key:
        await window.page.keyboard.press(key)
    else:
        await window.page.mouse.down()
        await window.page.mouse.up()
    await _rest(window)
    durations: list[float] = list((await window.page.evaluate("measured.events")).values())
    return max(durations, default=SHORTEST_EVENT_MS)


async def _rest(window: Window) -> None:
    """Wait for a painted frame, and until nothing is left to do."""
    await window.page.evaluate(_TWO_FRAMES)
    await window.page.evaluate("() => new Promise(done => requestIdleCallback(() => done()))")


async def _throttle(window: Window, *, network: bool) -> None:
    """Slow the processor down, and the network; what it measures starts with the next load."""
    await window.run_first(_OBSERVER)
    await window.page.evaluate(_OBSERVER)
    protocol: Any = await window.page.context.new_cdp_session(window.page)
    await protocol.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    if network:
        await protocol.send("Network.enable")
        await protocol.send("Network.emulateNetworkConditions", SLOW_4G)


def _fill(ana: Person, luis: Person) -> None:
    """So many plans this month, the others around it; a few of them wait for Ana's answer."""
    couple = ana.profile["pareja_id"]
    first = date.fromisoformat(today()) - timedelta(days=4000)
    elsewhere = (
        fecha
        for fecha in ((first + timedelta(days=n % 3900)).isoformat() for n in range(IN_ALL * 2))
        if fecha[:7] != today()[:7]
    )
    dates = [this_month(1 + n % 28) for n in range(IN_THE_MONTH)]
    dates += [next(elsewhere) for _ in range(IN_ALL - IN_THE_MONTH)]
    rows = [
        {
            "titulo": f"Plan {number}",
            "fecha": fecha,
            "creador_id": (luis if number < PROPOSED else ana).id,
            "pareja_id": couple,
            "presupuesto": number % 90,
        }
        for number, fecha in enumerate(dates)
    ]
    _propose(luis, rows[:PROPOSED])
    for start in range(PROPOSED, len(rows), 1000):
        _propose(ana, rows[start : start + 1000])


def _propose(person: Person, rows: list[dict[str, Any]]) -> None:
    answer = person.client.post("/rest/v1/actividades", json=rows)
    assert answer.is_success, answer.text


if __name__ == "__main__":
    main()
