"""The keys of another issuer while the stack serves: fetched again in time, and for a new one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.jwt import Key, Unpacked, is_issued_by
from compat_base.values.world import Clock
from compat_stack.keys.third_party import keep_keys, kept_keys, keys_of
from compat_stack.keys.third_party_fetch import ThirdPartyError

FRESH_SECONDS = 600.0
PAUSE_SECONDS = 30.0  # between two fetches for keys that are not known


class ThirdPartyKeys:
    """The keys that an issuer publishes, or published when it was reached last.

    They are fetched every `FRESH_SECONDS`, and when a token of the issuer names one that is not
    known: for that every `PAUSE_SECONDS` at most, whatever strangers send. Those that the issuer
    publishes no more stop counting with the next fetch.
    """

    def __init__(
        self,
        issuer: str,
        folder: Path,
        fetch: Callable[[], Awaitable[list[Any]]],
        clock: Clock,
        observer: Observer,
    ) -> None:
        self._issuer = issuer
        self._folder = folder
        self._fetch = fetch
        self._clock = clock
        self._observer = observer
        self.keys: tuple[Key, ...] = kept_keys(folder, issuer)
        self._fetching = asyncio.Event()  # until the fetch has ended
        self._ended = asyncio.Event()
        self._not_before = -PAUSE_SECONDS

    def miss(self, unpacked: Unpacked) -> None:
        """Request a fetch of the keys if the token names one of the issuer's that is not known."""
        now = self._clock.monotonic()
        if now >= self._not_before and not self._fetching.is_set() and self._is_unknown(unpacked):
            self._not_before = now + PAUSE_SECONDS
            self._fetching.set()

    async def look_up(self, unpacked: Unpacked) -> None:
        """Wait for a running fetch, if the token names a key of the issuer that is not known."""
        self.miss(unpacked)
        if self._fetching.is_set() and self._is_unknown(unpacked):
            await self._ended.wait()

    async def ready(self) -> None:
        """Wait until there are keys, or the first fetch has failed."""
        if not self.keys:
            await self._ended.wait()

    async def keep_fresh(self) -> None:
        """Fetch the keys now, periodically, and when one is missing, for ever."""
        while True:
            self._fetching.set()
            try:
                await self._refresh()
            finally:
                self._fetching.clear()
                self._ended.set()
                self._ended = asyncio.Event()
            with suppress(TimeoutError):
                async with asyncio.timeout(FRESH_SECONDS):
                    await self._fetching.wait()

    async def _refresh(self) -> None:
        try:
            fetched = await self._fetch()
            keys = keys_of(self._issuer, fetched)
            if _named(keys) != _named(self.keys):
                self.keys = keys
                keep_keys(self._folder, self._issuer, fetched)
        except (ThirdPartyError, OSError) as error:
            facts = {"reason": str(error), "keys_that_count": len(self.keys)}
            self._observer(Observation("issuer_keys_not_fetched", Severity.WARNING, facts))

    def _is_unknown(self, unpacked: Unpacked) -> bool:
        """Whether a token names a key of the issuer that is not known; no signature is checked."""
        kid = unpacked.kid
        is_known = kid is None or any(key.kid == kid for key in self.keys)
        return not is_known and is_issued_by(unpacked, self._issuer)


def _named(keys: tuple[Key, ...]) -> list[Any]:
    """The members of each key, to compare two sets."""
    return [key.jwk for key in keys]
