"""Every kind of upload as one function, and what must hold of them whatever dies when."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET

import httpx2
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.harness_storage import SERVICE

BUCKET = "faults"
S3_KEY = ("faults", "a secret of S3's for faults")
VARIABLES = {
    "S3_PROTOCOL_ACCESS_KEY_ID": S3_KEY[0], "S3_PROTOCOL_ACCESS_KEY_SECRET": S3_KEY[1],
    "REGION": "local",
}  # fmt: skip
_BEARER = {"authorization": f"Bearer {SERVICE}"}
_OVER = {**_BEARER, "x-upsert": "true"}
_CHUNK = 65_536
_LEAST, _MOST = 8, 700_000  # bytes of an object

Kind = Callable[[httpx2.AsyncClient, str, bytes], Awaitable[None]]


class NotAcknowledgedError(Exception):
    """The service answered, and not that the object is kept."""


async def _sent(answer: Awaitable[httpx2.Response]) -> httpx2.Response:
    found = await answer
    if found.status_code >= 300:
        raise NotAcknowledgedError(f"{found.status_code} {found.text[:300]}")
    return found


async def raw(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """A body of a declared length."""
    await _sent(client.put(f"/object/{BUCKET}/{name}", content=content, headers=_BEARER))


async def chunked(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """A body whose length nobody said."""

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(content), _CHUNK):
            yield content[start : start + _CHUNK]

    await _sent(client.put(f"/object/{BUCKET}/{name}", content=chunks(), headers=_BEARER))


async def form(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """The file of a form."""
    files = {"": ("f", content, "text/plain")}
    await _sent(client.post(f"/object/{BUCKET}/{name}", files=files, headers=_OVER))


async def signed(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By a URL that was signed for it."""
    made = await _sent(client.post(f"/object/upload/sign/{BUCKET}/{name}", headers=_OVER))
    await _sent(client.put(made.json()["url"], content=content))


