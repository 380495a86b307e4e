"""Bytes in a folder: `<tenant>/<two digits>/<version>`, drafts in `.tmp`.

A version has its name only when all of it is on the disk: temporary file, fsync, rename, fsync of
the folder. All work on files is done in threads of this store's own.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import shutil
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from storage_compat.files.drafts import drop_older, hold
from storage_compat.files.pieces import PIECE, in_pieces
from storage_compat.files.port import Entry, NoBytesError, StoreError, Written, is_version

T = TypeVar("T")

_THREADS = 4
_TOP = 0o700
# The file has the most hard links it can have (65,000 on ext4), or the disk has no hard links
_NO_LINKS = {errno.EMLINK, errno.EPERM, errno.ENOTSUP, errno.ENOSYS}


class LocalStore:
    """A ByteStore in a folder; `draft_name` makes the names of temporary files."""

    is_local = True

    def __init__(
        self, root: Path, tenant: str, *, is_durable: bool, draft_name: Callable[[], str]
    ) -> None:
        self._folder = root / tenant
        self._drafts = root / ".tmp"
        self._is_durable = is_durable
        self._draft_name = draft_name
        self._threads = ThreadPoolExecutor(_THREADS, "storage-files")
        for folder in (root, self._folder, self._drafts):
            folder.mkdir(mode=_TOP, parents=True, exist_ok=True)

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=False)

    async def write(self, version: str, chunks: AsyncIterator[bytes]) -> Written:
        """Write a version whole and durably."""
        pieces = in_pieces(chunks)
        first = await anext(pieces)
        draft = _Draft(self._drafts / self._draft_name(), is_durable=self._is_durable)
        try:
            second = await anext(pieces, None) if len(first) >= PIECE else None
            if second is None:
                return await self._run(lambda: draft.whole(first, self._path(version)))
            await self._run(lambda: draft.add(first))
            await self._run(lambda: draft.add(second))
            async for piece in pieces:
                await self._run(lambda piece=piece: draft.add(piece))
            return await self._run(lambda: draft.finish(self._path(version)))
        except BaseException:
            self._threads.submit(draft.drop)
            raise

    async def read(self, version: str, start: int, end: int) -> AsyncGenerator[bytes]:
        """The bytes of a span in chunks, with read-ahead."""
        descriptor, piece = await self._first_chunk(self._path(version), start, end)
        reading: asyncio.Future[bytes] | None = None
        try:
            while piece:
                start += len(piece)
                if descriptor is not None and start < end:
                    reading = self._submit(_pread, descriptor, start, end)
                yield piece
                if reading is None:
                    return
                piece, reading = await reading, None
            if start < end:
                raise StoreError(errno.EIO, "the file is shorter than its row says")
        finally:
            if reading is not None:
                with suppress(OSError, asyncio.CancelledError):
                    await asyncio.shield(reading)
            if descriptor is not None:
                self._threads.submit(os.close, descriptor)

    async def _first_chunk(self, path: Path, start: int, end: int) -> tuple[int | None, bytes]:
        """The first chunk and the open file; a cancelled caller's file is closed."""
        beginning = self._threads.submit(_open_span, path, start, end)
        try:
            return await asyncio.wrap_future(beginning)
        except asyncio.CancelledError:
            beginning.add_done_callback(_close_unused)
            raise

    async def copy(self, source: str, target: str) -> None:
        """Link the bytes under a second name: they are never changed.

        Where a file can have no further name, its bytes are written once more.
        """
        if not await self._run(lambda: self._link(self._path(source), self._path(target))):
            size = await self._run(lambda: self._path(source).stat().st_size)
            await self.write(target, self.read(source, 0, size))

    async def remove(self, versions: Iterable[str]) -> None:
        """Remove versions."""
        paths = [self._path(version) for version in versions if is_version(version)]
        await self._run(lambda: _unlink(paths))

    async def list(self, beginning: str) -> list[Entry]:
        """All versions with this prefix."""
        return await self._run(lambda: _entries(self._folder / beginning))

    @asynccontextmanager
    async def as_file(self, version: str) -> AsyncGenerator[Path]:
        """A second name of the bytes, which stay when the version is removed meanwhile."""
        path, kept = self._path(version), self._drafts / self._draft_name()
        descriptor = await self._run(lambda: _keep(path, kept))
        try:
            yield kept
        finally:
            self._threads.submit(_release, descriptor, kept)

    async def drop_drafts(self, before: datetime) -> int:
        """Remove temporary files of dead processes; how many."""
        with _errors():
            return await self._run(lambda: drop_older(self._drafts, before.timestamp()))

    def _path(self, version: str) -> Path:
        if not is_version(version):
            raise NoBytesError(version)
        return self._folder / version[:2] / version

    def _link(self, source: Path, target: Path) -> bool:
        with _errors():
            _make_folder(target.parent, is_durable=self._is_durable)
            try:
                os.link(source, target)
            except OSError as error:
                if error.errno in _NO_LINKS:
                    return False
                raise
            _sync(target.parent, is_durable=self._is_durable)
        return True

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _submit(self, work: Callable[..., bytes], *args: int) -> asyncio.Future[bytes]:
        return asyncio.get_running_loop().run_in_executor(self._threads, work, *args)


