"""Worker processes that render images, started on demand and ended when idle."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from storage_compat import errors

_START_SECONDS = 30.0  # for a process to start on a busy machine
_IDLE_SECONDS = 60.0  # after which an idle process ends, to free its memory
_COSTLY_SECONDS = 60.0  # for which a file that killed a process is refused at once
_MOST_COSTLY = 1000  # such files; the oldest is forgotten first


class ImageProcesses:
    """Processes that take one request after the other, each for so many seconds.

    A file that took too long, or killed its process, is refused for a minute without being tried.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._idle: list[Process] = []
        self._costly: OrderedDict[str, float] = OrderedDict()  # versions, and when they were tried
        self._retiring: asyncio.TimerHandle | None = None

    def close(self) -> None:
        """End the idle processes; a busy one ends with its caller."""
        if self._retiring is not None:
            self._retiring.cancel()
        self._retire()

    def check(self, version: str) -> None:
        """Raise ApiError for a version that killed a process within the last minute."""
        tried = self._costly.get(version)
        if tried is not None and asyncio.get_running_loop().time() < tried + _COSTLY_SECONDS:
            raise ApiError.of(errors.INVALID_IMAGE)

    async def run(self, version: str, request: dict[str, object]) -> dict[str, object]:
        """A process's answer about a version; one that died while idle is replaced.

        ApiError where the version's process died, or took too long; where no process starts.
        """
        self.check(version)
        while True:
            is_new = not self._idle
            process = await _start() if is_new else self._idle.pop()
            try:
                line = await self._answer(process, request)
            except TimeoutError as error:
                self._refuse_for_a_while(version)
                raise ApiError.of(errors.INVALID_IMAGE) from error
            except ConnectionError as error:
                if is_new:
                    raise busy() from error
                continue
            if not line:  # the decoder crashed the process
                self._refuse_for_a_while(version)
                raise ApiError.of(errors.INVALID_IMAGE)
            return jsontext.decode_object(line)

    async def _answer(self, process: Process, request: dict[str, object]) -> bytes:
        """The line of a process, empty where it died of the request; ConnectionError: before."""
        assert process.stdin is not None  # noqa: S101 — asked for as a pipe
        assert process.stdout is not None  # noqa: S101
        try:
            async with asyncio.timeout(self._seconds):
                process.stdin.write(jsontext.encode_bytes(request) + b"\n")
                await process.stdin.drain()
                is_read = await process.stdout.readline()
                line = await process.stdout.readline()
        except BaseException:
            await _kill(process)
            raise
        if not is_read:
            await process.wait()
            raise ConnectionResetError
        if line:
            self._idle.append(process)
            self._retire_later()
        else:
            await process.wait()
        return line

    def _refuse_for_a_while(self, version: str) -> None:
        self._costly[version] = asyncio.get_running_loop().time()
        self._costly.move_to_end(version)
        if len(self._costly) > _MOST_COSTLY:
            self._costly.popitem(last=False)

    def _retire_later(self) -> None:
        if self._retiring is not None:
            self._retiring.cancel()
        loop = asyncio.get_running_loop()
        self._retiring = loop.call_later(_IDLE_SECONDS, self._retire)

    def _retire(self) -> None:
        while self._idle:
            with suppress(ProcessLookupError):
                self._idle.pop().kill()


async def _start() -> Process:
    """A process that is ready: what its start takes is no image's time. ApiError where none is."""
    environment = {"VIPS_CONCURRENCY": "1", "VIPS_WARNING": "0"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", _PROGRAM, stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
        env=environment,
    )  # fmt: skip
    assert process.stdout is not None  # noqa: S101 — asked for as a pipe
    try:
        async with asyncio.timeout(_START_SECONDS):
            line = await process.stdout.readline()
    except BaseException as error:
        await _kill(process)
        if isinstance(error, TimeoutError):
            raise busy() from error
        raise
    if not line:
        await _kill(process)
        raise busy()
    return process


def busy() -> ApiError:
    """The refusal while no image can be rendered."""
    return ApiError.of(errors.IMAGES_BUSY, headers=(("Retry-After", "1"),))


# Isolated from the environment and the folder it is started in; the package is found where this is
_PROGRAM = (
    f"import runpy, sys; sys.path[:0] = {[path for path in sys.path if path]!r};"
    f"runpy.run_path({str(Path(__file__).with_name('image_worker.py'))!r}, run_name='__main__')"
)


async def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
