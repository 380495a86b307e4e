"""Our parser and Chromium read every address alike: what is judged is what is followed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from playwright.async_api import Browser, Page, async_playwright

from compat_base.sockets import listen
from compat_base.values.urls import parse_url
from tests.harness_browser import headless_shell_options
from tests.harness_urls import BLANKS, PLACES, Place

# What a browser reads in a text: [scheme, host, port], or null
READ = """texts => texts.map(text => {
  try {
    const url = new URL(text)
    return [url.protocol.slice(0, -1), url.hostname, url.port ? Number(url.port) : null]
  } catch { return null }
})"""
# An address of this scheme that is so whatever page sends it, and that a header can hold
_ABSOLUTE = re.compile(r"http:[/\\]{2}[ -~\u00a1-\U0010ffff]*")


@dataclass
class Sender:
    """A server of every host: /send leads to `location`, any other path tells the Host header."""

    port: int = 0
    location: bytes = b""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request on one connection."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        except asyncio.IncompleteReadError:  # the browser's own affairs, by TLS
            head = [b"GET / HTTP/1.1"]
        host = next((line[6:] for line in head if line.lower().startswith(b"host: ")), b"")
        if head[0].startswith(b"GET /send "):
            writer.write(b"HTTP/1.1 302 Found\r\nLocation: " + self.location + b"\r\n")
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n")
        writer.write(b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(host), host))
        writer.close()


@pytest.fixture(scope="module")
async def sender() -> AsyncIterator[Sender]:
    """The server."""
    made, listening = Sender(), listen("127.0.0.1", 0)
    made.port = listening.getsockname()[1]
    server = await asyncio.start_server(made.answer, sock=listening)
    async with server:
        yield made


@pytest.fixture(scope="module")
async def led(sender: Sender) -> AsyncIterator[Page]:
    """A page of a Chromium for which every host and port is that server."""
    options = headless_shell_options()
    options["args"] = [*options["args"], f"--host-resolver-rules=MAP * 127.0.0.1:{sender.port}"]
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(**options)
        yield await chromium.new_page()
        await chromium.close()


def _place(text: str) -> Place | None:
    url = parse_url(text)
    return None if url is None else (url.scheme, url.host, url.port)


async def test_chromium_reads_every_address_as_we_do(browser: Browser):
    page = await browser.new_page()
    found = await page.evaluate(READ, list(PLACES))
    await page.close()
    read = {
        text: tuple(place) if place else None for text, place in zip(PLACES, found, strict=True)
    }
    differing = {
        text: (place, PLACES[text]) for text, place in read.items() if place != PLACES[text]
    }
    assert differing == {}


async def test_what_we_refuse_and_chromium_reads_is_no_name_of_a_host(browser: Browser):
    page = await browser.new_page()
    found = await page.evaluate(READ, list(BLANKS))
    await page.close()
    assert found == [["http", host, None] for host in BLANKS.values()]
    assert [parse_url(text) for text in BLANKS] == [None] * len(BLANKS)


def test_the_table_is_wide():
    assert len(PLACES) >= 60


@pytest.mark.parametrize(
    "text", [text for text, place in PLACES.items() if place and place[0] == "http"]
)
async def test_chromium_follows_what_is_sent_to_the_place_that_was_judged(
    led: Page, sender: Sender, text: str
):
    url = parse_url(text)
    assert url is not None
    raw = [text] if _ABSOLUTE.fullmatch(text) else []
    for sent in dict.fromkeys((url.text, *raw)):
        sender.location = sent.encode()
        answer = await led.goto("http://start.example/send")
        assert answer is not None
        assert _place(answer.url) == PLACES[text], sent
        assert await answer.text() == url.authority, sent
