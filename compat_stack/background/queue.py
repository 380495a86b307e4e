"""The message queue of schema `recados`, each message sent at most once a try.

A project makes the schema; nothing here depends on what the messages say. A message is marked as
taken by a statement of its own before it is sent: a killed worker has sent it once or not at all,
and it counts as failed after five minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from compat_base.postgres.database import Connection, Database, faults, fetch, fetch_one
from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from compat_base.values.sqltext import Statement
from compat_stack.background.deliveries import Delivered, Failed, Outcome
from compat_stack.background.mail import MailSender
from compat_stack.background.push import Message, PushSender

MOST_AT_ONCE = 8  # messages of one worker
_LONGEST_SLEEP = 30.0  # seconds between checks while anything waits
_OWNER = Statement(
    "select pg_get_userbyid(c.relowner) as owner from pg_catalog.pg_class as c"
    " join pg_catalog.pg_namespace as n on n.oid = c.relnamespace"
    " where n.nspname = 'recados' and c.relname = 'cola'"
)
_TAKE = """
select id, canal, destino::text as destino, carga::text as carga, intentos, caduca_en
from recados.tomar($1)
"""
_RUN = Statement("select recados.correr_tareas()")
_NEXT = Statement("select recados.siguiente() as seconds")


async def owner_of_queue(database: Database) -> str | None:
    """The role that owns the queue; None where the database has none."""
    async with database.acquire() as connection:
        row = await fetch_one(connection, _OWNER)
    return None if row is None else row["owner"]


@dataclass(frozen=True, slots=True)
class Senders:
    """The sender of each channel."""

    push: PushSender
    mail: MailSender


class Deliverer:
    """Sends due messages, some at a time, and calls due functions, over one connection."""

    def __init__(
        self, connection: Connection, senders: Senders, tasks: Supervisor, woken: asyncio.Event
    ) -> None:
        self._connection = connection
        self._lock = asyncio.Lock()
        self._senders = senders
        self._tasks = tasks
        self._woken = woken
        self._sending = 0

    async def run_due(self) -> float | None:
        """Begin the due work; seconds until the next look, None where nothing waits."""
        async with self._lock:
            await fetch(self._connection, _RUN)
        free = MOST_AT_ONCE - self._sending
        if free == 0:
            return _LONGEST_SLEEP  # an end wakes it
        async with self._lock:
            with faults():
                rows = await self._connection.fetch(_TAKE, free)
        for row in rows:
            self._sending += 1
            self._tasks.start(self._deliver(dict(row)), "message")
        if len(rows) == free:
            return _LONGEST_SLEEP
        async with self._lock:
            row = await fetch_one(self._connection, _NEXT)
        seconds = None if row is None else row["seconds"]
        return None if seconds is None else min(max(seconds, 0.05), _LONGEST_SLEEP)

    async def _deliver(self, row: Mapping[str, Any]) -> None:
        try:
            message = Message(
                _strings(row["destino"]),
                jsontext.decode(row["carga"]),
                row["caduca_en"],
                row["intentos"],
            )
            is_mail = row["canal"] == "correo"
            sender = self._senders.mail if is_mail else self._senders.push
            await self._record(row["id"], await sender.send(message))
        finally:
            self._sending -= 1
            self._woken.set()

    async def _record(self, number: int, outcome: Outcome) -> None:
        async with self._lock:
            with faults():
                if isinstance(outcome, Delivered):
                    await self._connection.execute("select recados.entregado($1)", number)
                elif isinstance(outcome, Failed):
                    await self._connection.execute(
                        "select recados.fallido($1, $2)", number, outcome.reason
                    )
                else:
                    await self._connection.execute(
                        "select recados.aplazado($1, $2, $3)",
                        number, outcome.seconds, outcome.reason,
                    )  # fmt: skip


def _strings(text: str) -> dict[str, str]:
    """The members of an object of JSON that are texts; {} for what is no object."""
    decoded = jsontext.decode(text)
    if not isinstance(decoded, dict):
        return {}
    pairs = cast("dict[str, object]", decoded)
    return {name: value for name, value in pairs.items() if isinstance(value, str)}
