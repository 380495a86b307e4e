"""Connections of the database ring: each test inside a transaction that is rolled back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from tests.conftest import Server
from tests.harness_sql import Connection, add_person, pair


@asynccontextmanager
async def rolled_back(url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(url)
    transaction = connection.transaction()
    await transaction.start()
    try:
        yield connection
    finally:
        await transaction.rollback()
        await connection.close()


@pytest.fixture
async def db(server: Server, planner_database: str) -> AsyncIterator[Connection]:
    """The planner's database as its owner, rolled back after the test."""
    async with rolled_back(server.url(planner_database)) as connection:
        yield connection


@pytest.fixture
async def services(server: Server, services_database: str) -> AsyncIterator[Connection]:
    """A database with the services' schemas alone, rolled back after the test."""
    async with rolled_back(server.url(services_database)) as connection:
        yield connection


@pytest.fixture
async def owner(server: Server, services_database: str) -> AsyncIterator[Connection]:
    """The same as `postgres`, who owns a project's objects and is no superuser."""
    async with rolled_back(server.url(services_database, "postgres")) as connection:
        yield connection


@pytest.fixture
async def people(db: Connection) -> tuple[str, str, str]:
    """Ana and Berta, who are a couple, and Carla."""
    ana, berta, carla = [await add_person(db, name) for name in ("Ana", "Berta", "Carla")]
    await pair(db, ana, berta)
    return ana, berta, carla
