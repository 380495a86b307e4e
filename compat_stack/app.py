"""The services of the manifest, the web app, the mailbox and the operator's paths as one app."""

from __future__ import annotations

from asyncio import get_running_loop, to_thread
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pkgutil import resolve_name

import httpx2
from starlette.types import ASGIApp

from compat_base.postgres.database import DatabaseSettings, open_database
from compat_base.server_limits import address_limit
from compat_base.sockets import open_descriptors
from compat_base.tasks import Supervisor
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.jwt import Key, keys_from_json
from compat_base.values.world import Entropy, World
from compat_base.workers.scoreboard import Scoreboard, Siblings
from compat_stack.background.listening import Outgoing, work
from compat_stack.background.mail import UNSUBSCRIBE_PATH
from compat_stack.background.objects import object_files, upload_objects
from compat_stack.gateway.gateway import Gateway, Mounted, Pages
from compat_stack.gateway.issuer_keys import IssuerKeys
from compat_stack.gateway.missing_service import NoPages
from compat_stack.gateway.security_headers import SecurityHeaders
from compat_stack.gateway.unsubscribe import Unsubscribe
from compat_stack.gateway.website import Asset, Website, load_assets
from compat_stack.keys.installation import Keys
from compat_stack.keys.third_party_fetch import fetch_keys
from compat_stack.keys.third_party_keys import ThirdPartyKeys
from compat_stack.keys.vapid import vapid_key
from compat_stack.mailbox import MailboxPage, mailbox_of, mailer_of
from compat_stack.network.egress import egress_of
from compat_stack.observe.access_log import without_query_values
from compat_stack.observe.clock import DatabaseClock
from compat_stack.observe.monitoring import Monitored, forget_retired, monitoring
from compat_stack.observe.probes import PATHS
from compat_stack.observe.request_id import with_request_id
from compat_stack.operator_access import operator_access
from compat_stack.services.manifest import REST, SERVICES
from compat_stack.services.opened import Dependencies, Opened, Opener
from compat_stack.services.roles import NO_FOREIGN_NAMES
from compat_stack.services.service import Deployment, Service, Variables, variables_of
from compat_stack.settings import Settings, has_no_pages, lacks_proxy

# Loaded with this module, beside the database's start.
_OPENERS = {service.opener: resolve_name(service.opener) for service in SERVICES}


@asynccontextmanager
async def open_stack(  # noqa: PLR0913 — each is a decision of its own
    settings: Settings,
    deployment: Deployment,
    keys: Keys,
    *,
    world: World,
    observer: Observer,
    services: Sequence[Service] = SERVICES,
    siblings: Siblings | None = None,
    scoreboard: Scoreboard | None = None,
    assets: dict[str, Asset] | None = None,
) -> AsyncGenerator[ASGIApp]:
    """Open the services and yield the application that joins them. Raises SettingsError.

    `siblings` is the view of the other workers, where this is one of several; else `scoreboard` is
    this process's own state. `assets` are the web app's files, where they were read before.
    """
    observer = without_query_values(observer)  # which may be secrets: a calendar's, a link's
    _warn(settings, observer)
    reading = get_running_loop().run_in_executor(
        None, lambda: load_assets(settings.website) if assets is None else assets
    )
    clock = await _database_clock(settings, deployment, world, observer)
    world = world if clock is None else replace(world, clock=clock)
    mailbox = mailbox_of(settings, deployment, world)
    mailer = None if settings.has_smtp else mailbox
    broker = siblings.broker if siblings else None
    remote = _remote_keys(settings, world, observer)
    writers = siblings.writers if siblings else None
    dependencies = Dependencies(world, with_request_id(observer), mailer, broker, remote, writers)
    async with AsyncExitStack() as stack:
        made = {service: variables_of(service, settings, deployment, keys) for service in services}
        opened = await _open_services(stack, made, dependencies)
        access = operator_access(settings, keys)
        monitored = Monitored(
            settings, deployment, opened, access.admits, world, dependencies.observer,
            _signers(keys, remote), siblings,
            siblings.scoreboard if siblings else scoreboard, clock,
        )  # fmt: skip
        monitor = await stack.enter_async_context(monitoring(monitored))
        website = _website(settings, keys, await reading, world.entropy)
        own = {"/mailbox": MailboxPage(mailbox, access), **_unsubscribing(settings, keys, opened)}
        pages = _pages(settings, website, own, monitor.probes)
        gateway = _gateway(settings, keys, opened, pages)
        tasks = monitor.tasks
        if siblings is None:  # else one process of the machine does it
            outgoing = Outgoing(keys.vapid, mailer_of(settings, deployment, world))
            working = partial(work, settings, deployment, outgoing, tasks, world)
            tasks.keep_running(working, "database workers")
        if siblings is None or siblings.slot == 0:
            tasks.start(_upload(settings, keys, gateway, observer), "objects")
        tasks.start(forget_retired(gateway.forget, keys, world), "retired keys")
        yield monitor.reporting(await _with_issuer_keys(gateway, remote, tasks))


