"""Uploads by S3 in signed chunks, whole and tampered with (storage reference 11)."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest
import pytest_asyncio
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

from tests.harness_storage import Storage
from tests.harness_storage_s3 import KEY, refused, send

STREAM = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
CHUNKS = (b"first chunk", b"second chunk", b"")
END = b"\r\n"
SIGNATURE = "The request signature we calculated does not match the signature you provided."


@pytest_asyncio.fixture(scope="module", autouse=True)
async def _buckets(storage: Storage) -> None:
    await storage.bucket("c")


def signed(path: str, stream: str) -> dict[str, str]:
    """The headers of an upload in chunks."""
    headers = {"x-amz-content-sha256": stream, "content-encoding": "aws-chunked"}
    request = AWSRequest("PUT", f"http://storage.test{path}", headers=headers)
    auth: Any = SigV4Auth(KEY, "s3", "local")
    auth.add_auth(request)
    return {name: str(value) for name, value in request.headers.items()}


def framed(headers: dict[str, str]) -> list[bytes]:
    """Each chunk with its size and its signature, which is chained to the one before."""
    date = headers["X-Amz-Date"]
    key = b"AWS4" + str(KEY.secret_key).encode()
    for part in (date[:8], "local", "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    previous = headers["Authorization"].rpartition("=")[2]
    scope, nothing = f"{date[:8]}/local/s3/aws4_request", hashlib.sha256(b"").hexdigest()
    out: list[bytes] = []
    for chunk in CHUNKS:
        digest = hashlib.sha256(chunk).hexdigest()
        text = f"AWS4-HMAC-SHA256-PAYLOAD\n{date}\n{scope}\n{previous}\n{nothing}\n{digest}"
        previous = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        out.append(b"%x;chunk-signature=%b\r\n%b" % (len(chunk), previous.encode(), chunk))
    return out


async def refusal(storage: Storage, headers: dict[str, str], body: bytes) -> tuple[int, str, str]:
    answer = await storage.call("PUT", "/s3/c/kept", token=None, headers=headers, content=body)
    return refused(answer)


@pytest.mark.parametrize(
    ("stream", "end"), [(STREAM, END), (f"{STREAM}-TRAILER", b"x-amz-checksum-crc32:AAAA\r\n\r\n")]
)
async def test_signed_chunks_are_an_object(storage: Storage, stream: str, end: bytes):
    headers = signed("/s3/c/whole", stream)
    body = END.join(framed(headers)) + end
    answer = await storage.call("PUT", "/s3/c/whole", token=None, headers=headers, content=body)
    assert answer.status_code == 200, answer.text
    assert (await send(storage, "GET", "/s3/c/whole")).content == b"".join(CHUNKS)


async def test_chunks_that_somebody_changed_leave_the_object_that_was_there(storage: Storage):
    await storage.put("c/kept", b"as it was")
    files = set(storage.files())
    headers = signed("/s3/c/kept", STREAM)
    first, second, last = framed(headers)
    changed = {
        "another byte": (first.replace(b"first", b"firsT"), second, last),
        "another order": (second, first, last),
        "one twice": (first, first, second, last),
        "one left out": (second, last),
        "an end of one's own": (first, second, b"0;chunk-signature=%b\r\n" % (b"0" * 64)),
    }
    for how, chunks in changed.items():
        status, code, message = await refusal(storage, headers, END.join(chunks) + END)
        assert (status, code) == (403, "SignatureDoesNotMatch"), how
        assert message.startswith(SIGNATURE), how
    broken = {
        "Missing final chunk": END.join((first, second)) + END,
        "Missing CRLF after chunk data": END.join((first, second + b" and more", last)) + END,
        "Unexpected data after final chunk": END.join((first, second, last)) + END + b"more",
        "Unexpected end of chunk data": first[:-1],
    }
    for message, body in broken.items():
        assert await refusal(storage, headers, body) == (400, "InvalidRequest", message)
    assert (await send(storage, "GET", "/s3/c/kept")).content == b"as it was"

    async def nothing_is_left() -> bool:
        return set(storage.files()) <= files

    await storage.until(nothing_is_left)


async def test_a_stream_of_no_known_kind_is_refused(storage: Storage):
    headers = signed("/s3/c/kept", "STREAMING-OTHER")
    message = "Invalid streaming algorithm: STREAMING-OTHER"
    assert await refusal(storage, headers, b"") == (400, "InvalidRequest", message)
