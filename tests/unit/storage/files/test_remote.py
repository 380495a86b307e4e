"""Temporary copies of what an object store has."""

from __future__ import annotations

import fcntl
import math
from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import uuid4

import pytest

from storage_compat.files.drafts import drop_older
from storage_compat.files.remote import RemoteStore


async def hello() -> AsyncGenerator[bytes]:
    yield b"hello"


def names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


async def test_a_copy_that_a_sweep_takes_before_it_is_held_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    store, version = RemoteStore("memory://", "tenant", tmp_path, {}, seconds=5), str(uuid4())
    await store.write(version, hello())
    lock, sweeps = fcntl.flock, [1]

    def late(descriptor: int, how: int) -> None:
        if how == fcntl.LOCK_SH and sweeps:
            assert drop_older(tmp_path, math.inf) == sweeps.pop()
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    async with store.as_file(version) as file:
        assert file.read_bytes() == b"hello"
    assert (sweeps, names(tmp_path)) == ([], [])
    store.close()
