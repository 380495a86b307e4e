"""How the browser ring starts Chromium, and one person's window on the planner as they see it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
    ViewportSize,
    expect,
)

from tests.harness_couple import Person

# The browser's own toolbar and search box are web pages: two more renderers for each window, which
# took more of the processor than the pages under test.
_TOOLBAR = (
    "WebUIReloadButton",
    "WebUIOmniboxPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxAimPopup",
)

# What Playwright switches off by itself: a later list of features replaces its own.
_UNSTEADY = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)

# A renderer started ahead of the next navigation: each window is a context of its own, which
# starts one of its own anyway, and most tests open no second.
_SPARE = ("SpareRendererForSitePerProcess",)

# A process less for each browser: a tenth of what a window takes. The others are Playwright's own,
# which a later list replaces too.
_SHARED = (
    "NetworkServiceInProcess2",
    "CDPScreenshotNewSurface",
    "SkipListAccountsWithoutGaiaCookies",
)

# Background work of the browser itself is refused on a closed network, many requests at a time.
# One renderer for each context, else the blank page of a new tab has one more.
_ARGUMENTS = [
    "--renderer-process-limit=1",
    f"--disable-features={','.join(_TOOLBAR + _UNSTEADY + _SPARE)}",
    f"--enable-features={','.join(_SHARED)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

DESKTOP: ViewportSize = {"width": 1280, "height": 900}
# Nothing moves, so that nothing waits for it; the rest is what a browser has by itself.
_MEDIA: dict[str, Any] = {"color_scheme": "light", "reduced_motion": "reduce"}

FAR_FUTURE = 1_900_000_000  # seconds since 1970, an `expires_at` that no test reaches
LIVE_SECONDS = 60  # for the live channel, which takes well under one

# A service worker that is never done installing: its copy of every file would slow each test.
NO_WORKER = "navigator.serviceWorker.register = () => new Promise(() => {})"

# Folds stand open: what is in them is looked for by many tests, whatever the day on which they run.
UNFOLDED = """
new MutationObserver(() => {
    for (const fold of document.querySelectorAll('details[data-fold]:not([data-seen])')) {
        fold.open = true;
        fold.dataset.seen = '';
    }
}).observe(document, {childList: true, subtree: true});
"""

# While the dashboard loads, what the app does because something took long is put off: on a busy
# machine everything takes long. `timeoutFactor = 1` ends it.
PATIENT = """
window.timeoutFactor = 40;
const start = window.setTimeout;
window.setTimeout = (run, ms = 0, ...given) =>
    start(run, ms < 100 ? ms : ms * window.timeoutFactor, ...given);
"""

# What a page can keep, beside its cookies.
_FORGET = """
async () => {
    localStorage.clear();
    sessionStorage.clear();
    for (const name of await caches.keys()) await caches.delete(name);
    for (const {name} of await indexedDB.databases()) {
        const deletion = indexedDB.deleteDatabase(name);
        await new Promise(done => deletion.onsuccess = deletion.onerror = done);
    }
}
"""

# A page whose clock is moved has its network in real time: Playwright's clock would end every request
# on its way whose time limit lies before the moment to which it moves.
_KEEP_TIME_LIMIT = "window.realTimeLimit = AbortSignal.timeout"
_USE_TIME_LIMIT = "AbortSignal.timeout = window.realTimeLimit"

WEEKDAYS = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")
MONTHS = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
)  # fmt: skip


def chromium_options() -> dict[str, Any]:
    """Options of `chromium.launch` for the whole browser, as people have it."""
    installed = shutil.which("chromium") or shutil.which("chromium-browser")
    options: dict[str, Any] = {"args": _ARGUMENTS}
    return options | ({"executable_path": installed} if installed else {"channel": "chromium"})


def headless_shell_options() -> dict[str, Any]:
    """The same without the browser around the pages, for two thirds of the processor's time.

    It has no notifications. Where there is only the whole browser, that one.
    """
    installed = shutil.which("chromium-headless-shell")
    if installed:
        return {"args": _ARGUMENTS, "executable_path": installed}
    whole = chromium_options()
    return whole if "executable_path" in whole else {"args": _ARGUMENTS}


def session_key(url: str) -> str:
    """Where supabase-js keeps the session of a backend in local storage."""
    host = urlsplit(url).hostname or ""
    return f"sb-{host.split('.')[0]}-auth-token"


def sign_in_script(url: str, session: dict[str, Any]) -> str:
    """Stores a session as the first page of a tab begins, and never again in that tab.

    For a context's `storage_state` Playwright opens a page of its own: a tenth of a window's time.
    """
    origin, key, kept = map(json.dumps, (url, session_key(url), json.dumps(session)))
    return f"""
