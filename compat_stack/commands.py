"""The commands that need the database open (migrate, serve), and the printing of keys."""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from urllib.parse import parse_qsl, quote, urlsplit

import uvloop

from compat_base.asgi import Lifespan
from compat_base.server import Server, run
from compat_base.server import serve as serve_on
from compat_base.values.events import log_sink
from compat_base.values.world import World, real_world
from compat_base.workers.scoreboard import Scoreboard
from compat_stack.data_folder.running import recorded
from compat_stack.keys.installation import Keys, load_keys, save_keys
from compat_stack.migrations.apply import migrate
from compat_stack.migrations.project_data import AS_RECORDED, MigrationTarget
from compat_stack.migrations.secret_record import InstallationSecret
from compat_stack.network.client_address import is_shared_address
from compat_stack.operator_access import is_private
from compat_stack.process.output import say
from compat_stack.services.budget import most_connections
from compat_stack.services.manifest import SERVICES
from compat_stack.services.roles import hide_password, role_password
from compat_stack.services.service import Deployment, Service
from compat_stack.settings import Settings


@dataclass(frozen=True, slots=True)
class Start:
    """A start's addresses, the URL for tools (None without one), and the file of its keys."""

    deployment: Deployment
    tools_url: str | None
    key_file: Path


def serve(
    settings: Settings,
    database_url: str,
    bound: socket.socket,
    app: Future[ModuleType],
    *,
    signalled: Callable[[], None],
) -> None:
    """Migrate the database and serve on the socket until told to stop; `app` is still loading.

    `signalled` is called with every signal to stop.
    """
    world = real_world()
    keys = prepare(settings, database_url, world)
    if settings.project is not None:
        app.result()  # its services read config.toml's values: what they refuse is said now
        most_connections(settings)
    start = record_start(settings, database_url, bound, keys)
    observer = log_sink(world.clock, least=settings.log_level)
    scoreboard = Scoreboard(1)
    lifespan = Lifespan(
        lambda: app.result().open_stack(
            settings,
            start.deployment,
            keys,
            world=world,
            observer=observer,
            services=services_of(settings),
            scoreboard=scoreboard,
        )
    )
    server = Server(
        lifespan,
        limits=settings.server_limits,
        started=lambda: announce(settings, start),
        signalled=lambda _number: signalled(),
        drain_seconds=settings.drain_seconds,
        draining=scoreboard.drain,
        is_shared=partial(is_shared_address, proxies=settings.trusted_proxies),
    )
    with lifespan.failing(), recorded(settings.data_dir, bound, start.deployment.url):
        run(serve_on(server, [bound]))


def record_start(settings: Settings, database_url: str, bound: socket.socket, keys: Keys) -> Start:
    """Write the addresses and the keys of this start into the data folder."""
    url = settings.url(bound.getsockname()[1])
    tools = tools_url(settings, database_url, keys)
    kept = save_keys(settings.data_dir, keys, url=url, database_url=tools or database_url)
    return Start(Deployment(url, database_url, passwords_of(settings, keys)), tools, kept)


def migrate_only(
    settings: Settings, database_url: str, until: MigrationTarget = AS_RECORDED
) -> None:
    """Migrate the database and print that it is done."""
    prepare(settings, database_url, real_world(), until)
    print("The database is up to date.")


def show_keys(settings: Settings) -> None:
    """Print the publishable key, and where the secret ones are kept."""
    keys = keys_of(settings, real_world())
    print(f"SUPABASE_PUBLISHABLE_KEY={keys.publishable}")
    print(f"The secret ones are in {settings.data_dir / 'keys.env'}.")


def prepare(
    settings: Settings, database_url: str, world: World, until: MigrationTarget = AS_RECORDED
) -> Keys:
    """Migrate the database with progress on the terminal; gives the keys it goes with."""
    keys = keys_of(settings, world)
    passwords = passwords_of(settings, keys)
    uvloop.run(
        migrate(
            database_url,
            _migrations(settings),
            project=settings.project,
            passwords=passwords,
            tools_url=tools_url(settings, database_url, keys),
            secret=InstallationSecret(keys.jwt_secret, keys.retired.secrets),
            until=until,
            progress=_print_step,
        )
    )
    return keys


def keys_of(settings: Settings, world: World) -> Keys:
    """The installation's keys. Raises KeysError, OSError."""
    return load_keys(
        settings.data_dir, world, signing_file=settings.signing_keys, given=settings.environment
    )


def _migrations(settings: Settings) -> Path | None:
    """The folder of migrations; None for a project without any, or that disables them."""
    project = settings.project
    is_projects = project is not None and settings.migrations == project.folder / "migrations"
    return project.migrations if project is not None and is_projects else settings.migrations


def passwords_of(settings: Settings, keys: Keys) -> bytes | None:
    """The secret that role passwords derive from; None for the embedded database's socket."""
    return None if settings.database_url is None else keys.jwt_secret.encode()


def tools_url(settings: Settings, database_url: str, keys: Keys) -> str | None:
    """The URL for tools; None where the embedded database listens on its socket alone."""
    if settings.database_url is not None or settings.database_port is None:
        return None
    port = dict(parse_qsl(urlsplit(database_url).query))["port"]
    password = settings.database_password or role_password(keys.jwt_secret.encode(), "postgres")
    return f"postgresql://postgres:{quote(password, safe='')}@127.0.0.1:{port}/postgres"


def services_of(settings: Settings) -> tuple[Service, ...]:
    """The services to serve: all but those that a project's config.toml disables."""
    off = settings.project.switched_off if settings.project else frozenset[str]()
    return tuple(service for service in SERVICES if service.name not in off)


def announce(settings: Settings, start: Start) -> None:
    """Print the address, where keys and mail are, and how to stop."""
    url, tools, kept = start.deployment.url, start.tools_url, start.key_file
    # Where the page is not open to local browsers, it asks for the secret key.
    page = "/mailbox" if is_private(settings) else "/mailbox?login"
    mail = "" if settings.has_smtp else f"\n  Mail     {url}{page}"
    name, opened = "Planes en Pareja", "Open"
    if settings.project is not None:
        name, opened = settings.project.name, "API "
    database = f"\n  Database {hide_password(tools)}" if tools else ""
    say(
        f"\n  {name} is running.\n\n  {opened}     {url}{database}\n  Keys     {kept}{mail}"
        "\n  Stop     Ctrl-C\n"
    )


def _print_step(line: str) -> None:
    say(f"  {line}")
