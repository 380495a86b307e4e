"""The commands that need the database open: migrate it, serve on it; and showing the keys."""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from types import ModuleType

import uvloop

from compat_base.asgi import Lifespan
from compat_base.server import Server, run
from compat_base.server import serve as serve_on
from compat_base.values.events import log_sink
from compat_base.values.world import World, real_world
from compat_stack.data_folder.running import recorded
from compat_stack.keys.installation import Keys, load_keys, save_keys
from compat_stack.migrations.apply import migrate
from compat_stack.migrations.secret_record import InstallationSecret
from compat_stack.network.client_address import is_shared_address
from compat_stack.operator_access import is_private
from compat_stack.process.output import say
from compat_stack.services.service import Place
from compat_stack.settings import Settings


def serve(
    settings: Settings,
    database_url: str,
    bound: socket.socket,
    app: Future[ModuleType],
    *,
    signalled: Callable[[], None],
) -> None:
    """Migrate the database and serve on the socket until told to stop; `app` is still loading.

    `signalled` hears of every signal to stop.
    """
    world = real_world()
    keys = prepare(settings, database_url, world)
    url = settings.url(bound.getsockname()[1])
    kept = save_keys(settings.data_dir, keys, url=url, database_url=database_url)
    observer = log_sink(world.clock, least=settings.log_level)
    place = Place(url, database_url, passwords_of(settings, keys))
    lifespan = Lifespan(
        lambda: app.result().open_stack(settings, place, keys, world=world, observer=observer)
    )
    server = Server(
        lifespan,
        limits=settings.server_limits,
        started=lambda: announce(settings, url, kept),
        signalled=lambda _number: signalled(),
        is_shared=partial(is_shared_address, proxies=settings.trusted_proxies),
    )
    with recorded(settings.data_dir, bound, url):
        run(serve_on(server, [bound]))
    if lifespan.failure is not None:
        raise lifespan.failure


def migrate_only(settings: Settings, database_url: str) -> None:
    """Migrate the database and say that it is done."""
    prepare(settings, database_url, real_world())
    print("The database is up to date.")


def show_keys(settings: Settings) -> None:
    """Print the key that anybody may know, and where the others are."""
    keys = load_keys(settings.data_dir, real_world())
    print(f"SUPABASE_PUBLISHABLE_KEY={keys.publishable}")
    print(f"The secret ones are in {settings.data_dir / 'keys.env'}.")


def prepare(settings: Settings, database_url: str, world: World) -> Keys:
    """Migrate the database, step by step before the user's eyes; gives the keys it goes with."""
    keys = load_keys(settings.data_dir, world)
    passwords = passwords_of(settings, keys)
    uvloop.run(
        migrate(
            database_url,
            settings.migrations,
            passwords=passwords,
            secret=InstallationSecret(keys.jwt_secret, keys.retired.secrets),
            progress=_print_step,
        )
    )
    return keys


def passwords_of(settings: Settings, keys: Keys) -> bytes | None:
    """What the login roles' passwords come from; the embedded database's socket wants none."""
    return None if settings.database_url is None else keys.jwt_secret.encode()


def announce(settings: Settings, url: str, kept: Path) -> None:
    """Say where it is, where the keys and the mail are, and how to stop."""
    # Where the page is not open to local browsers, it asks for the secret key.
    page = "/mailbox" if is_private(settings) else "/mailbox?login"
    mail = "" if settings.has_smtp else f"\n  Mail     {url}{page}"
    say(
        f"\n  Planes en Pareja is running.\n\n  Open     {url}\n  Keys     {kept}{mail}"
        "\n  Stop     Ctrl-C\n"
    )


def _print_step(line: str) -> None:
    say(f"  {line}")
