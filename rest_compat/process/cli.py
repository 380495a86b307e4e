"""The command line: flags and the configuration file (rest reference 16)."""

from __future__ import annotations

import asyncio
import http.client
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.values import jsontext
from compat_base.values.settings import Reader, SettingsError
from compat_base.values.world import real_world
from compat_base.workers.cpus import read_workers
from rest_compat.catalog.dump import schema_cache_json
from rest_compat.catalog.load import CatalogScope, load_schema_cache
from rest_compat.execute.faults import error_line
from rest_compat.process.alone import HOSTS, serve_alone
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

_LAST_PORT = 65_535
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
            return _print(USAGE)
        case "-v" | "--version":
            return _print(f"PostgREST {VERSION}\n")
        case "-e" | "--example":
            return _print(EXAMPLE)
        case _:
            return _with_settings(command)


def _with_settings(command: _Command) -> int:
    try:
        settings = command.settings()
        reader = Reader(command.environment)
        workers = reader.finish(read_workers(reader))
    except SettingsError as error:
        return _complain(f"Error in config {error}\n")
    match command.flag:
        case "--dump-config":
            return asyncio.run(_dump_config(settings))
        case "--dump-schema":
            return asyncio.run(_dump_schema(settings))
        case "--ready":
            return _check_ready(settings)
        case _:
            return serve_alone(settings, command.settings, workers)


def _print(text: str) -> int:
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
    return _print(dump_config(settings))


async def _with_stored(settings: Settings) -> Settings:
    """The settings with those of the database on top, where `db-config` is on."""
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
    return _print(jsontext.encode(schema_cache_json(cache)) + "\n")


def _check_ready(settings: Settings) -> int:
    """Ask the admin server of a running instance, in the original's words."""
    if settings.admin_port is None:
        return _complain(
            "ERROR: Admin server is not running. Please check admin-server-port config.\n"
        )
    host = settings.admin_host
    if host in HOSTS:
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
    return _print(f"OK: {url}\n") if is_ready else _complain(f"ERROR: {url}\n")
