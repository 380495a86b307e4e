"""Object stores behind a URL, S3's, Google's or Azure's: the only import of obstore.

Addresses, credentials and regions are the library's matter; the names of versions are the same as
in a folder.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import obstore
from obstore.exceptions import BaseError
from obstore.store import from_url

from compat_base.values.errors import OperatorError
from storage_compat.files.drafts import drop_older, hold
from storage_compat.files.pieces import PIECE, in_pieces, prepended
from storage_compat.files.port import Entry, NoBytesError, StoreError, Written, is_version

T = TypeVar("T")

_THREADS = 4
_RETRIES = 3
_WHOLE = timedelta(days=1)  # for a whole request, because clients may read slowly
_ERROR_LENGTH = 1_000  # characters of a store's error that are kept
_S3 = ("s3://", "s3a://")
_PART = 5 * 1024 * 1024  # bytes, the least that S3 takes
_SMALL = 1024 * 1024  # bytes below which an upload is one request


class RemoteStore:
    """A ByteStore behind a URL; `scratch` is a folder for temporary files.

    A request fails where the store sends nothing for `seconds`, however long the whole of it takes.
    """

    is_local = False

    def __init__(
        self, url: str, tenant: str, scratch: Path, options: Mapping[str, str], *, seconds: float
    ) -> None:
        is_plain = any(value.startswith("http:") for value in options.values())  # an endpoint
        opening: Any = from_url
        silence = timedelta(seconds=seconds)
        client = {"allow_http": is_plain, "read_timeout": silence, "timeout": _WHOLE}
        retries = {"max_retries": _RETRIES, "retry_timeout": silence}
        given: dict[str, Any] = {"client_options": client, "retry_config": retries, **options}
        if url.startswith(_S3):
            # Each version by itself: not every server answers DeleteObjects as AWS does
            given["disable_bulk_delete"] = True
        try:
            self._store: Any = opening(url, **given)
        except (BaseError, ValueError) as error:
            raise OperatorError(f"the object store cannot be used: {_first_line(error)}") from error
        self._tenant = tenant
        self._scratch = scratch
        self._threads = ThreadPoolExecutor(_THREADS, "storage-files")

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=False)

    async def write(self, version: str, chunks: AsyncIterator[bytes]) -> Written:
        """Upload a version: a store shows it only when it is complete.

        A small one is one request; an upload in parts is three and more.
        """
        digest = hashlib.md5(usedforsecurity=False)
        size = 0

        async def counted(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
            nonlocal size
            async for piece in pieces:
                await self._run(digest.update, piece)
                size += len(piece)
                yield piece

        pieces = counted(in_pieces(chunks))
        beginning = bytearray()
        async for piece in pieces:
            beginning += piece
            if len(beginning) >= _SMALL:
                break
        content = (
            prepended(bytes(beginning), pieces) if len(beginning) >= _SMALL else bytes(beginning)
        )
        with _errors(is_write=True):
            await obstore.put_async(
                self._store, self._path(version), content, chunk_size=_PART, max_concurrency=1
            )
        return Written(size, digest.hexdigest())

    async def read(self, version: str, start: int, end: int) -> AsyncGenerator[bytes]:
        """The bytes of a span in chunks."""
        if start == end:
            return
        with _errors():
            found: Any = await obstore.get_async(
                self._store, self._path(version), options={"range": (start, end)}
            )
            async for piece in found.stream(min_chunk_size=PIECE):
                yield bytes(piece)

    async def copy(self, source: str, target: str) -> None:
        """Copy on the server's side."""
        with _errors():
            await obstore.copy_async(self._store, self._path(source), self._path(target))

    async def remove(self, versions: Iterable[str]) -> None:
        """Remove versions."""
        paths = [self._path(version) for version in versions if is_version(version)]
        for path in paths:
            try:
                with _errors():
                    await obstore.delete_async(self._store, path)
            except NoBytesError:
                continue

    async def list(self, beginning: str) -> list[Entry]:
        """All versions with this prefix."""
        found: list[Entry] = []
        with _errors():
            pages: Any = cast("Any", obstore).list(self._store, f"{self._tenant}/{beginning}")
            async for page in pages:
                found += [
                    Entry(one["path"].rpartition("/")[2], one["size"], one["last_modified"])
                    for one in page
                ]
        return found

    async def drop_drafts(self, before: datetime) -> int:
        """Remove temporary copies of dead processes; how many."""
        return await self._run(drop_older, self._scratch, before.timestamp())

    @asynccontextmanager
    async def as_file(self, version: str) -> AsyncGenerator[Path]:
        """A temporary copy of the bytes, as a local file."""
        with await self._run(_held_file, self._scratch) as file:
            with _errors():
                found: Any = await obstore.get_async(self._store, self._path(version))
                async for piece in found.stream(min_chunk_size=PIECE):
                    await self._run(file.write, piece)
            await self._run(file.flush)
            yield Path(file.name)

    async def _run(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

    def _path(self, version: str) -> str:
        if not is_version(version):
            raise NoBytesError(version)
        return f"{self._tenant}/{version[:2]}/{version}"


def _held_file(folder: Path) -> IO[bytes]:
    """A temporary file; another where a sweep took it for a dead process's before it was held."""
    while True:
        file = tempfile.NamedTemporaryFile(dir=folder)  # noqa: SIM115 — the caller closes it
        if hold(file.fileno(), Path(file.name)):
            return file
        with suppress(FileNotFoundError):  # its end removes it
            file.close()


@contextmanager
def _errors(*, is_write: bool = False) -> Generator[None]:
    """Turn the library's errors into ours, with their first line; the rest is internal detail.

    If a write reports "not found", it is the bucket that is missing.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise (StoreError if is_write else NoBytesError)(_first_line(error)) from None
    except BaseError as error:
        raise StoreError(_first_line(error)) from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:_ERROR_LENGTH]
