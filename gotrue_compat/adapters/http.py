"""Outgoing HTTP over one client with bounded answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2

from compat_base.egress import open_guarded, tls_context
from compat_base.values.networks import Permitted
from compat_base.values.urls import parse_url
from gotrue_compat.ports import HttpAnswer, HttpCall, UnreachableError


class HttpClient:
    """Calls other servers; responses are read whole, up to the call's limit.

    As by Go, the first of a header's repeated lines counts, and a response to a call that asks for
    no encoding (`Accept-Encoding: identity`) is not decoded.
    """

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client

    async def send(self, call: HttpCall) -> HttpAnswer:
        """The response; UnreachableError without one in time, or where it is too large."""
        try:
            async with asyncio.timeout(call.seconds):
                return await self._exchange(call)
        except TimeoutError as error:
            raise UnreachableError(f"no answer within {call.seconds:g} seconds") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise UnreachableError(type(error).__name__) from error

    async def _exchange(self, call: HttpCall) -> HttpAnswer:
        url = parse_url(call.url)  # parsed as when the address was checked
        if url is None:
            raise UnreachableError("the address cannot be read")
        async with self._client.stream(
            call.method, url.href, headers=dict(call.headers), content=call.body
        ) as response:
            chunks: list[bytes] = []
            size = 0
            is_as_sent = call.headers.get("accept-encoding") == "identity"
            async for chunk in response.aiter_raw() if is_as_sent else response.aiter_bytes():
                size += len(chunk)
                if size > call.limit:
                    raise UnreachableError(f"the answer is larger than {call.limit} bytes")
                chunks.append(chunk)
            every = response.headers.multi_items()
            headers = {name.lower(): value for name, value in reversed(every)}
            return HttpAnswer(response.status_code, headers, b"".join(chunks))


@asynccontextmanager
async def open_http() -> AsyncGenerator[HttpClient]:
    """A client, open until the block ends; it follows no redirects.

    It sends no `Accept` and no `Connection` that its caller did not give, like the original's.
    """
    async with httpx2.AsyncClient(
        verify=tls_context(), follow_redirects=False, timeout=None
    ) as client:
        del client.headers["accept"], client.headers["connection"]
        yield HttpClient(client)


@asynccontextmanager
async def open_guarded_http(permitted: Permitted) -> AsyncGenerator[HttpClient]:
    """A client for addresses that API callers set: it connects to public ones only."""
    async with open_guarded(permitted) as client:
        yield HttpClient(client)