if (location.origin === {origin} && !sessionStorage.getItem('signed-in')) {{
    sessionStorage.setItem('signed-in', 'once');
    localStorage.setItem({key}, {kept});
}}
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A request that a page sent to one of the services."""

    method: str
    path: str
    query: dict[str, str]
    payload: Any


@dataclass
class Window:
    """One tab of one person, with what its console and network said.

    `expected` holds patterns of console errors that the test provokes; any other one fails it. A tab
    that is `kept` serves another window later.
    """

    page: Page
    url: str
    errors: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    frames: list[Any] = field(default_factory=list)
    sockets: int = 0
    live: asyncio.Event = field(default_factory=asyncio.Event)
    scripts: AsyncExitStack = field(default_factory=AsyncExitStack)
    kept: bool = False

    def listen(self) -> None:
        """Hear the console, the page's errors, its requests and its sockets from now on."""
        for event, listener in self._listeners.items():
            self.page.on(event, listener)

    async def clear(self) -> bool:
        """Make the tab as a new one is, for the next window; False where it cannot be."""
        page, context = self.page, self.page.context
        if not self.kept or page.is_closed() or len(context.pages) > 1:
            return False
        for event, listener in self._listeners.items():
            page.remove_listener(event, listener)
        await self.scripts.aclose()
        await page.unroute_all(behavior="ignoreErrors")
        await context.unroute_all(behavior="ignoreErrors")
        await context.set_offline(False)
        await page.goto(self.url + "/livez")
        await page.evaluate(_FORGET)
        await context.clear_cookies()
        await page.goto("about:blank")
        await page.mouse.move(0, 0)
        await page.emulate_media(media="null", **_MEDIA)
        return True

    def unexpected_errors(self) -> list[str]:
        """Console errors and page errors that the test did not announce."""
        return [e for e in self.errors if not any(re.search(p, e) for p in self.expected)]

    def sent(self, method: str, path: str) -> list[Call]:
        """The requests of a method whose path ends so."""
        return [c for c in self.calls if c.method == method and c.path.endswith(path)]

    async def visit(self, path: str) -> None:
        """Load a path of the site."""
        answer = await self.page.goto(self.url + path)
        if answer is not None and answer.status == 404:  # the not-found page, which a console names
            self.expected.append("status of 404")

    async def run_first(self, script: str) -> None:
        """Run a script before those of each page that is loaded from now on."""
        await self.scripts.enter_async_context(await self.page.add_init_script(script))

    async def install_clock(self, moment: datetime | str | None = None) -> None:
        """Give the pages loaded from now on a clock that `page.clock` moves; their requests' limits stay real."""
        self.kept = False
        context = self.page.context
        await context.add_init_script(_KEEP_TIME_LIMIT)
        await context.clock.install(time=moment)
        await context.add_init_script(_USE_TIME_LIMIT)

    async def begin(self, path: str) -> None:
        """Load a first path, unless it is empty, and wait until a dashboard is ready."""
        if path:
            await self.visit(path)
        if path == "/dashboard":
            await self.dashboard_is_ready()

    async def dashboard_is_ready(self) -> None:
        """Wait until the dashboard shows the first list and its live channel hears the database."""
        await expect(self.figure("Actividades pendientes")).not_to_have_text("–")
        await asyncio.wait_for(self.live.wait(), LIVE_SECONDS)

    async def stored_session(self) -> dict[str, Any] | None:
        """The session in local storage."""
        key = session_key(self.url)
        text = await self.page.evaluate("key => localStorage.getItem(key)", key)
        return json.loads(text) if text else None

    def button(self, name: str) -> Locator:
        """The button of exactly that accessible name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def heading(self, name: str) -> Locator:
        """The heading of exactly that name."""
        return self.page.get_by_role("heading", name=name, exact=True)

    def label(self, name: str) -> Locator:
        """The form control of exactly that label."""
        return self.page.get_by_label(name, exact=True)

    def text(self, text: str) -> Locator:
        """The element of exactly that text."""
        return self.page.get_by_text(text, exact=True)

    def figure(self, card: str) -> Locator:
        """The number of a summary card."""
        term = self.page.locator("dt").filter(has_text=re.compile(f"^{re.escape(card)}$"))
        return self.page.locator("dl > div").filter(has=term).locator("dd")

    def item(self, titulo: str) -> Locator:
        """An activity of the month's list."""
        return self.page.get_by_role("article", name=titulo, exact=True)

    def date_of(self, titulo: str) -> Locator:
        """The date of an item, which leads to its day in the calendar."""
        return self.item(titulo).get_by_role("button", name=re.compile("Ver en el calendario$"))

    def answer_buttons(self, titulo: str) -> Locator:
        """The buttons of an item, whatever their names."""
        return self.item(titulo).get_by_role("button", name=re.compile("^(Aceptar|Rechazar): "))

    def day(self, fecha: str) -> Locator:
        """A day of the calendar, by its accessible name."""
        name = re.compile(f"^{re.escape(long_date(fecha))}(,|$)")
        return self.page.get_by_role("grid").get_by_role("button", name=name)

    def marks(self, fecha: str) -> Locator:
        """The status dots of a day."""
        return self.day(fecha).locator("[data-estado]")

    def month_title(self) -> Locator:
        """The calendar's title."""
        return self.page.get_by_role("heading", name=re.compile(rf"^({'|'.join(MONTHS)}) de \d+$"))

    def dialog(self) -> Locator:
        """The creation dialog."""
        return self.page.get_by_role("dialog", name="Nueva Actividad")

    def question(self) -> Locator:
        """The confirmation that is open."""
        return self.page.get_by_role("alertdialog")

    def toasts(self) -> Locator:
        """Every notification on the screen."""
        return self.page.locator("[data-sonner-toast]:not([data-removed=true])")

    async def shows_notifications(self) -> None:
        """Wait for the code that shows them, which comes once the page is idle: without a network it would not."""
        await expect(self.page.locator("[aria-label^='Notificaciones']")).to_be_attached()

    async def expect_toast(self, text: str, kind: str) -> None:
        """Wait for exactly one notification of a text and a kind, and for the text to be nowhere else."""
        toast = self.toasts().filter(has=self.page.get_by_text(text, exact=True))
        await expect(toast).to_have_count(1)
        await expect(toast).to_have_attribute("data-type", kind)
        await expect(self.text(text)).to_have_count(1)

    async def open_settings(self) -> None:
        """Open the dialog of the settings."""
        await self.button("Ajustes").click()
        await expect(self.page.get_by_role("dialog", name="Ajustes")).to_be_visible()

    async def close_settings(self) -> None:
        """Close the settings and wait until the history is back at the page behind them."""
        await self.button("Cerrar").click()
        await expect(self.page.get_by_role("dialog", name="Ajustes")).to_have_count(0)
        await self.page.wait_for_function("() => !history.state?.dialog")

    async def choose(self, titulo: str, action: str) -> None:
        """Choose an action in an item's menu."""
        await self.item(titulo).get_by_role("button", name=f"Más acciones: {titulo}").click()
        await self.menu_item(action).click()

    def menu_item(self, action: str) -> Locator:
        """An entry of the menu that is open."""
        return self.page.get_by_role("menuitem", name=action, exact=True)

    async def open_form(self, fecha: str | None = None) -> None:
        """Open the creation dialog by its button, or by a day."""
        await (self.day(fecha) if fecha else self.button("Nueva Actividad")).click()
        await expect(self.dialog()).to_be_visible()

    async def propose(self, titulo: str, fecha: str, **fields: str) -> None:
        """Create an activity in the dialog, which is opened by the day."""
        await self.open_form(fecha)
        await self.label("Título").fill(titulo)
        for label, value in fields.items():
            await self.label(label.capitalize().replace("cion", "ción")).fill(value)
        await self.button("Crear actividad").click()
        await expect(self.dialog()).to_be_hidden()

    async def delete(self, titulo: str) -> None:
        """Delete an activity and confirm it; behind the open question the list is hidden."""
        await self.button(f"Eliminar: {titulo}").click()
        await self.question().get_by_role("button", name="Eliminar").click()
        await expect(self.question()).to_have_count(0)

    async def type_credentials(self, email: str, password: str, nombre: str | None = None) -> None:
        """Fill the form of /auth."""
        if nombre is not None:
            await self.label("Nombre").fill(nombre)
        await self.label("Correo electrónico").fill(email)
        await self.label("Contraseña").fill(password)

    def submit_button(self) -> Locator:
        """The button that sends the open form."""
        return self.page.locator("form button[type=submit]")

    @property
    def _listeners(self) -> dict[Any, Callable[[Any], None]]:
        return {
            "console": self._on_console,
            "pageerror": self._on_page_error,
            "request": self._on_request,
            "websocket": self._on_socket,
        }

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error" or "Warning:" in message.text:
            self.errors.append(message.text)

    def _on_page_error(self, error: Error) -> None:
        self.errors.append(f"uncaught {error}")

    def _on_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if re.match(r"/(auth|rest|storage|functions)/v1/", address.path):
            query = {name: values[0] for name, values in parse_qs(address.query).items()}
            is_json = "json" in request.headers.get("content-type", "json")
            payload = json.loads(request.post_data) if is_json and request.post_data else None
            self.calls.append(Call(request.method, address.path, query, payload))

    def _on_socket(self, socket: Any) -> None:
        self.sockets += 1
        socket.on("framesent", self._on_frame)
        socket.on("framereceived", self._on_answer)

    def _on_frame(self, text: str | bytes) -> None:
        if isinstance(text, str):
            self.frames.append(json.loads(text))

    def _on_answer(self, text: str | bytes) -> None:
        if isinstance(text, str) and json.loads(text)[3] == "system" and not self.live.is_set():
            self.live.set()


