"""The command line: flags, the configuration file, sockets and signals (rest reference 16)."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from compat_base.asgi import Endpoint, Lifespan
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.server import Server, serve
from compat_base.server import run as run_to_end
from compat_base.sockets import ListenError, listen, listen_unix
from compat_base.tasks import Supervisor
from compat_base.values import jsontext
from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.http import HttpResponse
from compat_base.values.settings import SettingsError
from compat_base.values.world import World, real_world
from rest_compat.app import Service, already_open, http_app, open_parts
from rest_compat.catalog.dump import schema_cache_json
from rest_compat.catalog.load import CatalogScope, load_schema_cache
from rest_compat.errors import error_line
from rest_compat.observe.log_format import CurrentLogLevel, log_lines
from rest_compat.process.admin import Admin
from rest_compat.process.config_file import EXAMPLE, dump_config, parse_config_file
from rest_compat.runtime.connection import connected
from rest_compat.runtime.database_settings import stored_settings
from rest_compat.settings import VERSION, Settings, read_settings, with_database

USAGE = f"""\
Usage: postgrest-compat [-v|--version] [-e|--example] [--dump-config | --dump-schema | --ready]
                        [FILENAME]

  A stand-in for PostgREST {VERSION}: a REST API out of a PostgreSQL database

Available options:
  -h,--help                Show this help text
  -v,--version             Show the version information
  -e,--example             Show an example configuration file
  --dump-config            Dump loaded configuration and exit
  --dump-schema            Dump loaded schema as JSON and exit
  --ready                  Ask the admin server of a running instance; exit 0 or 1
  FILENAME                 Path to configuration file
"""

_ANY_IPV4, _ANY_IPV6 = "0.0.0.0", "::"  # noqa: S104 — the original's default is every address
_HOSTS = {"!4": _ANY_IPV4, "*4": _ANY_IPV4, "*": _ANY_IPV4, "!6": _ANY_IPV6, "*6": _ANY_IPV6}
_LAST_PORT = 65_535
_ADMIN_LIMIT = 1024  # bytes: nothing is sent to the admin server
_FLAGS = frozenset(
    {"-h", "--help", "-v", "--version", "-e", "--example", "--dump-config", "--dump-schema"}
) | {"--ready"}


@dataclass(frozen=True, slots=True)
class _Command:
    """The command line: at most one flag, perhaps a file."""

    flag: str | None
    file: str | None
    environment: Mapping[str, str]

    def settings(self) -> Settings:
        """The settings of the file and the environment."""
        options = None
        if self.file is not None:
            try:
                text = Path(self.file).read_text(encoding="utf-8")
            except OSError as error:
                raise SettingsError((f"{self.file}: {error.strerror}",)) from error
            options = parse_config_file(text, self.environment)
        return read_settings(self.environment, file=options)


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Do what the command line says; the exit status."""
    flags = [word for word in arguments if word in _FLAGS]
    files = [word for word in arguments if word not in _FLAGS]
    if len(flags) > 1 or len(files) > 1 or any(word.startswith("--") for word in files):
        return _complain(USAGE)
    command = _Command(flags[0] if flags else None, files[0] if files else None, environment)
    match command.flag:
        case "-h" | "--help":
            return _say(USAGE)
        case "-v" | "--version":
            return _say(f"PostgREST {VERSION}\n")
        case "-e" | "--example":
            return _say(EXAMPLE)
        case _:
            return _with_settings(command)


def _with_settings(command: _Command) -> int:
    try:
        settings = command.settings()
    except SettingsError as error:
        return _complain(f"Error in config {error}\n")
    match command.flag:
        case "--dump-config":
            return asyncio.run(_dump_config(settings))
        case "--dump-schema":
            return asyncio.run(_dump_schema(settings))
        case "--ready":
            return _ask_ready(settings)
        case _:
            return _serve(command, settings)


def _say(text: str) -> int:
    sys.stdout.write(text)
    return 0


def _complain(text: str) -> int:
    sys.stderr.write(text)
    return 1


async def _dump_config(settings: Settings) -> int:
    try:
        settings = await _with_stored(settings)
    except SettingsError as error:
        return _complain(f"Error in config {error}\n")
    except (PgFault, Unavailable) as error:
        failure = "Failed to query database settings for the config parameters."
        _complain(f"{failure}{error_line(error)}\n")
    return _say(dump_config(settings))


async def _with_stored(settings: Settings) -> Settings:
    """The settings with those of the database on top, where it is to be asked."""
    if not settings.db_config:
        return settings
    async with connected(settings) as session:
        return with_database(settings, await stored_settings(session, settings))


async def _dump_schema(settings: Settings) -> int:
    try:
        settings = await _with_stored(settings)
        scope = CatalogScope(settings.schemas, settings.extra_schemas, settings.hoisted)
        async with connected(settings) as session:
            cache = await load_schema_cache(session, scope, real_world().clock)
    except SettingsError as error:
        return _complain(f"Error in config {error}\n")
    except (PgFault, Unavailable) as error:
        return _complain(f"{error_line(error)}\n")
    return _say(jsontext.encode(schema_cache_json(cache)) + "\n")


