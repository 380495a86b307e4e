"""No file is a page of this origin: what a browser could run is sandboxed or text."""

from __future__ import annotations

import pytest

from tests.harness_storage import Storage


@pytest.mark.parametrize(
    ("kind", "shown", "is_sandboxed"),
    [
        ("text/html", "text/plain", True),
        ("TEXT/HTML; charset=utf-8", "text/plain", True),
        ("image/svg+xml", "image/svg+xml", True),
        ("application/xhtml+xml", "application/xhtml+xml", True),
        ("text/xsl", "text/xsl", True),
        ("multipart/x-mixed-replace;boundary=x", "multipart/x-mixed-replace;boundary=x", True),
        ("unknown/unknown", "unknown/unknown", False),
        ("application/pdf", "application/pdf", False),
        ("image/png", "image/png", False),
    ],
)
async def test_a_file_runs_nothing_from_this_origin(
    storage: Storage, kind: str, shown: str, is_sandboxed: bool
):
    await storage.call("POST", "/bucket", json={"name": "pages", "public": True})
    await storage.put("pages/p", b"<script>alert(1)</script>", kind)
    signed = await storage.call("POST", "/object/sign/pages/p", json={"expiresIn": 60})
    for method in ("GET", "HEAD"):
        for path in ("/object/public/pages/p", "/object/pages/p", signed.json()["signedURL"]):
            answer = await storage.call(method, path)
            assert answer.status_code == 200, answer.text
            assert answer.headers["content-type"] == shown
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert (answer.headers.get("content-security-policy") == "sandbox") is is_sandboxed


async def test_a_drawing_is_rendered_as_it_is_unless_a_format_is_asked_for(storage: Storage):
    drawing = (
        b"<svg xmlns='http://www.w3.org/2000/svg' width='20' height='10'><script>1</script></svg>"
    )
    await storage.call("POST", "/bucket", json={"name": "pages", "public": True})
    await storage.put("pages/d.svg", drawing, "image/svg+xml")
    path = "/render/image/public/pages/d.svg?width=10"
    plain = await storage.call("GET", path, headers={"accept": "*/*"})
    assert (plain.content, plain.headers["content-type"]) == (drawing, "image/svg+xml")
    assert plain.headers["content-security-policy"] == "sandbox"
    webp = await storage.call("GET", path, headers={"accept": "image/webp"})
    assert (webp.content[8:12], webp.headers["content-type"]) == (b"WEBP", "image/webp")
    endless = b"<svg xmlns='http://www.w3.org/2000/svg' width='9e9' height='9e9'/>"
    await storage.put("pages/e.svg", endless, "image/svg+xml")
    answer = await storage.call(
        "GET", "/render/image/public/pages/e.svg?width=10", headers={"accept": "image/webp"}
    )
    assert answer.json()["statusCode"] == "400"


async def test_a_bucket_that_was_emptied_can_be_deleted_at_once(storage: Storage):
    await storage.bucket("emptied")
    for number in range(3):
        await storage.put(f"emptied/{number}")
    assert (await storage.call("POST", "/bucket/emptied/empty")).status_code == 200
    assert (await storage.call("DELETE", "/bucket/emptied")).status_code == 200


async def test_an_upload_without_metadata_has_none_and_says_so(storage: Storage):
    await storage.call("POST", "/bucket", json={"name": "pages", "public": True})
    await storage.put("pages/plain")
    assert (await storage.call("GET", "/object/info/pages/plain")).json()["metadata"] == {}
