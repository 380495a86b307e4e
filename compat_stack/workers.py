"""Several workers: the supervisor's side. `cli` loads this by name.

The supervisor holds the data folder, the database and the sockets; worker `i` and its successors
serve socket `i`, so that no connection is lost with one of them.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from compat_base.egress import tls_context
from compat_base.process import Shutdown
from compat_base.sockets import close_all, listen_unix
from compat_base.values.errors import OperatorError
from compat_base.values.world import World, real_world
from compat_base.workers.child import ChildFailedError, Explain, Reporter, run_apart
from compat_base.workers.scoreboard import Scoreboard
from compat_base.workers.supervision import Role, Supervision
from compat_base.workers.supervisor import ProcessSupervisor, Work
from compat_stack.commands import announce, keys_of, prepare, record_start
from compat_stack.data_folder.running import recorded
from compat_stack.fleet import Fleet
from compat_stack.gateway.website import load_assets
from compat_stack.keys.installation import Keys
from compat_stack.process.output import say
from compat_stack.services.budget import most_connections
from compat_stack.settings import Settings

_SOCKET = "broker.sock"
_LONGEST_ADDRESS = 100  # bytes of a Unix socket's path: 104 on macOS, 108 on Linux
_OF_THE_START = (
    "workers", "host", "port", "data_dir", "database_url", "database_port", "database_password",
    "programs", "migrations",
    "drain_seconds",
)  # fmt: skip
_NEEDS_START = "JWT_SECRET has changed, and the passwords of the login roles follow it: restart."


@dataclass(slots=True)
class _Current:
    """The fleet of new processes; `reread` reads the settings again."""

    fleet: Fleet
    reread: Callable[[], Settings]
    explain: Explain
    _before: Fleet | None = None

    def renew(self) -> bool:
        """Read settings and keys again; False, with a message, where they are refused."""
        old = self.fleet
        try:
            settings = _as_started(self.reread(), old.settings)
            keys = keys_of(settings, old.world)
            _check_secret(settings, keys, old.keys)
            most_connections(settings)  # the services read theirs
            start = record_start(settings, old.deployment.database_url, old.sockets[0], keys)
        except BaseException as error:
            sentence = self.explain(error)
            if sentence is None:
                raise
            say(f"error: {sentence} Everything stays as it was.", sys.stderr)
            return False
        self._before = old
        self.fleet = replace(
            old, settings=settings, keys=keys, deployment=start.deployment,
            assets=load_assets(settings.website),
        )  # fmt: skip
        return True

    def revert(self) -> None:
        """Return to the settings before: the new ones do not work."""
        self.fleet = self._before or self.fleet

    def works(self) -> dict[str, Work]:
        """The function of each role, with the fleet of its start."""

        def work(role: Role, reporter: Reporter) -> None:
            self.fleet.works()[role.name](role, reporter)

        return dict.fromkeys(self.fleet.works(), work)


def _check_secret(settings: Settings, keys: Keys, old: Keys) -> None:
    """The passwords of a server's login roles follow the secret, and are set at the start."""
    if settings.database_url is not None and keys.jwt_secret != old.jwt_secret:
        raise OperatorError(_NEEDS_START)


def _as_started(settings: Settings, old: Settings) -> Settings:
    """New settings, except those that only a full restart changes."""
    return replace(settings, **{name: getattr(old, name) for name in _OF_THE_START})


def serve(  # noqa: PLR0913 — each is a decision of its own
    settings: Settings,
    database_url: str,
    sockets: Sequence[socket.socket],
    *,
    ending: Shutdown,
    explain: Explain,
    reread: Callable[[], Settings],
) -> None:
    """Migrate the database and serve on the sockets until told to stop.

    Raises ChildFailedError where a process cannot start, with its sentence; SettingsError.
    """
    if settings.project is not None:
        most_connections(settings)  # what the services refuse in config.toml is reported now
    world = real_world()
    run_apart(lambda: _migrate(settings, database_url, world), explain)
    keys = keys_of(settings, world)
    start = record_start(settings, database_url, sockets[0], keys)
    with _broker_socket(settings.data_dir) as bound:
        broker = str(bound.getsockname())
        scoreboard = Scoreboard(len(sockets))
        assets = load_assets(settings.website)
        fleet = Fleet(
            settings, start.deployment, keys, assets, world, sockets, scoreboard, bound, broker
        )
        current = _Current(fleet, reread, explain)

        def end() -> None:
            ending.begin()
            close_all(sockets)  # or the kernel would take connections that no worker accepts

        supervisor = ProcessSupervisor(
            Supervision(fleet.roles()),
            current.works(),
            fleet.scoreboard,
            explain,
            started=lambda: announce(settings, start),
            signalled=end,
            reported=lambda line: say(f"error: {line}", sys.stderr),
            renewed=current.renew,
            reverted=current.revert,
            drain_seconds=settings.drain_seconds,
        )
        tls_context()  # the authorities are read once for all workers
        gc.collect()
        gc.freeze()  # what the workers share is then never copied to be counted
        with recorded(settings.data_dir, sockets[0], start.deployment.url):
            if supervisor.run():
                raise ChildFailedError("a worker did not end, and was killed")


@contextmanager
def _broker_socket(data_dir: Path) -> Generator[socket.socket]:
    """The broker's socket: in the data folder, unless its path is too long for a socket."""
    path = data_dir.absolute() / _SOCKET
    with ExitStack() as stack:
        if len(os.fsencode(path)) > _LONGEST_ADDRESS:
            folder = stack.enter_context(TemporaryDirectory(prefix="broker-"))
            path = Path(folder) / _SOCKET
        bound = stack.enter_context(listen_unix(path, 0o600))
        stack.callback(path.unlink, missing_ok=True)
        yield bound


def _migrate(settings: Settings, database_url: str, world: World) -> None:
    prepare(settings, database_url, world)
