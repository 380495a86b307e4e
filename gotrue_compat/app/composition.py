"""Composition: settings to an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from starlette.types import ASGIApp, Receive, Scope, Send

from compat_base.asgi import Endpoint
from compat_base.batches import Batches
from compat_base.keyed_lock import KeyedLock
from compat_base.postgres.database import Database, DatabaseSettings, open_database
from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from compat_base.values.events import Observer
from compat_base.values.http import HttpRequest
from compat_base.values.world import World
from gotrue_compat import errors
from gotrue_compat.adapters.captcha import SiteVerify
from gotrue_compat.adapters.hashing import COST, ThreadHasher
from gotrue_compat.adapters.hooks import HookRunner
from gotrue_compat.adapters.http import open_guarded_http, open_http
from gotrue_compat.adapters.leaked_passwords import PwnedRanges
from gotrue_compat.adapters.long_work import ThreadLongWork
from gotrue_compat.adapters.memory_buckets import MemoryBuckets
from gotrue_compat.adapters.sms import sender_of
from gotrue_compat.adapters.smtp import NoMailer, SmtpMailer
from gotrue_compat.adapters.templates import FetchedTemplates
from gotrue_compat.core.cleanup import clean_forever
from gotrue_compat.http.dependencies import CurrentUsers, Dependencies, Exchanges, Rotations
from gotrue_compat.model.current import CurrentUser, Exchanged
from gotrue_compat.model.session import Exchange, Rotation
from gotrue_compat.ports import Buckets, Hasher, HttpPort, LongWork, Mailer
from gotrue_compat.providers.oidc import CachedIdTokens
from gotrue_compat.settings import Settings
from gotrue_compat.store import sessions, users
from gotrue_compat.store.rate_limits import DatabaseBuckets
from gotrue_compat.web.service import Service

_MOST_WRITING = 2  # concurrent statements of a kind; later requests share the next statement
_LONG_JSON = 16_384  # bytes from which an object stays text: decoding a megabyte takes 10 ms
BODY_LIMIT = 1_048_576  # bytes; auth reference 1.4


@asynccontextmanager
async def open_service(  # noqa: PLR0913 — each of the last three replaces one part
    settings: Settings,
    *,
    world: World,
    observer: Observer,
    mailer: Mailer | None = None,
    http: HttpPort | None = None,
    hash_cost: int = COST,
) -> AsyncGenerator[ASGIApp]:
    """The service for the length of the block.

    Without a database it opens all the same and answers 503 until there is one. `mailer` and
    `http` replace the real ones (a local mailbox; tests), `hash_cost` the original's 10 (tests).
    """
    limits = settings.limits
    hasher = ThreadHasher(
        most=limits.hash_queue,
        most_each=limits.hash_queue_each,
        seconds=limits.hash_queue_seconds,
        cost=hash_cost,
    )
    with ExitStack() as stack:
        stack.callback(hasher.close)
        long_work = ThreadLongWork()
        stack.callback(long_work.close)
        async with (
            open_http() as client,
            open_guarded_http(settings.external.permitted) as guarded,
            open_database(pool_settings(settings), prepare=prepare) as database,
            _open_buckets(settings, world) as buckets,
            Supervisor(observer) as tasks,
        ):
            current_users = Batches(partial(_find_current, database), tasks)
            rotations = Batches(partial(_rotate, database), tasks, most_running=_MOST_WRITING)
            exchanges = Batches(partial(_exchange, database), tasks, most_running=_MOST_WRITING)
            opened = _Opened(
                database, current_users, rotations, exchanges, hasher, long_work,
                http or client, http or guarded, mailer, buckets,
            )  # fmt: skip
            deps = _deps(settings, world, observer, opened)
            tasks.start(clean_forever(deps), "cleanup")
            yield _application(Service(deps), observer)


def pool_settings(settings: Settings) -> DatabaseSettings:
    """How the service connects: unqualified names are those of its schema."""
    return DatabaseSettings(
        dsn=settings.database.url.reveal(),
        maximum=settings.database.pool_size,
        idle_lifetime=600,  # a new connection first learns the row types: keep those there are
        application_name="gotrue",
        server_settings=(("search_path", settings.database.namespace),),
    )


async def prepare(connection: Any) -> None:
    """Let a new connection read and write JSON columns as values.

    In their binary forms, because rows inside rows cannot hold columns read as text: jsonb is a
    version byte and the text, json is the text.
    """
    for name, mark in (("json", b""), ("jsonb", b"\x01")):
        await connection.set_type_codec(
            name,
            schema="pg_catalog",
            format="binary",
            encoder=partial(_encode_json, mark),
            decoder=partial(_decode_json, len(mark)),
        )


def _encode_json(mark: bytes, value: Any) -> bytes:
    return mark + jsontext.encode_texts(value)  # a megabyte of metadata in some 5 ms


def _decode_json(mark_length: int, data: bytes) -> Any:
    text = data[mark_length:]
    if len(text) > _LONG_JSON and text.startswith(b"{"):
        return jsontext.ObjectText(text.decode())
    return jsontext.decode(text)


@dataclass(frozen=True, slots=True)
class _Opened:
    """The resources that stay open as long as the service."""

    database: Database
    current_users: CurrentUsers
    rotations: Rotations
    exchanges: Exchanges
    hasher: Hasher
    long_work: LongWork
    http: HttpPort
    guarded_http: HttpPort
    mailer: Mailer | None
    buckets: Buckets


async def _find_current(
    database: Database, named: Sequence[tuple[UUID, UUID | None]]
) -> Sequence[CurrentUser | None]:
    async with database.acquire() as connection:
        return await users.find_current(connection, named)


async def _rotate(
    database: Database, rotations: Sequence[Rotation]
) -> Sequence[CurrentUser | None]:
    async with database.acquire() as connection:
        return await sessions.rotate_active(connection, rotations)


async def _exchange(
    database: Database, exchanges: Sequence[Exchange]
) -> Sequence[Exchanged | None]:
    async with database.acquire() as connection:
        return await sessions.exchange_active(connection, exchanges)


@asynccontextmanager
async def _open_buckets(settings: Settings, world: World) -> AsyncGenerator[Buckets]:
    """Buckets of rate limits: in memory, or in the database for every node."""
    if not settings.limits.connections:
        yield MemoryBuckets(world.clock, settings.limits.keys)
        return
    pool = replace(pool_settings(settings), maximum=settings.limits.connections)
    async with open_database(pool) as database:
        yield DatabaseBuckets(database)


def _deps(settings: Settings, world: World, observer: Observer, opened: _Opened) -> Dependencies:
    database, http, guarded = opened.database, opened.http, opened.guarded_http
    keep_seconds = settings.external.discovery_seconds
    real_mailer = SmtpMailer(settings.smtp) if settings.smtp.host else NoMailer()
    return Dependencies(
        settings=settings,
        world=world,
        observer=observer,
        database=database,
        current_users=opened.current_users,
        rotations=opened.rotations,
        exchanges=opened.exchanges,
        mailer=opened.mailer or real_mailer,
        sms=sender_of(settings.sms, http),
        http=http,
        guarded_http=guarded,
        hasher=opened.hasher,
        long_work=opened.long_work,
        hooks=HookRunner(settings.hooks, database, http, world),
        captcha=SiteVerify(settings.captcha, http),
        leaked=PwnedRanges(settings.password, http, observer),
        id_tokens=CachedIdTokens(http, world.clock, keep_seconds),
        guarded_id_tokens=CachedIdTokens(guarded, world.clock, keep_seconds),
        templates=FetchedTemplates(settings, http, world.clock, observer),
        buckets=opened.buckets,
        locks=KeyedLock(),
    )


def _application(service: Service, observer: Observer) -> ASGIApp:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request; an early failure is answered by its head alone."""
        endpoint = Endpoint(
            service.handle,
            limit=BODY_LIMIT,
            too_large=lambda: service.refuse(_head(scope), errors.BODY_TOO_LARGE),
            failed=lambda: service.refuse(_head(scope), errors.UNEXPECTED),
            observer=observer,
        )
        await endpoint(scope, receive, send)

    return application


def _head(scope: Scope) -> HttpRequest:
    """A request without its body, for an answer that depends on its headers only."""
    headers = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
    )
    path = scope["path"]
    return HttpRequest(scope["method"], path, path, query="", headers=headers)
