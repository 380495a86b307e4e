"""What a page runs: the build's scripts, and nothing that somebody has stored at the same origin."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
import pytest
from playwright.async_api import Browser, expect

from tests.harness_stack import Stack

_TRY = """async stored => {
  const script = document.createElement('script')
  const ran = await new Promise(done => {
    script.onload = () => done(globalThis.stored === true)
    script.onerror = () => done('refused')
    script.src = stored
    document.head.append(script)
  })
  const registered = path => navigator.serviceWorker.register(path).then(() => true, () => 'refused')
  return [ran, await registered(stored), await registered('/sw.js')]
}"""


@pytest.fixture(scope="module")
def stored(stack: Stack) -> str:
    """The path of a script that somebody has stored."""
    secret = stack.keys["SUPABASE_SERVICE_ROLE_KEY"]
    headers = {"apikey": secret, "authorization": f"Bearer {secret}"}
    with httpx2.Client(base_url=f"{stack.url}/storage/v1", headers=headers, timeout=60) as client:
        assert client.post("/bucket", json={"name": "guiones", "public": True}).status_code == 200
        kind = {"content-type": "text/javascript"}
        path = "/object/guiones/s.js"
        answer = client.post(path, content=b"globalThis.stored = true", headers=kind)
        assert answer.status_code == 200, answer.text
    return "/storage/v1/object/public/guiones/s.js"


async def _tried(browser: Browser, url: str, stored: str) -> list[object]:
    context = await browser.new_context()
    try:
        page = await context.new_page()
        refused: list[str] = []
        page.on("console", lambda entry: refused.append(entry.text))
        await page.goto(f"{url}/auth")
        await expect(page.get_by_role("button").first).to_be_visible()  # its own scripts have run
        assert not [text for text in refused if "Content Security Policy" in text]
        return await page.evaluate(_TRY, stored)
    finally:
        await context.close()


async def test_a_stored_script_is_neither_a_script_nor_a_worker_of_a_page(
    browser: Browser, stack: Stack, stored: str
):
    assert await _tried(browser, stack.url, stored) == ["refused", "refused", True]


async def test_a_stored_script_is_none_of_a_page_whose_host_no_policy_can_name(
    browser: Browser, stack: Stack, stored: str
):
    async with _also_at("127.0.0.2", int(stack.url.rpartition(":")[2])) as url:
        ran, _, own = await _tried(browser, url, stored)
    assert (ran, own) == ("refused", True)


@asynccontextmanager
async def _also_at(host: str, port: int) -> AsyncGenerator[str]:
    """The stack at another address of this machine, byte for byte."""

    async def copy(reader: StreamReader, writer: StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()

    async def forward(reader: StreamReader, writer: StreamWriter) -> None:
        its_reader, its_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(copy(reader, its_writer), copy(its_reader, writer))

    async with await asyncio.start_server(forward, host, 0) as server:
        yield f"http://{host}:{server.sockets[0].getsockname()[1]}"
