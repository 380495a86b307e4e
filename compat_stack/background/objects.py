"""Upload of `[storage.buckets.*] objects_path` into buckets, by the storage API.

A start uploads the files that a bucket lacks; `seed buckets` uploads all and overwrites.
"""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import httpx2

from compat_base.values import jsontext
from compat_stack.project.config import Bucket

_PIECE = 262_144  # bytes read at once
_SECONDS = 300.0  # for one file
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """A file, and the bucket and object name that it is uploaded to."""

    bucket: str
    name: str
    path: Path


def object_files(buckets: Sequence[Bucket], folder: Path) -> Iterator[ObjectFile]:
    """The files of the buckets' folders, in order; a path may also be one file.

    Symbolic links are skipped, so that none leads out of the project's folder.
    """
    for bucket in buckets:
        if bucket.objects_path is None:
            continue
        place = folder / bucket.objects_path
        if place.is_file():
            yield ObjectFile(bucket.name, place.name, place)
            continue
        for path in sorted(place.rglob("*")):
            if path.is_file() and not path.is_symlink():
                yield ObjectFile(bucket.name, path.relative_to(place).as_posix(), path)


async def upload_objects(
    client: httpx2.AsyncClient,
    key: str,
    files: Sequence[ObjectFile],
    refused: Report,
    *,
    overwrites: bool = False,
) -> int:
    """Upload files with the service key; how many were uploaded.

    `refused` is called with each that storage did not accept.
    """
    headers = {"apikey": key, "authorization": f"Bearer {key}"}
    count = 0
    for each in files:
        place = f"{quote(each.bucket, safe='')}/{quote(each.name)}"
        if not overwrites:
            found = await client.get(f"/storage/v1/object/info/{place}", headers=headers)
            if found.status_code == httpx2.codes.OK:
                continue
        kind = mimetypes.guess_type(each.name)[0] or "application/octet-stream"
        sent = {"content-type": kind, "cache-control": "max-age=3600", "x-upsert": "true"}
        try:
            answer = await client.post(
                f"/storage/v1/object/{place}",
                content=_content(each.path), headers=headers | sent, timeout=_SECONDS,
            )  # fmt: skip
        except (OSError, httpx2.HTTPError) as error:
            refused(f"{each.path} was not uploaded: {error}")
            continue
        if answer.status_code == httpx2.codes.OK:
            count += 1
        else:
            refused(f"{each.path} was not uploaded: {_reason(answer)}")
    return count


async def _content(path: Path) -> AsyncGenerator[bytes]:
    file = await asyncio.to_thread(path.open, "rb")
    try:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
    finally:
        await asyncio.to_thread(file.close)


def _reason(answer: httpx2.Response) -> str:
    try:
        return str(jsontext.decode_object(answer.content).get("message") or answer.status_code)
    except jsontext.InvalidJsonError:
        return str(answer.status_code)
