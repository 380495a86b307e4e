"""`status`: whether a stack serves from the data folder, its address and database, readiness."""

from __future__ import annotations

import http.client
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

from compat_base.values import jsontext
from compat_stack.archive.backup import program_version, server_of
from compat_stack.archive.format import BackupError
from compat_stack.archive.programs import Programs
from compat_stack.data_folder.running import Running, find_running
from compat_stack.keys.installation import parse_env
from compat_stack.keys.s3 import s3_key_pair
from compat_stack.settings import Settings

READY, NOT_READY, NOT_RUNNING = 0, 1, 3
_SECONDS = 5.0
_VALUES = {
    "ANON_KEY": "SUPABASE_ANON_KEY",
    "DB_URL": "DATABASE_URL",
    "JWT_SECRET": "JWT_SECRET",
    "PUBLISHABLE_KEY": "SUPABASE_PUBLISHABLE_KEY",
    "SECRET_KEY": "SUPABASE_SECRET_KEY",
    "SERVICE_ROLE_KEY": "SUPABASE_SERVICE_ROLE_KEY",
}


def show_status(settings: Settings, programs: Callable[[], Programs]) -> int:
    """Print the state, one fact a line; gives 0 if ready, 1 if not, 3 where nothing runs."""
    running = find_running(settings.data_dir)
    if running is None:
        print(f"nothing serves from {settings.data_dir}")
        return NOT_RUNNING
    problems = _problems(running)
    for line in _lines(settings, running, problems, programs):
        print(line)
    return NOT_READY if problems else READY


def show_values(settings: Settings, output: str, names: Sequence[str] = ()) -> int:
    """Print addresses and keys by the CLI's names; gives 3 where nothing runs.

    `output` is env, json, toml or yaml; `names` replace the CLI's, as `api.url=MY_NAME`.
    """
    running = find_running(settings.data_dir)
    if running is None:
        print(f"nothing serves from {settings.data_dir}", file=sys.stderr)
        return NOT_RUNNING
    kept = parse_env((settings.data_dir / "keys.env").read_text(encoding="utf-8"))
    access_key, secret_key = s3_key_pair(kept["JWT_SECRET"])
    values = {
        "API_URL": running.url,
        "REST_URL": f"{running.url}/rest/v1",
        "STORAGE_S3_URL": f"{running.url}/storage/v1/s3",
        "S3_PROTOCOL_ACCESS_KEY_ID": os.environ.get("S3_PROTOCOL_ACCESS_KEY_ID") or access_key,
        "S3_PROTOCOL_ACCESS_KEY_SECRET": (
            os.environ.get("S3_PROTOCOL_ACCESS_KEY_SECRET") or secret_key
        ),
        "S3_PROTOCOL_REGION": "local",
        **{name: kept[key] for name, key in _VALUES.items() if key in kept},
    }
    for key, _, name in (each.partition("=") for each in names):
        given = key.upper().rpartition("AUTH.")[2].replace(".", "_")
        if name and given in values:
            values[name] = values.pop(given)
    if output == "json":
        print(json.dumps(values, indent=2, sort_keys=True))
    else:
        between = {"toml": " = ", "yaml": ": "}.get(output, "=")
        for name, value in sorted(values.items()):
            print(f"{name}{between}{json.dumps(value)}")
    return READY


def _lines(
    settings: Settings, running: Running, problems: dict[str, str], programs: Callable[[], Programs]
) -> Iterator[str]:
    yield f"address:   {running.url}"
    yield f"process:   {running.pid}, since {running.since}"
    yield f"version:   {program_version()}"
    kind = "of DATABASE_URL" if settings.database_url else "embedded"
    yield f"database:  {kind}, {_server('database' in problems, programs)}"
    reasons = ", ".join(f"{name} {reason}" for name, reason in problems.items())
    yield f"ready:     {f'no: {reasons}' if reasons else 'yes'}"


def _server(is_down: bool, programs: Callable[[], Programs]) -> str:  # noqa: FBT001 — a fact
    if is_down:
        return "not reachable"
    try:
        return f"PostgreSQL {server_of(programs())[2]}"
    except BackupError as error:
        return str(error)


def _problems(running: Running) -> dict[str, str]:
    """The parts that `/readyz` reports as not ready."""
    parts = urlsplit(running.address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_SECONDS)
    try:
        connection.request("GET", "/readyz")
        answer = jsontext.decode_object(connection.getresponse().read(1 << 20))
    except (OSError, http.client.HTTPException, jsontext.InvalidJsonError):
        return {"server": f"does not answer at {running.address}"}
    finally:
        connection.close()
    found = answer.get("not_ready")
    return {str(name): str(reason) for name, reason in found.items()} if found else {}
