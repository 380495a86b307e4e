"""Images rendered by processes of their own; results are kept.

The cache is a folder with a size cap; the least recently used file is evicted first.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from compat_base.fair_semaphore import FairSemaphore, QueueFullError, ShareFullError
from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.files.image_processes import ImageProcesses, busy
from storage_compat.files.pieces import PIECE
from storage_compat.settings import ImageSettings

T = TypeVar("T")

_TYPES = {
    "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/avif": "avif",
    "image/gif": "gif", "image/tiff": "tif", "image/svg+xml": "svg",
}  # fmt: skip
_NAMES = {extension: name for name, extension in _TYPES.items()}
_EVICTED_TO = 0.9  # share of the cap that is left after an eviction
_SHARES = 16  # of the cap: a process that has added one looks at all that is there


@dataclass(frozen=True, slots=True)
class Rendering:
    """What to make of an image; `format` None keeps the source's."""

    width: int | None
    height: int | None
    resize: str
    quality: int | None
    format: str | None
    gravity: str | None


@dataclass(frozen=True, slots=True)
class Rendered:
    """A finished image: a file of the cache, open for reading."""

    media_type: str
    size: int
    descriptor: int


class Renderer:
    """Renders files within limits, queued fairly by caller; `close` ends its processes."""

    def __init__(self, settings: ImageSettings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._threads = ThreadPoolExecutor(2, "storage-images")
        self._places = FairSemaphore(
            settings.workers, most=settings.queue, most_each=settings.queue
        )
        self._processes = ImageProcesses(settings.seconds)
        self._added = settings.cache_bytes  # bytes since the last check; the first use checks

    async def find(self, version: str, rendering: Rendering) -> Rendered | None:
        """A result that is kept."""
        return await self._run(_open_kept, self._folder, _name(version, rendering))

    async def render(
        self,
        version: str,
        source: AbstractAsyncContextManager[Path],
        rendering: Rendering,
        caller: str,
    ) -> Rendered:
        """Render a file; ApiError where it is no image, too large, or the queue is full.

        `source` is opened only then, because it may be a copy of what a remote store has.
        """
        self._processes.check(version)
        try:
            await self._places.acquire(caller)
        except (QueueFullError, ShareFullError) as error:
            raise busy() from error
        try:
            return await self._rendered(version, source, rendering)
        finally:
            self._places.release(caller)

    def release(self, rendered: Rendered) -> None:
        """Close an unread result."""
        os.close(rendered.descriptor)

    async def read(self, rendered: Rendered) -> AsyncGenerator[bytes]:
        """The bytes of a result, which is closed at the end."""
        try:
            for start in range(0, rendered.size, PIECE):
                yield await self._run(os.pread, rendered.descriptor, PIECE, start)
        finally:
            os.close(rendered.descriptor)

    def close(self) -> None:
        """End the processes."""
        self._processes.close()
        self._threads.shutdown(wait=False)

    async def _rendered(
        self, version: str, source: AbstractAsyncContextManager[Path], rendering: Rendering
    ) -> Rendered:
        name = _name(version, rendering)
        kept = await self._run(_open_kept, self._folder, name)
        if kept is not None:  # another request rendered the same meanwhile
            return kept
        draft = await self._run(_new_draft, self._folder)
        request: dict[str, object] = {
            **asdict(rendering),
            "target": str(draft),
            "pixels": self._settings.pixels,
            "drawing_seconds": self._settings.drawing_seconds,
        }
        try:
            async with source as file:
                answer = await self._processes.run(version, request | {"source": str(file)})
            media_type = _media_type(answer)
            path = self._folder / f"{name}.{_TYPES[media_type]}"
            rendered = await self._run(_keep, draft, path, media_type)
        except BaseException:
            self._threads.submit(draft.unlink, missing_ok=True)
            raise
        await self._evict(rendered.size)
        return rendered

    async def _evict(self, added: int) -> None:
        """Keep the cache below its cap, to which other processes may add as well."""
        self._added += added
        share = self._settings.cache_bytes // _SHARES
        if self._added >= share:
            self._added = 0
            await self._run(_evict, self._folder, self._settings.cache_bytes - share)

    async def _run(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)


def _media_type(answer: dict[str, object]) -> str:
    if "error" in answer:
        is_large = answer["error"] == "resolution"
        raise ApiError.of(errors.IMAGE_RESOLUTION if is_large else errors.INVALID_IMAGE)
    return str(answer["type"])


def _name(version: str, rendering: Rendering) -> str:
    text = jsontext.encode([version, asdict(rendering)])
    return hashlib.sha256(text.encode()).hexdigest()


def _new_draft(folder: Path) -> Path:
    """An empty file of nobody else's: other processes and nodes may render the same image."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, path = tempfile.mkstemp(".draft", dir=folder)
    os.close(descriptor)
    return Path(path)


def _open_kept(folder: Path, name: str) -> Rendered | None:
    for extension, media_type in _NAMES.items():
        path = folder / f"{name}.{extension}"
        with suppress(FileNotFoundError):
            rendered = _opened(path, media_type)
            os.utime(path)
            return rendered
    return None


def _keep(draft: Path, kept: Path, media_type: str) -> Rendered:
    draft.replace(kept)
    return _opened(kept, media_type)


def _opened(path: Path, media_type: str) -> Rendered:
    descriptor = os.open(path, os.O_RDONLY)
    return Rendered(media_type, os.fstat(descriptor).st_size, descriptor)


def _evict(folder: Path, most: int) -> None:
    """Where there are more bytes than `most`, remove the oldest files until a tenth is free."""
    files = sorted(_kept_files(folder))
    size = sum(file[1] for file in files)
    if size <= most:
        return
    for _, bytes_of_file, path in files:
        if size <= most * _EVICTED_TO:
            return
        with suppress(FileNotFoundError):
            Path(path).unlink()
        size -= bytes_of_file


def _kept_files(folder: Path) -> list[tuple[float, int, str]]:
    """Every file's time, size and path; others may remove some meanwhile."""
    found: list[tuple[float, int, str]] = []
    with os.scandir(folder) as files:
        for file in files:
            with suppress(FileNotFoundError):
                about = file.stat()
                found.append((about.st_mtime, about.st_size, file.path))
    return found