async def copied(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """As a copy of another object."""
    await raw(client, f"{name}.source", content)
    body = {"bucketId": BUCKET, "sourceKey": f"{name}.source", "destinationKey": name}
    await _sent(client.post("/object/copy", json=body, headers=_OVER))


async def resumable(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By TUS in two parts."""
    headers = _tus(name, len(content))
    made = await _sent(client.post("/upload/resumable", headers=headers))
    half = len(content) // 2
    for start, part in ((0, content[:half]), (half, content[half:])):
        said = {"upload-offset": str(start), "content-type": "application/offset+octet-stream"}
        location = made.headers["location"]
        await _sent(client.patch(location, content=part, headers=headers | said))


async def created(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By TUS in the request that begins it."""
    headers = _tus(name, len(content)) | {"content-type": "application/offset+octet-stream"}
    made = await _sent(client.post("/upload/resumable", headers=headers, content=content))
    if made.headers["upload-offset"] != str(len(content)):
        raise NotAcknowledgedError(made.headers["upload-offset"])


async def s3(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By S3's PutObject."""
    await _sent(_s3(client, "PUT", name, content=content))


async def s3_parts(client: httpx2.AsyncClient, name: str, content: bytes) -> None:
    """By S3's upload in parts."""
    made = await _sent(_s3(client, "POST", name, "?uploads="))
    upload = _text(made, "UploadId")
    half, done = len(content) // 2, ""
    for number, part in ((1, content[:half]), (2, content[half:])):
        query = f"?partNumber={number}&uploadId={upload}"
        stored = await _sent(_s3(client, "PUT", name, query, content=part))
        done += (
            f"<Part><PartNumber>{number}</PartNumber><ETag>{stored.headers['etag']}</ETag></Part>"
        )
    body = f"<CompleteMultipartUpload>{done}</CompleteMultipartUpload>".encode()
    await _sent(_s3(client, "POST", name, f"?uploadId={upload}", content=body))


KINDS: Mapping[str, Kind] = {
    kind.__name__: kind
    for kind in (raw, chunked, form, signed, copied, resumable, created, s3, s3_parts)
}


def _tus(name: str, length: int) -> dict[str, str]:
    pairs = {"bucketName": BUCKET, "objectName": name}
    metadata = ",".join(f"{key} {b64encode(text.encode()).decode()}" for key, text in pairs.items())
    return _OVER | {
        "tus-resumable": "1.0.0", "upload-length": str(length), "upload-metadata": metadata,
    }  # fmt: skip


def _s3(
    client: httpx2.AsyncClient, method: str, name: str, query: str = "", content: bytes = b""
) -> Awaitable[httpx2.Response]:
    url = f"{str(client.base_url).rstrip('/')}/s3/{BUCKET}/{name}{query}"
    request = AWSRequest(method, url, data=content)
    signer: Any = S3SigV4Auth(Credentials(*S3_KEY), "s3", "local")
    signer.add_auth(request)
    return client.request(method, url, content=content, headers=dict(request.headers.items()))


def _text(answer: httpx2.Response, name: str) -> str:
    root = ET.fromstring(answer.text)
    return next(each.text or "" for each in root if each.tag.endswith(name))


@dataclass
class Ledger:
    """What was tried and what was acknowledged: contents are numbered, names have one writer."""

    acknowledged: dict[str, int] = field(default_factory=dict[str, int])
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def content(self) -> tuple[int, bytes]:
        """The next content; its size is of its number."""
        number = next(self._numbers)
        return number, content_of(number)

    async def upload_for_ever(
        self,
        client: httpx2.AsyncClient,
        name: str,
        kind: Kind,
        acknowledged: Callable[[], None] = lambda: None,
    ) -> None:
        """Write an object again and again, until the service is gone or refuses."""
        while True:
            number, content = self.content()
            await kind(client, name, content)
            self.acknowledged[name] = number
            acknowledged()

    def wrong(self, name: str, content: bytes | None) -> str | None:
        """What is wrong with what an object holds now; None where nothing is."""
        least = self.acknowledged.get(name)
        if content is None:
            return f"{name}: {least} was acknowledged, and is lost" if least is not None else None
        number = int.from_bytes(content[:8])
        if content != content_of(number):
            return f"{name}: half of {number}, {len(content)} bytes"
        if least is not None and number < least:
            return f"{name}: {number} after {least} was acknowledged"
        return None


def content_of(number: int) -> bytes:
    """The bytes of a number: how many is of the number too."""
    digest = int.from_bytes(hashlib.sha256(number.to_bytes(8)).digest()[:4])
    words = _LEAST // 8 + digest % ((_MOST - _LEAST) // 8)
    return number.to_bytes(8) * (words if digest % 5 else max(1, words % 2_000))


async def find_wrong(client: httpx2.AsyncClient, ledger: Ledger) -> list[str]:
    """What is wrong with every object that is there or was acknowledged."""
    listed = await _sent(
        client.post(
            f"/object/list-v2/{BUCKET}",
            json={"prefix": "", "with_delimiter": False},
            headers=_BEARER,
        )
    )
    names = {each["name"] for each in listed.json()["objects"]} | set(ledger.acknowledged)
    found: list[str] = []
    for name in sorted(names):
        answer = await client.get(f"/object/{BUCKET}/{name}", headers=_BEARER)
        content = answer.content if answer.status_code == 200 else None
        if content is None and "NoSuchKey" not in answer.text:
            found.append(f"{name}: {answer.status_code} {answer.text[:200]}")
        wrong = ledger.wrong(name, content)
        found += [wrong] if wrong else []
    return found


async def until_killed(address: str, ledger: Ledger, kill: Callable[[], None], after: int) -> None:
    """Upload by every kind at once, and kill the service after so many acknowledgements."""
    left = after

    def acknowledged() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            kill()

    limits = httpx2.Limits(max_connections=len(KINDS) * 2)
    async with httpx2.AsyncClient(base_url=address, timeout=30, limits=limits) as client:
        works = [
            ledger.upload_for_ever(client, name, kind, acknowledged) for name, kind in KINDS.items()
        ]
        ended = await asyncio.gather(*works, return_exceptions=True)
    refused = [error for error in ended if not isinstance(error, httpx2.TransportError)]
    assert not refused, refused


async def make_bucket(address: str) -> None:
    """The bucket of the uploads, where it is not there yet."""
    async with httpx2.AsyncClient(base_url=address, timeout=30) as client:
        await client.post("/bucket", json={"name": BUCKET}, headers=_BEARER)
