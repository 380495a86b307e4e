"""Files by the stock clients in Chromium, in a page that another origin served (storage reference 1.8, 9)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from tests.harness_programs import TOOLS
from tests.harness_stack import ROOT, Stack

CLIENT = ROOT / "web/node_modules/@supabase/supabase-js/dist/umd/supabase.js"
RESUMABLE = TOOLS / "tus-js-client/dist/tus.min.js"


PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\nConnection: close\r\n\r\n<!doctype html>"


async def _serve_page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(PAGE)
    await writer.drain()
    writer.close()


@pytest.fixture
async def elsewhere(browser: Browser, stack: Stack) -> AsyncIterator[Page]:
    """A page of another origin that has a client of the stack, a bucket, and files in it."""
    server = await asyncio.start_server(_serve_page, "127.0.0.1", 0)
    page = await browser.new_page()
    await page.goto(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
    await page.add_script_tag(path=CLIENT)
    await page.evaluate(
        """async ([url, key]) => {
            window.url = url
            window.key = key
            const client = supabase.createClient(url, key, { auth: { persistSession: false } })
            const made = await client.storage.createBucket("elsewhere", { public: true })
            if (made.error && made.error.statusCode !== "409") throw made.error
            window.files = client.storage.from('elsewhere')
        }""",
        [stack.url, stack.keys["SUPABASE_SERVICE_ROLE_KEY"]],
    )
    yield page
    await page.close()
    server.close()


async def test_files_are_written_listed_read_signed_and_removed(elsewhere: Page):
    done: Any = await elsewhere.evaluate(
        """async () => {
            const failed = (answer) => { if (answer.error) throw answer.error; return answer.data }
            const file = new File(['from a page'], 'ñ.txt', { type: 'text/plain' })
            const path = `folder/${crypto.randomUUID()}.txt`
            failed(await files.upload(path, file, { cacheControl: '60', metadata: { of: 'a page' } }))
            const listed = failed(await files.list('folder')).map((each) => `folder/${each.name}`)
            const text = await failed(await files.download(path)).text()
            const info = failed(await files.info(path))
            const { signedUrl } = failed(await files.createSignedUrl(path, 60, { download: true }))
            const read = await fetch(signedUrl, { headers: { range: 'bytes=0-3' } })
            const { token } = failed(await files.createSignedUploadUrl(`${path}.signed`))
            failed(await files.uploadToSignedUrl(`${path}.signed`, token, file))
            const gone = failed(await files.remove([path, `${path}.signed`])).length
            const missing = (await files.download(`${path}.none`)).error
            return {
                isListed: listed.includes(path), text, metadata: info.metadata, part: await read.text(),
                range: read.headers.get('content-range'), tag: read.headers.get('etag') !== null,
                saved: read.headers.get('content-disposition'), gone, missing: missing.status,
            }
        }"""
    )
    assert done == {
        "isListed": True, "text": "from a page", "metadata": {"of": "a page"}, "part": "from",
        "range": "bytes 0-3/11", "tag": True, "saved": "attachment;", "gone": 2, "missing": 400,
    }  # fmt: skip


async def test_a_resumable_upload_is_stopped_and_goes_on_where_it_was(elsewhere: Page):
    if not RESUMABLE.exists():
        pytest.skip("tus-js-client is not installed: `make setup`")
    await elsewhere.add_script_tag(path=RESUMABLE)
    done: Any = await elsewhere.evaluate(
        """async () => {
            const size = 2_000_000, file = new Blob([new Uint8Array(size).fill(7)])
            const begun = []
            const uploading = (stopsAt) => new Promise((resolve, reject) => {
                const upload = new tus.Upload(file, {
                    endpoint: `${url}/storage/v1/upload/resumable`, chunkSize: 500_000,
                    headers: { authorization: `Bearer ${key}`, 'x-upsert': 'true' },
                    metadata: { bucketName: 'elsewhere', objectName: 'large', contentType: 'a/b' },
                    uploadDataDuringCreation: true, addRequestId: true, fingerprint: async () => 'large',
                    onAfterResponse: (request) => begun.push(request.getMethod()),
                    onError: reject, onSuccess: () => resolve(null),
                    onChunkComplete: (_, accepted) => {
                        if (accepted >= stopsAt) upload.abort().then(() => resolve(upload.url))
                    },
                })
                upload.findPreviousUploads().then(([previous]) => {
                    if (previous) upload.resumeFromPreviousUpload(previous)
                    upload.start()
                })
            })
            const address = await uploading(1_000_000)
            begun.length = 0
            await uploading(Infinity)
            const read = await fetch(`${url}/storage/v1/object/public/elsewhere/large`)
            const found = new Uint8Array(await read.arrayBuffer())
            return { begun, isOfStack: address.startsWith(`${url}/storage/v1/upload/resumable/`),
                size: found.length, isWhole: found.every((byte) => byte === 7) }
        }"""
    )
    assert done["begun"][0] == "HEAD"
    assert "POST" not in done["begun"]
    assert (done["isOfStack"], done["size"], done["isWhole"]) == (True, 2_000_000, True)
