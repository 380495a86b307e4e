"""Private channels: read and write access of a caller to a topic, and stored messages."""

from __future__ import annotations

from collections.abc import Sequence

from compat_base.postgres.database import Database, fetch, fetch_one
from compat_base.postgres.faults import Fault, PgFault, PoolTimeout, Unavailable
from compat_base.values import jsontext
from compat_base.values.errors import Problem
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.http import Headers
from compat_base.values.sqltext import Statement
from realtime_compat import errors
from realtime_compat.access.catalog import QUERIES
from realtime_compat.access.rows import QUERY_CANCELED
from realtime_compat.auth import Caller
from realtime_compat.protocol.questions import (
    Answer,
    AskRead,
    AskReplay,
    AskWrite,
    Failed,
    ReadAccess,
    Stored,
    StoredMessage,
    TopicQuestion,
    WriteAccess,
)

_NO_PARTITION = "23514"


async def answer(
    database: Database, question: TopicQuestion, headers: Headers, observer: Observer
) -> Answer:
    """Answer a channel's question; a failure is an answer too."""
    try:
        match question:
            case AskRead():
                return await _may_read(database, question, headers)
            case AskWrite(topic, caller, extension):
                return WriteAccess(await may_write(database, topic, caller, extension, headers))
            case AskReplay():
                return Stored(await _stored(database, question))
    except (PgFault, PoolTimeout, Unavailable) as error:
        facts = {"topic": question.topic, "error": str(error)}
        observer(Observation("topic_question_failed", Severity.WARNING, facts))
        return Failed(problem_of(error, question.topic))


async def may_write(
    database: Database, topic: str, caller: Caller, extension: str, headers: Headers
) -> bool:
    """Whether the caller may write to a topic; PgFault where a policy raises."""
    settings = _settings(caller, headers)
    async with database.acquire() as connection:
        row = await fetch_one(
            connection, Statement(QUERIES["is_writable"], (topic, extension, settings))
        )
    return bool(row and row["allowed"])


def problem_of(error: PgFault | PoolTimeout | Unavailable, topic: str) -> Problem:
    """The refusal of a join whose question failed: a policy that raises denies."""
    if isinstance(error, PoolTimeout):
        return errors.NO_CONNECTION_FREE.problem()
    fault = error.fault
    if fault is not None and fault.sqlstate == "53300":
        return errors.LACK_OF_CONNECTIONS.problem()
    if isinstance(error, Unavailable):
        return errors.UNABLE_TO_CONNECT.problem()
    if is_missing_partition(error.fault):
        return errors.MISSING_PARTITION.problem()
    if error.fault.sqlstate == QUERY_CANCELED:
        return errors.QUERY_CANCELLED.problem()
    return errors.UNAUTHORIZED_TOPIC.problem(topic=topic)


def is_missing_partition(fault: Fault) -> bool:
    """Whether a message found no partition of its day."""
    return fault.sqlstate == _NO_PARTITION and "no partition" in fault.message


async def maintain(database: Database) -> None:
    """Make the partitions of the coming days and drop the old ones."""
    async with database.acquire() as connection:
        await fetch(connection, Statement(QUERIES["maintain_messages"]))


async def ping(database: Database) -> bool:
    """Whether the database answers."""
    try:
        async with database.acquire() as connection:
            await fetch(connection, Statement(QUERIES["ping"]))
    except (PgFault, PoolTimeout, Unavailable):
        return False
    return True


async def existing_publications(database: Database, names: Sequence[str]) -> tuple[str, ...]:
    """Which of the publications there are."""
    async with database.acquire() as connection:
        rows = await fetch(connection, Statement(QUERIES["existing_publications"], (names,)))
    return tuple(row["name"] for row in rows)


async def _may_read(database: Database, question: AskRead, headers: Headers) -> ReadAccess:
    extensions = [
        extension
        for extension, is_wanted in (
            ("broadcast", question.broadcast),
            ("presence", question.presence),
        )
        if is_wanted
    ]
    settings = _settings(question.caller, headers)
    async with database.acquire() as connection:
        row = await fetch_one(
            connection,
            Statement(QUERIES["readable_extensions"], (question.topic, extensions, settings)),
        )
    readable = row["extensions"] if row else ()
    return ReadAccess("broadcast" in readable, "presence" in readable)


async def _stored(database: Database, question: AskReplay) -> tuple[StoredMessage, ...]:
    wanted = question.replay
    arguments = (question.topic, wanted.since, wanted.limit)
    async with database.acquire() as connection:
        rows = await fetch(connection, Statement(QUERIES["replay"], arguments))
    return tuple(
        StoredMessage(
            row["id"],
            row["event"],
            row["binary_payload"] or b""
            if row["payload"] is None
            else row["payload"].encode("utf-8"),
            row["payload"] is None,
        )
        for row in rows
    )


def _settings(caller: Caller, headers: Headers) -> str:
    """The settings that policies read about the caller, as JSON."""
    return jsontext.encode(
        {
            "role": caller.role,
            "request.jwt.claims": caller.claims,
            "request.jwt.claim.sub": caller.subject or "",
            "request.jwt.claim.role": caller.role,
            "request.headers": jsontext.encode(dict(headers)),
        }
    )
