"""One database and one running service a file; what a test writes it writes under `tx=rollback`
or takes away again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.conftest import Server
from tests.harness_rest import Api, make_database, serving


@pytest.fixture(scope="module")
def rest_database(server: Server) -> Iterator[str]:
    """The name of this file's own database with departments and people."""
    name = make_database(server)
    yield name
    server.drop(name)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def api(server: Server, rest_database: str) -> AsyncIterator[Api]:
    """The service over this file's database, with everything optional switched on."""
    options = {
        "DB_TX_END": "commit-allow-override",
        "DB_AGGREGATES_ENABLED": "true",
        "DB_PLAN_ENABLED": "true",
        "SERVER_TIMING_ENABLED": "true",
    }
    async with serving(server, rest_database, **options) as running:
        yield running
