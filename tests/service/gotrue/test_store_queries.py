"""Every named statement of the store prepares on the migrated schema."""

from __future__ import annotations

from importlib.resources import files

import asyncpg
import pytest

from compat_base.postgres.queries import load_queries

STATEMENTS = [
    (path.name, name, sql)
    for path in sorted(files("gotrue_compat.store").iterdir(), key=lambda found: found.name)
    if path.name.endswith(".sql")
    for name, sql in load_queries("gotrue_compat.store", path.name).items()
]


@pytest.mark.parametrize(
    ("file", "name", "sql"), STATEMENTS, ids=[f"{file}:{name}" for file, name, _ in STATEMENTS]
)
async def test_a_statement_prepares(server, services_database, file: str, name: str, sql: str):
    connection = await asyncpg.connect(server.url(services_database, "supabase_auth_admin"))
    try:
        await connection.prepare(sql)
    finally:
        await connection.close()
