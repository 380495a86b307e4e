"""A server of `DATABASE_URL` that lacks Supabase's extensions: ours come as plain objects."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from compat_stack.migrations.apply import migrate
from tests.conftest import Server
from tests.harness_sql import Connection

NAME = "lacks_extensions"


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """A database whose sessions see the system's own extensions alone."""
    server.run(
        f"create database {NAME}", f"alter database {NAME} set extension_control_path = '$system'"
    )
    yield server.url(NAME)
    server.drop(NAME)


def applied(url: str, folder: Path, text: str, number: int = 1) -> list[str]:
    """What applying a file says."""
    printed: list[str] = []
    folder.mkdir(exist_ok=True)
    (folder / f"{number}_extensions.sql").write_text(text)
    asyncio.run(migrate(url, folder, progress=printed.append))
    return printed


def answer(url: str, question: str) -> object:
    async def rows() -> object:
        db: Connection = await asyncpg.connect(url)
        try:
            return await db.fetchval(question)
        finally:
            await db.close()

    return asyncio.run(rows())


def test_what_the_server_lacks_is_installed_once_or_warned_of(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    printed = applied(
        url,
        folder,
        """
        create extension if not exists pg_net with schema extensions;
        create extension pg_cron with schema pg_catalog;
        create extension pgmq;
        create extension "pgjwt" with schema "extensions" version '0.1';
        create extension if not exists plv8;
        create extension supabase_vault with schema vault;
        comment on extension plv8 is 'series';
        select cron.schedule('a', '* * * * *', 'select 1');
        select net.http_get('https://example.com');
        select pgmq.create('q');
        """,
    )
    warnings = [line for line in printed if line.startswith("warning")]
    assert [line.split()[6].rstrip(":") for line in warnings] == ["plv8", "supabase_vault"]
    assert answer(url, "select count(*) from cron.job") == 1
    assert answer(url, "select count(*) from net.http_request_queue") == 1
    assert answer(url, "select string_agg(name, ',' order by name) from compat.extensions") == (
        "pg_cron,pg_net,pgjwt,pgmq"
    )

    applied(url, folder, "create extension if not exists pg_net; create extension pgmq;", 2)
    assert answer(url, "select count(*) from net.http_request_queue") == 1


def test_the_project_stays_the_owners_after_what_the_administrator_did(
    url: str, tmp_path: Path
) -> None:
    applied(url, tmp_path / "migrations", "create extension pg_net; create table public.t ();")
    owner = "select relowner::regrole::text from pg_class where oid = 'public.t'::regclass"
    assert answer(url, owner) == "postgres"
