"""A connection to Redis or Valkey: channels subscribed to, messages published to channels.

Redis-py is named, not imported: it takes 80 ms and 9 MB to load, which only who has several nodes
spends. Of processor time it takes 29 µs for each message of a pipeline and 26 to receive one; a
bare socket, which takes 44 for a message by itself, would have no TLS, no users and no addresses of
Redis.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Never, TypeAlias, cast

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 5.0  # of a command; what is subscribed to is waited for without end
SILENT_SECONDS = 15.0  # three signs of life of this node's own, which Redis sends back
CHANNELS_AT_ONCE = 1000  # in one command

Received: TypeAlias = tuple[str, bytes | None]
"""A channel and a message; None for one that this connection is subscribed to from now on."""


class RedisDownError(OSError):
    """Redis cannot be reached, or is silent; the message is the library's."""


class RedisConnection:
    """One connection to subscribe, and those of one client to publish; opened by the first use."""

    def __init__(self, url: str) -> None:
        redis = import_module("redis.asyncio")
        # A write on a connection that was reset a moment ago is a RuntimeError of uvloop's.
        self._down: tuple[type[Exception], ...] = (redis.RedisError, RuntimeError)
        options = {} if url.startswith("unix://") else {"socket_keepalive": True}
        self._client: Any = redis.Redis.from_url(
            url,
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=ANSWER_SECONDS,  # the library's own default has changed between versions
            **options,
        )
        self._subscription: Any = self._client.pubsub()
        self._is_silent = False

    async def subscribe(self, channels: Sequence[str]) -> None:
        """Subscribe to channels; each is confirmed by `receive`. Raises RedisDownError."""
        await self._in_parts(self._subscription.subscribe, channels)

    async def unsubscribe(self, channels: Sequence[str]) -> None:
        """Unsubscribe from channels. Raises RedisDownError."""
        await self._in_parts(self._subscription.unsubscribe, channels)

    async def receive(self) -> Received | None:
        """The next message or confirmation; None for what is neither. Raises RedisDownError."""
        with self._errors():
            found = await self._subscription.get_message(timeout=None)
        self._is_silent = False
        if found is None or found["type"] not in {"message", "subscribe"}:
            return None
        channel = cast("bytes", found["channel"]).decode()
        return channel, cast("bytes", found["data"]) if found["type"] == "message" else None

    async def watch(self) -> Never:
        """Wait until nothing was received for SILENT_SECONDS, and raise RedisDownError.

        A server that hangs, or whose machine is gone, would else be waited for as long as the
        network does: some 15 minutes.
        """
        while not self._is_silent:
            self._is_silent = True
            await asyncio.sleep(SILENT_SECONDS)
        raise RedisDownError(f"Redis said nothing for {SILENT_SECONDS:.0f} s")

    async def publish(self, messages: Iterable[tuple[str, bytes]]) -> None:
        """Publish messages to channels, in one round trip. Raises RedisDownError."""
        pipeline = self._client.pipeline(transaction=False)
        for channel, message in messages:
            pipeline.publish(channel, message)
        with self._errors():
            await pipeline.execute()

    async def ping(self) -> None:
        """Wait for an answer. Raises RedisDownError."""
        with self._errors():
            await self._client.ping()

    async def close(self) -> None:
        """Close all connections. Raises RedisDownError where that takes too long."""
        with self._errors():
            try:
                await self._subscription.aclose()
            finally:
                await self._client.aclose()

    async def _in_parts(self, command: Any, channels: Sequence[str]) -> None:
        with self._errors():
            for at in range(0, len(channels), CHANNELS_AT_ONCE):
                await command(*channels[at : at + CHANNELS_AT_ONCE])

    @contextmanager
    def _errors(self) -> Generator[None]:
        try:
            yield
        except self._down as error:
            raise RedisDownError(str(error)) from error
