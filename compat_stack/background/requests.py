"""The requests of pg_net: taken from their queue, sent at most once, answered in a row.

A request is taken in a transaction of its own before it is sent, so that a killed worker has sent
it once or not at all; such a request is answered by an error after its timeout.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import cast

import httpx2

from compat_base.postgres.database import Database, fetch, fetch_one
from compat_base.tasks import Supervisor, raise_if_cancelled
from compat_base.values import jsontext
from compat_base.values.sqltext import Statement
from compat_stack.background.ownership import owned

MOST_AT_ONCE = 16  # requests of one node
MOST_BYTES = 1_048_576  # of an answer's body
_OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_PRESENT = Statement(
    f"select {owned(('net', 'http_request_queue'), ('net', '_http_response'))} and exists ("
    " select from pg_catalog.pg_attribute as a"
    " join pg_catalog.pg_class as c on c.oid = a.attrelid"
    " join pg_catalog.pg_namespace as n on n.oid = c.relnamespace"
    " where n.nspname = 'net' and c.relname = 'http_request_queue' and a.attname = 'taken'"
    ") as is_ours"
)
_TAKE = Statement("""
update net.http_request_queue as q set taken = now()
from (
  select id from net.http_request_queue where taken is null
  order by id limit 1 for update skip locked
) as next
where q.id = next.id
returning q.id, q.method, q.url, q.headers::text as headers, q.body, q.timeout_milliseconds
""")
_ANSWER = """
with gone as (delete from net.http_request_queue where id = $1 returning id)
insert into net._http_response
  (id, status_code, content_type, headers, content, timed_out, error_msg)
select id, $2, $3, $4::jsonb, $5, $6, $7 from gone
"""
# What another worker took and did not answer in its time, with a minute for a slow database.
_GIVE_UP = Statement("""
with gone as (
  delete from net.http_request_queue
  where taken + make_interval(secs => timeout_milliseconds / 1000.0 + 60) < now()
  returning id
), old as (
  delete from net._http_response where created < now() - interval '6 hours'
)
insert into net._http_response (id, timed_out, error_msg)
select id, false, 'the worker ended while it sent the request: it may have arrived' from gone
""")
_LEFT = Statement(
    "select exists (select from net.http_request_queue where taken is not null) as is_left"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that this worker has taken."""

    number: int
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to a request, or why there is none."""

    status: int | None = None
    kind: str | None = None
    headers: Mapping[str, str] | None = None
    content: str | None = None
    is_late: bool = False
    error: str | None = None


Client = Callable[[], Awaitable[httpx2.AsyncClient]]
"""The client, opened when the first request is sent."""


class RequestSender:
    """Sends queued requests, some at a time."""

    def __init__(self, database: Database, client: Client, tasks: Supervisor) -> None:
        self._database = database
        self._client = client
        self._tasks = tasks
        self._senders = 0

    async def is_needed(self) -> bool:
        """Whether the database has pg_net's queue, owned as it must be."""
        async with self._database.acquire() as connection:
            row = await fetch_one(connection, _PRESENT)
        return row is not None and bool(row["is_ours"])

    def wake(self) -> None:
        """Begin to send, unless as many as allowed are under way."""
        if self._senders < MOST_AT_ONCE:
            self._senders += 1
            self._tasks.start(self._send_all(), "pg_net request")

    async def give_up(self) -> bool:
        """Answer requests that a killed worker had taken; whether others are still out."""
        async with self._database.acquire() as connection:
            await fetch(connection, _GIVE_UP)
            row = await fetch_one(connection, _LEFT)
        return row is not None and bool(row["is_left"])

    async def _send_all(self) -> None:
        try:
            while (request := await self._take()) is not None:
                self.wake()
                await self._record(request, await send(await self._client(), request))
        finally:
            self._senders -= 1

    async def _take(self) -> Request | None:
        async with self._database.acquire() as connection:
            row = await fetch_one(connection, _TAKE)
        if row is None:
            return None
        return Request(
            row["id"],
            row["method"],
            row["url"],
            _strings(row["headers"]),
            row["body"],
            row["timeout_milliseconds"] / 1000,
        )

    async def _record(self, request: Request, answer: Answer) -> None:
        headers = None if answer.headers is None else jsontext.encode(dict(answer.headers))
        async with self._database.acquire() as connection:
            await connection.execute(
                _ANSWER, request.number, answer.status, answer.kind, headers, answer.content,
                answer.is_late, answer.error,
            )  # fmt: skip


def _strings(text: str) -> dict[str, str]:
    """An object of JSON with every value as text; {} for what is no object."""
    decoded = jsontext.decode(text)
    if not isinstance(decoded, dict):
        return {}
    pairs = cast("dict[str, object]", decoded)
    return {
        name: value if isinstance(value, str) else jsontext.encode(value)
        for name, value in pairs.items()
    }


async def send(client: httpx2.AsyncClient, request: Request) -> Answer:
    """Send a request once and read the response whole; a failure is an Answer."""
    try:
        async with asyncio.timeout(request.seconds):
            return await _exchange(client, request)
    except TimeoutError:
        message = f"Timeout of {request.seconds * 1000:.0f} ms reached"
        return Answer(is_late=True, error=message)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise_if_cancelled()
        return Answer(error=_text(str(error)) or type(error).__name__)


async def _exchange(client: httpx2.AsyncClient, request: Request) -> Answer:
    headers = {
        name: value for name, value in request.headers.items() if name.lower() not in _OWN_HEADERS
    }
    async with client.stream(
        request.method, request.url, headers=headers, content=request.body
    ) as response:
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.aiter_bytes():
            size += len(chunk)
            if size > MOST_BYTES:
                return Answer(error=f"the answer is larger than {MOST_BYTES} bytes")
            chunks.append(chunk)
        found = {_text(name.lower()): _text(value) for name, value in response.headers.items()}
        content = _text(b"".join(chunks).decode("utf-8", "replace"))
        return Answer(response.status_code, found.get("content-type"), found, content)


def _text(text: str) -> str:
    """Text without NUL, which PostgreSQL cannot hold."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
