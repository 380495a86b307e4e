"""Another issuer's keys while the stack serves: fetched in time, for a new one, and not too often."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jwt as pyjwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from compat_base.values import jwt
from compat_base.values.events import Observation
from compat_stack.keys import third_party_keys
from compat_stack.keys.third_party_fetch import ThirdPartyError
from compat_stack.keys.third_party_keys import PAUSE_SECONDS, ThirdPartyKeys

ISSUER = "https://issuer.example"
KEY = ec.generate_private_key(ec.SECP256R1())


@dataclass
class Hand:
    """A clock that is set by hand."""

    seconds: float = 0.0

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)

    def monotonic(self) -> float:
        return self.seconds


@dataclass
class Published:
    """What the issuer publishes under these kids, and how often it was asked."""

    kids: list[str] = field(default_factory=lambda: ["one"])
    fetches: int = 0
    broken: str = ""

    async def fetch(self) -> list[Any]:
        self.fetches += 1
        if self.broken:
            raise ThirdPartyError(self.broken)
        public = ECAlgorithm.to_jwk(KEY.public_key(), as_dict=True)
        return [{**public, "kid": kid, "alg": "ES256"} for kid in self.kids]


@dataclass
class Fresh:
    """Keys that are kept fresh, what they were fetched from, and what was observed."""

    keys: ThirdPartyKeys
    published: Published
    clock: Hand
    seen: list[Observation]


def token(kid: str, issuer: str = ISSUER) -> jwt.Unpacked:
    return jwt.unpack(pyjwt.encode({"iss": issuer}, KEY, algorithm="ES256", headers={"kid": kid}))


@asynccontextmanager
async def kept_fresh(folder: Path, published: Published) -> AsyncGenerator[Fresh]:
    clock, seen = Hand(), list[Observation]()
    keys = ThirdPartyKeys(ISSUER, folder, published.fetch, clock, seen.append)
    keeping = asyncio.create_task(keys.keep_fresh())
    try:
        await keys.ready()
        yield Fresh(keys, published, clock, seen)
    finally:
        keeping.cancel()


def kids(fresh: Fresh) -> list[str | None]:
    return [key.kid for key in fresh.keys.keys]


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():  # noqa: ASYNC110 — the fetch tells nobody
            await asyncio.sleep(0)


async def test_a_key_that_is_not_known_is_waited_for(tmp_path: Path):
    async with kept_fresh(tmp_path, Published()) as fresh:
        fresh.published.kids = ["two"]
        await fresh.keys.look_up(token("two"))
        assert kids(fresh) == ["two"]


async def test_what_strangers_send_fetches_no_more_than_once_in_the_pause(tmp_path: Path):
    async with kept_fresh(tmp_path, Published()) as fresh:
        for number in range(50):
            await fresh.keys.look_up(token(f"none {number}"))
        assert fresh.published.fetches == 2
        fresh.clock.seconds += PAUSE_SECONDS
        await fresh.keys.look_up(token("none"))
        assert fresh.published.fetches == 3


async def test_a_hundred_requests_wait_for_one_fetch(tmp_path: Path):
    async with kept_fresh(tmp_path, Published()) as fresh:
        fresh.published.kids = ["two"]
        await asyncio.gather(*(fresh.keys.look_up(token("two")) for _ in range(100)))
        assert (fresh.published.fetches, kids(fresh)) == (2, ["two"])


@pytest.mark.parametrize("of_others", [token("one"), token("two", "https://other.example")])
async def test_a_known_key_and_another_issuer_are_not_asked_for(
    tmp_path: Path, of_others: jwt.Unpacked
):
    async with kept_fresh(tmp_path, Published()) as fresh:
        await fresh.keys.look_up(of_others)
        assert fresh.published.fetches == 1


async def test_where_they_cannot_be_had_those_of_before_count(tmp_path: Path):
    async with kept_fresh(tmp_path, Published()):
        pass
    async with kept_fresh(tmp_path, Published(broken="the issuer is away")) as fresh:
        await until(lambda: bool(fresh.seen))
        assert kids(fresh) == ["one"]
        assert fresh.seen[0].name == "issuer_keys_not_fetched"
        assert fresh.seen[0].facts == {"reason": "the issuer is away", "keys_that_count": 1}


async def test_they_are_fetched_again_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(third_party_keys, "FRESH_SECONDS", 0.001)
    async with kept_fresh(tmp_path, Published()) as fresh:
        fresh.published.kids = ["two"]
        await until(lambda: kids(fresh) == ["two"])


async def test_a_socket_has_a_missing_key_fetched_without_waiting(tmp_path: Path):
    async with kept_fresh(tmp_path, Published()) as fresh:
        fresh.published.kids = ["two"]
        fresh.keys.miss(token("two"))
        await until(lambda: kids(fresh) == ["two"])
