"""Discovery documents: kept for their time, fetched again where they are of no use."""

from __future__ import annotations

import json

from compat_base.values.world import SystemClock
from gotrue_compat.ports import HttpAnswer, HttpCall
from gotrue_compat.providers.oidc import CachedIdTokens


class Clock(SystemClock):
    """Stands where it is set."""

    at = 0.0

    def monotonic(self) -> float:
        return self.at


class Issuer:
    """An issuer whose document counts its requests."""

    requests = 0

    async def send(self, call: HttpCall) -> HttpAnswer:
        self.requests += 1
        document = json.dumps({"issuer": call.url, "requests": self.requests}).encode()
        return HttpAnswer(200, {"content-type": "application/json"}, document)


async def test_a_document_that_is_of_no_use_is_fetched_again_after_ten_seconds():
    clock = Clock()
    tokens = CachedIdTokens(Issuer(), clock, keep_seconds=3600)

    async def request_of(*, fresh: bool) -> int:
        return (await tokens.metadata("https://idp.example", fresh=fresh))["requests"]

    assert [await request_of(fresh=fresh) for fresh in (False, True, False)] == [1, 1, 1]
    clock.at = 11
    assert [await request_of(fresh=fresh) for fresh in (False, True, False)] == [1, 2, 2]
