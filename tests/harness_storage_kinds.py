"""Every kind of upload as one function: it ends when the service acknowledged the object."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any
from xml.etree import ElementTree as ET

import httpx2
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.harness_storage import SERVICE

BUCKET = "faults"
AWAY = ".away"
S3_KEY = ("faults", "a secret of S3's for faults")
VARIABLES = {
    "S3_PROTOCOL_ACCESS_KEY_ID": S3_KEY[0], "S3_PROTOCOL_ACCESS_KEY_SECRET": S3_KEY[1],
    "REGION": "local",
}  # fmt: skip
BEARER = {"authorization": f"Bearer {SERVICE}"}
_OVER = {**BEARER, "x-upsert": "true"}
_CHUNK = 65_536

Kind = Callable[[httpx2.AsyncClient, str, bytes], Awaitable[None]]


class NotAcknowledgedError(Exception):
    """The service answered, and not that the object is kept."""


async def sent(answer: Awaitable[httpx2.Response]) -> httpx2.Response:
    """An answer that is a success; NotAcknowledgedError for any other."""
    found = await answer
    if found.status_code >= 300:
        raise NotAcknowledgedError(f"{found.status_code} {found.text[:300]}")
    return found


async def raw(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """A body of a declared length."""
    await sent(client.put(f"/object/{BUCKET}/{name}", content=content, headers=BEARER))


async def chunked(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """A body whose length nobody said."""

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(content), _CHUNK):
            yield content[start : start + _CHUNK]

    await sent(client.put(f"/object/{BUCKET}/{name}", content=chunks(), headers=BEARER))


async def form(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """The file of a form."""
    files = {"": ("f", content, "text/plain")}
    await sent(client.post(f"/object/{BUCKET}/{name}", files=files, headers=_OVER))


async def signed(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By a URL that was signed for it."""
    made = await sent(client.post(f"/object/upload/sign/{BUCKET}/{name}", headers=_OVER))
    await sent(client.put(made.json()["url"], content=content))


