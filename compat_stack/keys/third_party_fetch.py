"""Fetching the keys of another issuer by OpenID Connect Discovery.

Its OpenID configuration names its JWKS (OpenID Connect Discovery 1.0).
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

import httpx2

from compat_base.egress import open_guarded
from compat_base.values import jsontext
from compat_base.values.errors import OperatorError
from compat_base.values.networks import Permitted
from compat_stack.keys.third_party import public_keys

_SECONDS = 10.0  # for both answers together
_MOST_BYTES = 1_048_576  # of each


class ThirdPartyError(OperatorError):
    """An issuer's keys cannot be fetched: one sentence with the reason."""


async def fetch_keys(issuer: str, allowed: Permitted) -> list[Any]:
    """The public keys that an issuer publishes, as JWKs. Raises ThirdPartyError."""
    try:
        async with asyncio.timeout(_SECONDS), open_guarded(allowed) as client:
            found = await _object(client, f"{issuer}/.well-known/openid-configuration")
            address = found.get("jwks_uri")
            if not isinstance(address, str):
                raise ThirdPartyError(f"the OpenID configuration of {issuer} names no jwks_uri")
            members = (await _object(client, address)).get("keys")
    except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL, jsontext.InvalidJsonError) as error:
        reason = str(error) or "no answer in time"
        raise ThirdPartyError(f"the keys of {issuer} cannot be had: {reason}") from error
    keys = public_keys(members)
    if not keys:
        raise ThirdPartyError(f"{issuer} publishes no key that can be used")
    return keys


async def _object(client: httpx2.AsyncClient, address: str) -> dict[str, Any]:
    body = bytearray()
    async with client.stream("GET", address) as answer:
        if answer.status_code != httpx2.codes.OK:
            raise ThirdPartyError(f"{address} answers with status {answer.status_code}")
        async for piece in answer.aiter_bytes():
            body += piece
            if len(body) > _MOST_BYTES:
                raise ThirdPartyError(f"{address} answers with more than {_MOST_BYTES} bytes")
    found = jsontext.decode(bytes(body))
    if not isinstance(found, dict):
        raise ThirdPartyError(f"{address} answers with other than an object")
    return cast("dict[str, Any]", found)
