"""One service a file, over a database of the file's own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.conftest import Server
from tests.harness_storage import Storage, open_storage


@pytest_asyncio.fixture(scope="module")
async def storage(
    server: Server, services_database: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Storage]:
    """The service with images and S3 switched on."""
    url = server.url(services_database, "supabase_storage_admin")
    folder = tmp_path_factory.mktemp("files")
    async with open_storage(url, server.url(services_database), folder) as opened:
        yield opened
