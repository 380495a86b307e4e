"""What must hold of uploads of every kind, whatever dies when."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx2

from tests.harness_storage_kinds import AWAY, BEARER, BUCKET, KINDS, Kind, sent

_LEAST, _MOST = 8, 700_000  # bytes of an object


@dataclass
class Ledger:
    """What was tried and what was acknowledged: contents are numbered, names have one writer."""

    acknowledged: dict[str, int] = field(default_factory=dict[str, int])
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def content(self) -> tuple[int, bytes]:
        """The next content; its size is of its number."""
        number = next(self._numbers)
        return number, content_of(number)

    async def upload_for_ever(
        self,
        client: httpx2.AsyncClient,
        name: str,
        kind: Kind,
        acknowledged: Callable[[], None] = lambda: None,
    ) -> None:
        """Write an object again and again, until the service is gone or refuses."""
        while True:
            number, content = self.content()
            await kind(client, name, content)
            self.acknowledged[name] = number
            acknowledged()

    def wrong(self, name: str, content: bytes | None) -> str | None:
        """What is wrong with what an object holds now; None where nothing is."""
        least = self.acknowledged.get(name)
        if content is None:
            return f"{name}: {least} was acknowledged, and is lost" if least is not None else None
        number = int.from_bytes(content[:8])
        if content != content_of(number):
            return f"{name}: half of {number}, {len(content)} bytes"
        if least is not None and number < least:
            return f"{name}: {number} after {least} was acknowledged"
        return None


def content_of(number: int) -> bytes:
    """The bytes of a number: how many is of the number too."""
    digest = int.from_bytes(hashlib.sha256(number.to_bytes(8)).digest()[:4])
    words = _LEAST // 8 + digest % ((_MOST - _LEAST) // 8)
    return number.to_bytes(8) * (words if digest % 5 else max(1, words % 2_000))


async def find_wrong(client: httpx2.AsyncClient, ledger: Ledger) -> list[str]:
    """What is wrong with every object that is there or was acknowledged."""
    listed = await sent(
        client.post(
            f"/object/list-v2/{BUCKET}",
            json={"prefix": "", "with_delimiter": False},
            headers=BEARER,
        )
    )
    names = {each["name"] for each in listed.json()["objects"]} | set(ledger.acknowledged)
    found: list[str] = []
    for name in sorted(names):
        answer = await client.get(f"/object/{BUCKET}/{name}", headers=BEARER)
        if answer.status_code != 200:  # it may have been under way
            away = await client.get(f"/object/{BUCKET}/{name}{AWAY}", headers=BEARER)
            answer = away if away.status_code == 200 else answer
        content = answer.content if answer.status_code == 200 else None
        if content is None and "NoSuchKey" not in answer.text:
            found.append(f"{name}: {answer.status_code} {answer.text[:200]}")
        wrong = ledger.wrong(name, content)
        found += [wrong] if wrong else []
    return found


async def until_killed(address: str, ledger: Ledger, kill: Callable[[], None], after: int) -> None:
    """Upload by every kind at once, and kill the service after so many acknowledgements."""
    left = after

    def acknowledged() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            kill()

    limits = httpx2.Limits(max_connections=len(KINDS) * 2)
    async with httpx2.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
        works = [
            ledger.upload_for_ever(client, name, kind, acknowledged) for name, kind in KINDS.items()
        ]
        ended = await asyncio.gather(*works, return_exceptions=True)
    refused = [error for error in ended if not isinstance(error, httpx2.TransportError)]
    assert not refused, refused


async def make_bucket(address: str) -> None:
    """The bucket of the uploads, where it is not there yet."""
    async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
        await client.post("/bucket", json={"name": BUCKET}, headers=BEARER)
