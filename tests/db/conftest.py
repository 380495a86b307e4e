"""Connections of the database ring: each test inside a transaction that is rolled back."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.conftest import Server
from tests.harness_sql import Connection


@pytest.fixture
async def db(server: Server, planner_database: str) -> AsyncIterator[Connection]:
    """The planner's database as its owner, rolled back after the test."""
    connection = await asyncpg.connect(server.url(planner_database))
    transaction = connection.transaction()
    await transaction.start()
    try:
        yield connection
    finally:
        await transaction.rollback()
        await connection.close()


@pytest.fixture
async def services(server: Server, services_database: str) -> AsyncIterator[Connection]:
    """A database with the services' schemas alone, rolled back after the test."""
    connection = await asyncpg.connect(server.url(services_database))
    transaction = connection.transaction()
    await transaction.start()
    try:
        yield connection
    finally:
        await transaction.rollback()
        await connection.close()
