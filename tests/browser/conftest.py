"""Fixtures of the browser ring: one Chromium, windows of people, couples, and a silent console."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import httpx2
import pytest
from playwright.async_api import Browser, Page, Playwright, async_playwright, expect

from tests.harness_browser import Windows, chromium_options, headless_shell_options
from tests.harness_couple import Person, import_person, make_couple
from tests.harness_stack import ROOT, Stack

StartBrowser = Callable[[], Awaitable[Browser]]

TIMEOUT_MS = 60_000  # for a state that must come; nothing waits longer than the state takes


@pytest.fixture(scope="session")
async def playwright() -> AsyncIterator[Playwright]:
    """What starts browsers."""
    expect.set_options(timeout=TIMEOUT_MS)
    async with async_playwright() as started:
        yield started


@pytest.fixture(scope="session")
async def browser(playwright: Playwright) -> AsyncIterator[Browser]:
    """The one Chromium of the run."""
    chromium = await playwright.chromium.launch(**headless_shell_options())
    yield chromium
    await chromium.close()


@pytest.fixture(scope="session")
async def start_whole(playwright: Playwright) -> AsyncIterator[StartBrowser]:
    """Gives the one whole browser of the run, started where a window first needs it."""
    async with AsyncExitStack() as ends:
        started: list[Browser] = []

        async def start() -> Browser:
            if not started:
                started.append(await playwright.chromium.launch(**chromium_options()))
                ends.push_async_callback(started[0].close)
            return started[0]

        yield start


@pytest.fixture(scope="session")
def idle_tabs() -> list[Page]:
    """Tabs of windows that are closed, for those of later tests."""
    return []


@pytest.fixture
async def windows(
    browser: Browser, start_whole: StartBrowser, stack: Stack, idle_tabs: list[Page]
) -> AsyncIterator[Windows]:
    """Opens windows. A console error or an exception that the test did not announce fails it."""
    opened = Windows(browser, stack.url, start_whole, idle_tabs)
    yield opened
    assert await opened.close() == [], "the console was not silent"


@pytest.fixture
def ana(stack: Stack) -> Person:
    """Somebody without a partner."""
    return import_person(stack, "Ana")


@pytest.fixture
def couple(stack: Stack) -> tuple[Person, Person]:
    """Ana and Luis, paired."""
    return make_couple(stack)


@pytest.fixture(scope="session")
def axe_source() -> str:
    """The accessibility checker, to be run inside a page."""
    return (ROOT / "web/node_modules/axe-core/axe.min.js").read_text()


@pytest.fixture
def remove_profile(stack: Stack) -> Callable[[Person], None]:
    """Removes a person's profile as only the operator can."""

    def remove(person: Person) -> None:
        key = stack.keys["SUPABASE_SERVICE_ROLE_KEY"]
        answer = httpx2.delete(
            f"{stack.url}/rest/v1/profiles?id=eq.{person.id}",
            headers={"apikey": key, "authorization": f"Bearer {key}"},
        )
        assert answer.is_success, answer.text

    return remove
