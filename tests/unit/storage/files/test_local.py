"""Bytes in a folder: what an upload that is cancelled leaves, and one that takes its time."""

from __future__ import annotations

import asyncio
import fcntl
import math
import os
import threading
from collections.abc import AsyncGenerator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from storage_compat.files.drafts import drop_older
from storage_compat.files.local import LocalStore
from storage_compat.files.pieces import PIECE
from storage_compat.files.port import NoBytesError

VERSION = "00000000-aaaa-4aaa-8aaa-000000000000"
SECONDS = 60


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LocalStore]:
    opened = LocalStore(tmp_path, "tenant", is_durable=False, draft_name=lambda: "draft")
    yield opened
    opened.close()


async def chunks() -> AsyncGenerator[bytes]:
    for _ in range(3):
        yield bytes(PIECE)


async def test_a_cancelled_upload_closes_its_file_behind_the_last_write(
    store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    begun, goes_on = threading.Event(), threading.Event()
    written: list[int] = []
    write = os.write

    def slowly(descriptor: int, data: bytes) -> int:
        begun.set()
        goes_on.wait(SECONDS)
        written.append(write(descriptor, data))
        return written[-1]

    monkeypatch.setattr(os, "write", slowly)
    upload = asyncio.ensure_future(store.write(VERSION, chunks()))
    assert await asyncio.to_thread(begun.wait, SECONDS)
    upload.cancel()
    with pytest.raises(asyncio.CancelledError):
        await upload
    await store.list("00")  # by another thread than the one that would close it
    goes_on.set()
    async with asyncio.timeout(SECONDS):
        while any((tmp_path / ".tmp").iterdir()):  # noqa: ASYNC110 — a thread removes it
            await asyncio.sleep(0.01)
    assert written == [PIECE]
    assert await store.list("00") == []


async def test_only_temporary_files_that_nobody_writes_are_dropped(
    store: LocalStore, tmp_path: Path
):
    goes_on = asyncio.Event()

    async def slowly() -> AsyncGenerator[bytes]:
        yield bytes(PIECE)
        yield bytes(PIECE)
        await goes_on.wait()
        yield b"the end"

    upload = asyncio.ensure_future(store.write(VERSION, slowly()))
    draft = tmp_path / ".tmp/draft"
    async with asyncio.timeout(SECONDS):
        while not draft.exists() or draft.stat().st_size < 2 * PIECE:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    (tmp_path / ".tmp/dead").write_bytes(b"of a process that died")
    assert await store.drop_drafts(datetime(9999, 1, 1, tzinfo=UTC)) == 1
    goes_on.set()
    assert (await upload).size == 2 * PIECE + len(b"the end")


async def test_a_file_that_is_removed_while_it_is_read_stays_for_who_reads_it(
    store: LocalStore, tmp_path: Path
):
    await store.write(VERSION, chunks())
    async with store.as_file(VERSION) as file:
        await store.remove([VERSION])
        assert await store.drop_drafts(datetime(9999, 1, 1, tzinfo=UTC)) == 0
        assert file.stat().st_size == 3 * PIECE
    async with asyncio.timeout(SECONDS):
        while any((tmp_path / ".tmp").iterdir()):  # noqa: ASYNC110 — a thread removes it
            await asyncio.sleep(0.01)
    with pytest.raises(NoBytesError):
        async with store.as_file(VERSION):
            pass


async def test_a_file_that_a_sweep_takes_before_it_is_held_is_made_again(
    store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lock, sweeps = fcntl.flock, [1, 1]

    def late(descriptor: int, how: int) -> None:
        if how == fcntl.LOCK_SH and sweeps:
            assert drop_older(tmp_path / ".tmp", math.inf) == sweeps.pop()
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    assert (await store.write(VERSION, chunks())).size == 3 * PIECE
    async with store.as_file(VERSION) as file:
        assert file.stat().st_size == 3 * PIECE
    assert sweeps == []