def _ask_ready(settings: Settings) -> int:
    """Ask the admin server of a running instance, in the original's words."""
    if settings.admin_port is None:
        return _complain(
            "ERROR: Admin server is not running. Please check admin-server-port config.\n"
        )
    host = settings.admin_host
    if host in _HOSTS:
        return _complain(
            "ERROR: The `--ready` flag cannot be used when server-host is configured as"
            f' "{host}". Please update your server-host config to "localhost".\n'
        )
    url = f"http://{f'[{host}]' if ':' in host else host}:{settings.admin_port}/ready"
    if not 0 <= settings.admin_port <= _LAST_PORT:
        return _complain(f"ERROR: invalid url - {url}\n")
    try:
        connection = http.client.HTTPConnection(host, settings.admin_port, timeout=30)
        connection.request("GET", "/ready")
        status = connection.getresponse().status
    except (http.client.InvalidURL, UnicodeError):
        return _complain(f"ERROR: invalid url - {url}\n")
    except (OSError, http.client.HTTPException):
        return _complain(f"ERROR: connection refused to {url}\n")
    is_ready = HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES
    return _say(f"OK: {url}\n") if is_ready else _complain(f"ERROR: {url}\n")


# ── serving ────────────────────────────────────────────────────────────────────────────────────


def _serve(command: _Command, settings: Settings) -> int:
    world = real_world()
    level = CurrentLogLevel(settings.log_level)
    observer = log_lines(level, world.clock, sys.stdout, sys.stderr)
    _log(observer, f"Starting PostgREST {VERSION}...")
    try:
        return run_to_end(_Alone(command, settings, world, observer, level).run())
    except ListenError as error:
        return _complain(f"{error}\n")
    except asyncio.CancelledError:
        return 0


def _log(observer: Observer, text: str) -> None:
    observer(Observation("message", Severity.INFO, {"text": text}))


class _Alone:
    """The service as a process: admin socket first, the main socket after the first load."""

    def __init__(
        self,
        command: _Command,
        settings: Settings,
        world: World,
        observer: Observer,
        level: CurrentLogLevel,
    ) -> None:
        self._command = command
        self._settings = settings
        self._world = world
        self._observer = observer
        self._level = level
        self._server: Server | None = None
        self._admin_server: Server | None = None

    async def run(self) -> int:
        """Serve until a signal ends it."""
        admin_socket = self._admin_socket()
        async with (
            open_parts(
                self._settings,
                world=self._world,
                observer=self._observer,
                reread=self._command.settings,
            ) as service,
            Supervisor(self._observer) as tasks,
        ):
            self._level.of = lambda: service.manager.snapshot.settings.log_level
            self._catch_signals(service)
            async with self._admin_beside(service, admin_socket, tasks):
                manager = service.manager
                hopeless = tasks.start(self._stop_when_hopeless(service), "end")
                await (
                    manager.loaded if self._settings.reuse_port else manager.first_attempt
                ).wait()
                if not manager.hopeless.is_set():
                    await self._serve_main(service)
                hopeless.cancel()
        return 1 if manager.hopeless.is_set() else 0

    async def _stop_when_hopeless(self, service: Service) -> None:
        await service.manager.hopeless.wait()
        if self._server is not None:
            self._server.stop()

    async def _serve_main(self, service: Service) -> None:
        bound = self._main_socket()
        app = http_app(service, self._observer)
        self._server = Server(
            Lifespan(already_open(app)),
            started=lambda: self._started(bound),
            signalled=self._signalled,
        )
        await serve(self._server, [bound])

    def _started(self, bound: socket.socket) -> None:
        _log(self._observer, f"API server listening on {_address(bound)}")

    def _signalled(self, number: signal.Signals) -> None:
        """Log it, and close the admin server's socket along with the main one."""
        _log(self._observer, f"Received termination unix signal {number.name}")
        if self._admin_server is not None:
            self._admin_server.stop()

    def _is_live(self) -> bool:
        """Whether the main socket is up; a Unix one must still be found under its name."""
        socket_path = self._settings.server_socket
        is_found = socket_path is None or Path(socket_path).exists()
        return is_found and self._server is not None and self._server.started

    @contextlib.asynccontextmanager
    async def _admin_beside(
        self, service: Service, bound: socket.socket | None, tasks: Supervisor
    ) -> AsyncGenerator[None]:
        """The admin server, where it has a socket, for the length of the block."""
        if bound is None:
            yield
            return
        admin = Admin(service, self._is_live)
        app = Endpoint(
            admin.handle,
            limit=_ADMIN_LIMIT,
            too_large=lambda: HttpResponse(413),
            failed=lambda: HttpResponse(500),
            observer=self._observer,
        )
        _log(self._observer, f"Admin server listening on {_address(bound)}")
        server = self._admin_server = Server(Lifespan(already_open(app)), handles_signals=False)
        running = tasks.start(serve(server, [bound]), "admin server")
        try:
            yield
        finally:
            server.should_exit = True
            await running

    def _main_socket(self) -> socket.socket:
        settings = self._settings
        if settings.server_socket is not None:
            return listen_unix(Path(settings.server_socket), settings.server_socket_mode)
        host = _HOSTS.get(settings.server_host, settings.server_host)
        return listen(host, settings.server_port, reuse_port=settings.reuse_port)

    def _admin_socket(self) -> socket.socket | None:
        settings = self._settings
        if settings.admin_socket is not None:
            return listen_unix(Path(settings.admin_socket), settings.admin_socket_mode)
        if settings.admin_port is None:
            return None
        host = _HOSTS.get(settings.admin_host, settings.admin_host)
        return listen(host, settings.admin_port)

    def _catch_signals(self, service: Service) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, service.manager.reload_schema)
        loop.add_signal_handler(signal.SIGUSR2, service.manager.reload_config)
        # Until the main server runs and stops gracefully itself, a signal ends the process.
        task = asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._end, number, task)

    def _end(self, number: signal.Signals, task: asyncio.Task[int] | None) -> None:
        asyncio.get_running_loop().remove_signal_handler(number)
        self._signalled(number)
        if task is not None:
            task.cancel()


def _address(bound: socket.socket) -> str:
    name = bound.getsockname()
    if isinstance(name, str):
        return name
    host, port = name[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
