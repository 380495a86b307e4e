"""What a page runs: the build's scripts, and nothing that somebody has stored at the same origin."""

from __future__ import annotations

import httpx2
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


async def test_a_stored_script_is_neither_a_script_nor_a_worker_of_a_page(
    browser: Browser, stack: Stack
):
    secret = stack.keys["SUPABASE_SERVICE_ROLE_KEY"]
    headers = {"apikey": secret, "authorization": f"Bearer {secret}"}
    with httpx2.Client(base_url=f"{stack.url}/storage/v1", headers=headers, timeout=30) as client:
        assert client.post("/bucket", json={"name": "guiones", "public": True}).status_code == 200
        stored = "/object/guiones/s.js"
        kind = {"content-type": "text/javascript"}
        answer = client.post(stored, content=b"globalThis.stored = true", headers=kind)
        assert answer.status_code == 200, answer.text
    context = await browser.new_context()
    try:
        page = await context.new_page()
        await page.goto(f"{stack.url}/auth")
        await expect(page.get_by_role("button").first).to_be_visible()  # its own scripts have run
        tried = await page.evaluate(_TRY, "/storage/v1/object/public/guiones/s.js")
        assert tried == ["refused", "refused", True]
    finally:
        await context.close()
