"""What a page of another origin may ask of the storage service of the stack, and read of its answers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_stack.services.storage import CrossOrigin

TUS = "/storage/v1/upload/resumable"


async def service(scope: Any, receive: Any, send: Any) -> None:
    headers = [(b"x-served", scope["method"].encode()), (b"x-amz-meta-of", b"a file")]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def fetch(method: str, path: str, **headers: str) -> dict[str, str]:
    """The headers of an answer to a page of another origin."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": path, "root_path": "/storage/v1",
        "headers": [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()],
    }  # fmt: skip
    await CrossOrigin(service)(scope, None, send)  # type: ignore[arg-type]
    return {name.decode().lower(): text.decode() for name, text in sent[0]["headers"]}


@pytest.mark.parametrize(
    "path", [TUS, f"{TUS}/some-id", "/storage/v1/s3/b/k", "/storage/v1/object/b/k"]
)
async def test_a_preflight_allows_every_header_that_it_names(path: str):
    named = "authorization,tus-resumable,x-request-id,sentry-trace"
    requested = {"origin": "https://app.example", "access_control_request_method": "PATCH"}
    answer = await fetch("OPTIONS", path, **requested, access_control_request_headers=named)
    assert answer["access-control-allow-headers"] == named
    assert answer["access-control-allow-origin"] == "*"
    assert "PATCH" in answer["access-control-allow-methods"]
    assert "x-served" not in answer


async def test_what_a_server_of_resumable_uploads_can_do_is_asked_without_a_preflight():
    assert (await fetch("OPTIONS", TUS))["x-served"] == "OPTIONS"


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
async def test_a_page_reads_every_header_of_an_answer(method: str):
    answer = await fetch(method, "/storage/v1/s3/b/k")
    assert answer["access-control-allow-origin"] == "*"
    assert "*" in answer["access-control-expose-headers"].split(", ")
