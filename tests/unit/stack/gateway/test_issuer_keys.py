"""The token of a request is looked up before the request is served."""

from __future__ import annotations

from typing import Any

import pytest

from compat_base.values import jwt
from compat_stack.gateway.issuer_keys import IssuerKeys

TOKEN = jwt.sign({"iss": "https://issuer.example"}, jwt.secret_key("x" * 32))


async def done(scope: Any) -> list[str]:
    """What was done, in order, for a request."""
    order: list[str] = []

    async def look_up(unpacked: jwt.Unpacked) -> None:
        order.append(f"looked up {unpacked.claims()['iss']}")

    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        order.append("served")

    async def nothing(*_: Any) -> Any:
        return {}

    await IssuerKeys(app, look_up)(scope, nothing, nothing)
    return order


def request(value: str, kind: str = "http") -> dict[str, Any]:
    return {"type": kind, "headers": [(b"authorization", value.encode())]}


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
async def test_the_token_is_looked_up_first(scheme: str):
    assert await done(request(f"{scheme} {TOKEN}")) == [
        "looked up https://issuer.example",
        "served",
    ]


@pytest.mark.parametrize(
    "scope",
    [
        {"type": "http", "headers": []},
        request("Bearer sb_secret_x"),
        request("Basic eDp5"),
        request(f"Bearer {TOKEN}", "websocket"),
    ],
)
async def test_what_has_no_token_is_served_at_once(scope: dict[str, Any]):
    assert await done(scope) == ["served"]