class _Draft:
    """A temporary file being written; one thread at a time works on it.

    An upload that is cancelled drops the file while a thread may be writing to it: a descriptor
    that was closed under it could be another file's by then.
    """

    def __init__(self, path: Path, *, is_durable: bool) -> None:
        self._path = path
        self._is_durable = is_durable
        self._descriptor = -1
        self._lock = threading.Lock()
        self._is_dropped = False
        self._digest = hashlib.md5(usedforsecurity=False)
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Append a piece."""
        with self._lock, _errors():
            if self._is_dropped:
                return
            if self._descriptor < 0:
                self._open()
            left = memoryview(piece)
            while left:
                left = left[os.write(self._descriptor, left) :]
        self._digest.update(piece)
        self._size += len(piece)

    def _open(self) -> None:
        """Make the file; anew where a sweep took it for a dead process's before it was held."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        while True:
            self._descriptor = os.open(self._path, flags, 0o600)
            if hold(self._descriptor, self._path):
                return
            self._close()

    def whole(self, piece: bytes, target: Path) -> Written:
        """Write a whole file that is a single piece."""
        self.add(piece)
        return self.finish(target)

    def finish(self, target: Path) -> Written:
        """Sync and rename the file."""
        with self._lock, _errors():
            if self._is_durable:
                os.fsync(self._descriptor)
            self._close()
            _make_folder(target.parent, is_durable=self._is_durable)
            self._path.rename(target)
            _sync(target.parent, is_durable=self._is_durable)
        return Written(self._size, self._digest.hexdigest())

    def drop(self) -> None:
        """Remove the temporary file; what comes later is not written."""
        with self._lock, suppress(OSError):
            self._is_dropped = True
            self._close()
            self._path.unlink(missing_ok=True)

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def _open_span(path: Path, start: int, end: int) -> tuple[int | None, bytes]:
    """The first piece of a span, and the open file where there is more: most have no more."""
    with _errors():
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        piece = _pread(descriptor, start, end)
    except OSError:
        os.close(descriptor)
        raise
    if piece and start + len(piece) < end:
        return descriptor, piece
    os.close(descriptor)
    return None, piece


def _keep(path: Path, kept: Path) -> int:
    """Give a stored file a second name, or copy it; open, so that nobody drops it."""
    with _errors():
        try:
            os.link(path, kept)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            shutil.copyfile(path, kept)
        descriptor = os.open(kept, os.O_RDONLY)
    if hold(descriptor, kept):
        return descriptor
    os.close(descriptor)
    return _keep(path, kept)  # a sweep took it for a dead process's


def _release(descriptor: int, kept: Path) -> None:
    kept.unlink(missing_ok=True)
    os.close(descriptor)


def _close_unused(beginning: Future[tuple[int | None, bytes]]) -> None:
    if not beginning.cancelled() and beginning.exception() is None:
        descriptor, _ = beginning.result()
        if descriptor is not None:
            os.close(descriptor)


def _pread(descriptor: int, start: int, end: int) -> bytes:
    with _errors():
        return os.pread(descriptor, min(PIECE, end - start), start)


def _make_folder(folder: Path, *, is_durable: bool) -> None:
    if not folder.exists():
        folder.mkdir(mode=_TOP, exist_ok=True)
        _sync(folder.parent, is_durable=is_durable)


def _sync(folder: Path, *, is_durable: bool) -> None:
    """Sync a folder, so that its names survive a crash."""
    if not is_durable:
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unlink(paths: Iterable[Path]) -> None:
    with _errors():
        for path in paths:
            path.unlink(missing_ok=True)


def _entries(folder: Path) -> list[Entry]:
    found: list[Entry] = []
    with _errors(), suppress(FileNotFoundError), os.scandir(folder) as files:
        for file in files:
            with suppress(FileNotFoundError):
                about = file.stat(follow_symlinks=False)
                # The time of the name's creation: a copy is a hard link to old bytes
                modified = datetime.fromtimestamp(about.st_ctime, UTC)
                found.append(Entry(file.name, about.st_size, modified))
    return found


@contextmanager
def _errors() -> Generator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise NoBytesError(str(error)) from error
    except OSError as error:
        raise StoreError(error.errno, error.strerror) from error