async def _with_issuer_keys(
    gateway: Gateway, remote: ThirdPartyKeys | None, tasks: Supervisor
) -> ASGIApp:
    """The gateway, which waits for new keys of the other issuer where there is one."""
    if remote is None:
        return gateway
    tasks.keep_running(remote.keep_fresh, "issuer keys")
    await remote.ready()
    return IssuerKeys(gateway, remote.look_up)


def _signers(keys: Keys, remote: ThirdPartyKeys | None) -> Callable[[], tuple[Key, ...]]:
    """The keys that sign tokens here: ours, and the other issuer's as they are known."""
    own = keys_from_json(keys.verification_jwks())
    return lambda: own if remote is None else (*own, *remote.keys)


def _remote_keys(settings: Settings, world: World, observer: Observer) -> ThirdPartyKeys | None:
    """The keys of the other issuer whose tokens count; None where there is none."""
    issuer = settings.issuer
    if issuer is None:
        return None
    fetch = partial(fetch_keys, issuer, egress_of(settings.environment))
    return ThirdPartyKeys(issuer, settings.data_dir, fetch, world.clock, observer)


async def _database_clock(
    settings: Settings, deployment: Deployment, world: World, observer: Observer
) -> DatabaseClock | None:
    """The clock of a server that may be another machine's; None where it is embedded."""
    if settings.database_url is None:
        return None
    clock = DatabaseClock(world.clock, observer)
    own = DatabaseSettings(
        deployment.database_url,
        maximum=1,
        application_name="clock",
        server_settings=tuple(NO_FOREIGN_NAMES.items()),
    )
    async with open_database(own) as database:
        await clock.synchronise(database)
    return clock


def _unsubscribing(
    settings: Settings, keys: Keys, opened: Mapping[Service, Opened]
) -> Mapping[str, ASGIApp]:
    """The unsubscribe page of the planner's mails; a project has none."""
    if has_no_pages(settings) or REST not in opened:
        return {}
    return {UNSUBSCRIBE_PATH: Unsubscribe(opened[REST].app, keys.anon)}


def _website(settings: Settings, keys: Keys, assets: dict[str, Asset], entropy: Entropy) -> Website:
    return Website(
        assets,
        key=keys.publishable,
        push_key=vapid_key(keys.vapid).public,
        public_url=settings.public_url,
        bind_host=settings.host,
        entropy=entropy,
    )


async def _upload(settings: Settings, keys: Keys, app: ASGIApp, observer: Observer) -> None:
    """Upload the files of the project's buckets that storage does not have."""
    project = settings.project
    if project is None or "storage" in project.switched_off:
        return
    files = await to_thread(lambda: list(object_files(project.buckets, project.folder)))

    def refused(sentence: str) -> None:
        observer(Observation("object_not_uploaded", Severity.WARNING, {"reason": sentence}))

    if files:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            await upload_objects(client, keys.service_role, files, refused)


async def _open_services(
    stack: AsyncExitStack, services: Mapping[Service, Variables], dependencies: Dependencies
) -> dict[Service, Opened]:
    """Open all services, and wait until each has loaded what it needs."""
    opened = {
        service: await stack.enter_async_context(_opener(service)(variables, dependencies))
        for service, variables in services.items()
    }
    for each in opened.values():
        await each.until_loaded()
    return opened


def _warn(settings: Settings, observer: Observer) -> None:
    if lacks_proxy(settings):
        facts = {"setting": "TRUSTED_PROXIES", "effect": "limits take all callers for one"}
        observer(Observation("proxy_not_trusted", Severity.WARNING, facts))


def _pages(
    settings: Settings, website: ASGIApp, own: Mapping[str, ASGIApp], probes: ASGIApp
) -> Pages:
    """The paths outside the services, with security headers; a project brings no web app."""
    secure = (settings.public_url or "").startswith("https:")
    secured = {path: SecurityHeaders(page, secure=secure) for path, page in own.items()}
    by_path = {**secured, **dict.fromkeys(PATHS, probes)}
    site = SecurityHeaders(website, secure=secure)
    return Pages(by_path, NoPages() if has_no_pages(settings) else site)


def _gateway(
    settings: Settings, keys: Keys, opened: Mapping[Service, Opened], pages: Pages
) -> Gateway:
    return Gateway(
        tuple(_mounted(service, each) for service, each in opened.items()),
        pages,
        keys,
        settings.trusted_proxies,
        address_limit(settings.server_limits, open_descriptors()),
    )


def _opener(service: Service) -> Opener:
    return _OPENERS.get(service.opener) or resolve_name(service.opener)


def _mounted(service: Service, opened: Opened) -> Mounted:
    open_paths = tuple(service.prefix + path for path in service.open_paths)
    return Mounted(service.prefix, opened.app, open_paths, needs_key=service.needs_key)
