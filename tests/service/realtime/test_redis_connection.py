"""A connection to a real Valkey or Redis: by its Unix socket, and when it is reset under a write."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from realtime_compat.cluster.redis_connection import RedisConnection, RedisDownError
from tests.harness_programs import require_valkey
from tests.harness_workers import until


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server that listens at a Unix socket alone."""
    path = tmp_path / "redis.sock"
    command = [require_valkey(), "--port", "0", "--unixsocket", str(path), "--save", ""]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        until(path.exists, "it listens")
        yield f"unix://{path}"
    finally:
        process.kill()
        process.wait()


def test_a_message_comes_by_a_unix_socket(address: str):
    async def crossed() -> object:
        connection = RedisConnection(address)
        await connection.subscribe(["a"])
        await connection.publish([("a", b"hello")])
        received = [await connection.receive() for _ in range(2)]
        await connection.close()
        return received

    assert uvloop.run(crossed()) == [("a", None), ("a", b"hello")]


def test_a_connection_that_is_reset_under_a_write_is_a_redis_that_is_down(address: str):
    async def write() -> None:
        connection: Any = RedisConnection(address)
        await connection.subscribe(["a"])
        transport = connection._subscription.connection._writer.transport
        transport.abort()  # as a reset does
        with pytest.raises(RedisDownError):
            await connection.subscribe(["b"])
        await connection.close()

    uvloop.run(write())
