"""Instances of the auth service with settings of their own, on one database per file."""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from tests.conftest import Server
from tests.harness_auth import AUTO, Auth, open_auth

OpenAuth = Callable[..., Awaitable[Auth]]
NODES = 2  # that answer by turns: whatever is begun at one goes on at the other


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def open_with(server: Server, services_database: str) -> AsyncIterator[OpenAuth]:
    """Opens an instance with variables of the test's choice, closed after the file."""
    url = server.url(services_database, "supabase_auth_admin")
    admin_url = server.url(services_database)
    async with AsyncExitStack() as stack:

        async def opened(**variables: Any) -> Auth:
            return await stack.enter_async_context(open_auth(url, admin_url, **variables))

        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def auth(open_with: OpenAuth) -> Auth:
    """An instance with the usual variables: addresses must be confirmed by mail."""
    return await open_with(nodes=NODES)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def auto(open_with: OpenAuth) -> Auth:
    """An instance where addresses confirm themselves."""
    return await open_with(nodes=NODES, **AUTO)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """A failing test shows what its instances observed."""
    report = yield
    if report.failed and isinstance(item, pytest.Function):
        for name, value in item.funcargs.items():
            if isinstance(value, Auth) and value.observations:
                text = "\n".join(map(str, value.observations[-3:]))
                report.sections.append((f"observations of {name}", text))
    return report


@pytest.fixture
def email(request: pytest.FixtureRequest) -> str:
    """An address that no other test uses, also where the names of two begin alike."""
    name = request.node.name
    plain = re.sub(r"[^a-z0-9_-]", "-", name[:50].lower())
    return f"{plain}-{zlib.crc32(name.encode()):08x}@example.com"