async def copied(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """As a copy of another object."""
    await raw(client, f"{name}.source", content)
    body = {"bucketId": BUCKET, "sourceKey": f"{name}.source", "destinationKey": name}
    await sent(client.post("/object/copy", json=body, headers=_OVER))


async def moved(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """Moved away and back: when the service dies it is at one of the two places."""
    await raw(client, name, content)
    away = name + AWAY
    await client.delete(f"/object/{BUCKET}/{away}", headers=BEARER)
    for source, destination in ((name, away), (away, name)):
        body = {"bucketId": BUCKET, "sourceKey": source, "destinationKey": destination}
        await sent(client.post("/object/move", json=body, headers=BEARER))


async def resumable(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By TUS in two parts."""
    await _by_parts(client, "/upload/resumable", _tus(name, len(content)), content)


async def resumable_signed(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By TUS with the token of a signed upload, its length said at its end."""
    made = await sent(client.post(f"/object/upload/sign/{BUCKET}/{name}", headers=_OVER))
    headers = _tus(name, len(content)) | {"x-signature": made.json()["token"]}
    del headers["authorization"], headers["upload-length"]
    deferred = {"upload-defer-length": "1"}
    await _by_parts(client, "/upload/resumable/sign", headers, content, deferred)


async def _by_parts(
    client: httpx2.AsyncClient,
    path: str,
    headers: Mapping[str, str],
    content: bytes,
    deferred: Mapping[str, str] | None = None,
) -> None:
    made = await sent(client.post(path, headers=dict(headers) | dict(deferred or {})))
    half = len(content) // 2
    for start, part in ((0, content[:half]), (half, content[half:])):
        upload = {"upload-offset": str(start), "content-type": "application/offset+octet-stream"}
        if deferred and start:
            upload["upload-length"] = str(len(content))
        location = made.headers["location"]
        await sent(client.patch(location, content=part, headers=dict(headers) | upload))


async def created(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By TUS in the request that begins it."""
    headers = _tus(name, len(content)) | {"content-type": "application/offset+octet-stream"}
    made = await sent(client.post("/upload/resumable", headers=headers, content=content))
    if made.headers["upload-offset"] != str(len(content)):
        raise NotAcknowledgedError(made.headers["upload-offset"])


async def s3(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By S3's PutObject."""
    await sent(_s3(client, "PUT", name, content=content))


async def s3_streamed(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By S3's PutObject in aws-chunked pieces with a checksum behind them, as SDKs send files."""
    framed = b"".join(
        b"%x\r\n%s\r\n" % (len(piece), piece)
        for start in range(0, len(content), _CHUNK)
        if (piece := content[start : start + _CHUNK])
    )
    checksum = b64encode(zlib.crc32(content).to_bytes(4))
    framed += b"0\r\nx-amz-checksum-crc32:%s\r\n\r\n" % checksum
    headers = {
        "content-encoding": "aws-chunked", "x-amz-trailer": "x-amz-checksum-crc32",
        "x-amz-decoded-content-length": str(len(content)),
    }  # fmt: skip
    await sent(_s3(client, "PUT", name, content=framed, headers=headers))


async def s3_copied(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By S3's CopyObject."""
    await s3(client, f"{name}.source", content)
    headers = {"x-amz-copy-source": f"/{BUCKET}/{name}.source"}
    await sent(_s3(client, "PUT", name, headers=headers))


async def s3_parts_copied(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By S3's upload in parts that are ranges of another object."""
    await s3(client, f"{name}.source", content)
    upload = _text(await sent(_s3(client, "POST", name, "?uploads=")), "UploadId")
    half, done = len(content) // 2, ""
    for number, span in ((1, f"0-{half - 1}"), (2, f"{half}-{len(content) - 1}")):
        query = f"?partNumber={number}&uploadId={upload}"
        source = f"{BUCKET}/{name}.source"
        copied = {"x-amz-copy-source": source, "x-amz-copy-source-range": f"bytes={span}"}
        etag = _text(await sent(_s3(client, "PUT", name, query, headers=copied)), "ETag")
        done += f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>"
    body = f"<CompleteMultipartUpload>{done}</CompleteMultipartUpload>".encode()
    await sent(_s3(client, "POST", name, f"?uploadId={upload}", content=body))


async def s3_parts(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By S3's upload in parts."""
    made = await sent(_s3(client, "POST", name, "?uploads="))
    upload = _text(made, "UploadId")
    half, done = len(content) // 2, ""
    for number, part in ((1, content[:half]), (2, content[half:])):
        query = f"?partNumber={number}&uploadId={upload}"
        stored = await sent(_s3(client, "PUT", name, query, content=part))
        done += (
            f"<Part><PartNumber>{number}</PartNumber><ETag>{stored.headers['etag']}</ETag></Part>"
        )
    body = f"<CompleteMultipartUpload>{done}</CompleteMultipartUpload>".encode()
    await sent(_s3(client, "POST", name, f"?uploadId={upload}", content=body))


KINDS: Mapping[str, Kind] = {
    kind.__name__: kind
    for kind in (
        raw, chunked, form, signed, copied, moved, resumable, resumable_signed, created,
        s3, s3_streamed, s3_copied, s3_parts, s3_parts_copied,
    )
}  # fmt: skip


def _tus(name: str, length: int) -> dict[str, str]:
    pairs = {"bucketName": BUCKET, "objectName": name}
    metadata = ",".join(f"{key} {b64encode(text.encode()).decode()}" for key, text in pairs.items())
    return _OVER | {
        "tus-resumable": "1.0.0", "upload-length": str(length), "upload-metadata": metadata,
    }  # fmt: skip


def _s3(  # noqa: PLR0917 — a request's parts
    client: httpx2.AsyncClient,
    method: str,
    name: str,
    query: str = "",
    content: bytes = b"",
    headers: Mapping[str, str] | None = None,
) -> Awaitable[httpx2.Response]:
    url = f"{str(client.base_url).rstrip('/')}/s3/{BUCKET}/{name}{query}"
    request: Any = AWSRequest(method, url, headers=dict(headers or {}), data=content)
    if headers and "x-amz-trailer" in headers:
        request.context["checksum"] = {"request_algorithm": {"in": "trailer"}}
    S3SigV4Auth(Credentials(*S3_KEY), "s3", "local").add_auth(request)
    return client.request(method, url, content=content, headers=dict(request.headers.items()))


def _text(answer: httpx2.Response, name: str) -> str:
    root = ET.fromstring(answer.text)
    return next(each.text or "" for each in root if each.tag.endswith(name))
