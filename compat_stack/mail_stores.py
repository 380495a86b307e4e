"""Storage of the local mailbox: a folder, or a table that nodes share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from compat_base.postgres.database import connect, fetch
from compat_base.values.sqltext import Statement
from compat_stack.data_folder.private import write_new
from compat_stack.services.roles import role_url
from compat_stack.services.service import Deployment

KEPT = 200  # mails; the oldest go first
_ROLE = "supabase_auth_admin"
_ALL = "select name, content from compat.mails order by name desc"
_ONE = "select content from compat.mails where name = $1"
_ADD = "insert into compat.mails (name, content) values ($1, $2)"
_FORGET = (
    "delete from compat.mails where name < "
    "(select name from compat.mails order by name desc offset $1 limit 1)"
)


class MailStore(Protocol):
    """Mails by name; names grow with time."""

    async def add(self, name: str, content: bytes) -> None:
        """Keep a mail, and delete the oldest beyond `KEPT`."""
        ...

    async def all(self) -> list[tuple[str, bytes]]:
        """All mails, newest first."""
        ...

    async def find(self, name: str) -> bytes | None:
        """A mail by its name."""
        ...


@dataclass(frozen=True, slots=True)
class FolderStore:
    """One file a mail, readable by its owner alone."""

    folder: Path

    def make(self) -> None:
        """Make the folder. Raises OSError, as where something else is in its place."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    async def add(self, name: str, content: bytes) -> None:
        """Keep a mail."""
        await asyncio.to_thread(self._write, name, content)

    async def all(self) -> list[tuple[str, bytes]]:
        """All mails, newest first."""
        return await asyncio.to_thread(self._read_all)

    async def find(self, name: str) -> bytes | None:
        """A mail by its name."""
        return dict(await self.all()).get(name)

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.eml"))

    def _write(self, name: str, content: bytes) -> None:
        self.make()
        write_new(self.folder / name, content)
        for old in self._files()[:-KEPT]:
            old.unlink(missing_ok=True)

    def _read_all(self) -> list[tuple[str, bytes]]:
        found: list[tuple[str, bytes]] = []
        for path in reversed(self._files()):
            try:
                found.append((path.name, path.read_bytes()))
            except FileNotFoundError:  # the oldest go whenever a mail comes
                continue
        return found


@dataclass(frozen=True, slots=True)
class DatabaseStore:
    """Rows of a table, so that every node shows all mails; each call has its own connection.

    Raises the errors of `compat_base.postgres.faults` where there is no database.
    """

    deployment: Deployment

    async def add(self, name: str, content: bytes) -> None:
        """Keep a mail."""
        async with connect(self._url) as connection:
            await fetch(connection, Statement(_ADD, (name, content)))
            await fetch(connection, Statement(_FORGET, (KEPT - 1,)))

    async def all(self) -> list[tuple[str, bytes]]:
        """All mails, newest first."""
        async with connect(self._url) as connection:
            rows = await fetch(connection, Statement(_ALL, ()))
        return [(row["name"], row["content"]) for row in rows]

    async def find(self, name: str) -> bytes | None:
        """A mail by its name."""
        async with connect(self._url) as connection:
            rows = await fetch(connection, Statement(_ONE, (name,)))
        return rows[0]["content"] if rows else None

    @property
    def _url(self) -> str:
        return role_url(self.deployment.database_url, _ROLE, self.deployment.passwords)