@dataclass
class Windows:
    """Opens windows, each in a browser context of its own, and closes them after the test.

    `start_whole` gives a whole browser, for windows that may notify: the headless shell has none.
    `idle` are tabs of earlier windows: where the app was loaded before, it is for half of the
    processor's time. Without it every window is a new one.
    """

    browser: Browser
    url: str
    start_whole: Callable[[], Awaitable[Browser]] | None = None
    idle: list[Page] | None = None
    opened: list[Window] = field(default_factory=list)

    async def open(
        self,
        person: Person | None = None,
        path: str | None = None,
        *,
        session: dict[str, Any] | None = None,
        fresh: bool = False,
        worker: bool = False,
        folded: bool = False,
        patient: bool = False,
        viewport: ViewportSize = DESKTOP,
        **options: Any,
    ) -> Window:
        """A browser for a person, signed in through local storage; /dashboard where signed in.

        `session` replaces the person's, and a `storage_state` any. A `fresh` one has a cold cache and
        serves nobody else, whatever the test does to it. Only with `worker` does it get as far as to
        install the service worker, and only with `folded` are the folds as the app makes them. A
        `patient` page waits for its live channel however long that takes, and so reads everything
        exactly once.
        """
        usual = not (fresh or worker or folded or options)
        if usual and self.idle:
            page = self.idle.pop()
            await page.set_viewport_size(viewport)
        else:
            page = await self._new_page(worker, folded, viewport, options)
        window = Window(page, self.url, kept=usual and self.idle is not None)
        self.opened.append(window)
        window.listen()
        if patient:
            await window.run_first(PATIENT)
        if person is not None and "storage_state" not in options:
            await window.run_first(sign_in_script(self.url, session or person.session))
        await window.begin(_start(person) if path is None else path)
        if patient:
            await window.page.evaluate("window.timeoutFactor = 1")
        return window

    async def _new_page(
        self, worker: bool, folded: bool, viewport: ViewportSize, options: dict[str, Any]
    ) -> Page:
        browser = self.browser
        if self.start_whole and "notifications" in options.get("permissions", ()):
            browser = await self.start_whole()
        usual: dict[str, Any] = {"locale": "es-ES", **_MEDIA}
        context = await browser.new_context(viewport=viewport, **usual | options)
        if not worker:
            await context.add_init_script(NO_WORKER)
        if not folded:
            await context.add_init_script(UNFOLDED)
        return await context.new_page()

    async def open_nearly_expired(self, person: Person, seconds: int) -> Window:
        """A window outside the app's session, whose stored session has so much validity left."""
        session = {**person.session, "expires_at": int(time.time()) + seconds}
        return await self.open(person, "/otra", session=session)

    async def open_at(self, person: Person, moment: datetime | str, **options: Any) -> Window:
        """The dashboard of a person on a day of the future, whose clock goes on from then and is moved."""
        session = {**person.session, "expires_at": FAR_FUTURE}
        window = await self.open(person, "", session=session, fresh=True, **options)
        await window.install_clock(moment)
        await window.visit("/dashboard")
        await window.page.clock.run_for(5000)
        await window.dashboard_is_ready()
        return window

    async def open_tab(self, page: Page, path: str) -> Window:
        """Take over a page; an empty path loads nothing yet."""
        window = Window(page, self.url)
        self.opened.append(window)
        window.listen()
        await window.begin(path)
        return window

    async def close(self) -> list[str]:
        """Close every window and give what their consoles said unasked."""
        errors = [error for window in self.opened for error in window.unexpected_errors()]
        for window in self.opened:
            if self.idle is not None and await window.clear():
                self.idle.append(window.page)
            else:
                await window.page.context.close()
        return errors


def _start(person: Person | None) -> str:
    return "/dashboard" if person else "/"


def long_date(fecha: str) -> str:
    """«martes, 3 de marzo de 2026»."""
    day = date.fromisoformat(fecha)
    return f"{WEEKDAYS[day.weekday()]}, {day.day} de {month_title(fecha)}"


def month_title(fecha: str) -> str:
    """«marzo de 2026»."""
    year, month = fecha.split("-")[:2]
    return f"{MONTHS[int(month) - 1]} de {int(year)}"


def today() -> str:
    """The date of this machine, which the browser takes for its own."""
    return datetime.now().astimezone().date().isoformat()


def this_month(day: int) -> str:
    """A day of the current month, 1 to 28."""
    return f"{today()[:7]}-{day:02d}"


def other_month(distance: int, day: int = 10) -> str:
    """A day of a month before or after the current one."""
    year, month = (int(part) for part in today().split("-")[:2])
    years, index = divmod(month - 1 + distance, 12)
    return f"{year + years:04d}-{index + 1:02d}-{day:02d}"
