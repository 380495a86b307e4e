"""How many database connections the processes may open, compared with the server's limit."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name

import uvloop

from compat_base.postgres.database import connect, fetch_one
from compat_base.postgres.faults import PgFault, Unavailable
from compat_base.values.errors import OperatorError
from compat_base.values.sqltext import Statement
from compat_base.values.world import real_world
from compat_stack.keys.installation import make_keys
from compat_stack.services.manifest import SERVICES
from compat_stack.services.roles import NO_FOREIGN_NAMES
from compat_stack.services.service import Deployment, variables_of
from compat_stack.settings import Settings

_GIVEN = Statement(
    "select current_setting('max_connections')::int"
    " - current_setting('superuser_reserved_connections')::int"
    " - coalesce(current_setting('reserved_connections', true)::int, 0) as given"
)
_MONITOR = 1  # for the readiness check
# compat_stack.background: one listens, one delivers, two read and write, four run jobs
_BACKGROUND = 8
_POOLED = frozenset({"auth", "rest"})
_REMEDY = (
    "lower GOTRUE_DB_MAX_POOL_SIZE, PGRST_DB_POOL, DB_POOL_SIZE or DATABASE_MAX_CONNECTIONS, raise"
    " max_connections, or set DATABASE_POOLED_URL"
)


def most_connections(settings: Settings) -> Mapping[str, int]:
    """The most that each service opens on the server itself, in all workers together.

    Raises the services' SettingsError.
    """
    keys = make_keys(real_world())
    deployment = Deployment("http://localhost", settings.database_url or "postgresql:///", None)
    found = {
        service.name: settings.workers
        * int(resolve_name(service.connections)(variables_of(service, settings, deployment, keys)))
        - (settings.workers - 1) * service.shared_connections
        for service in SERVICES
        if service.connections and not (settings.pooled_url and service.name in _POOLED)
    }
    return {
        **found,
        "monitor": settings.workers * _MONITOR,
        "background": _BACKGROUND,
    }


def budget_of(settings: Settings) -> str:
    """The total in a sentence; OperatorError where the server allows fewer."""
    parts = most_connections(settings)
    total = sum(parts.values())
    given = uvloop.run(_given(settings.database_url)) if settings.database_url else None
    if given is not None and given < total:
        subject = "one process opens" if settings.workers == 1 else "all workers together open"
        raise OperatorError(
            f"{subject} {total} connections at most and the server gives {given}: {_REMEDY}"
        )
    shown = ", ".join(f"{name} {count}" for name, count in parts.items())
    of = "" if given is None else f" of {given}"
    return f"at most {total}{of} ({shown})"


async def _given(url: str) -> int | None:
    """The server's connections for ordinary roles; None where it is away."""
    try:
        async with connect(url, application_name="check-config", **NO_FOREIGN_NAMES) as connection:
            row = await fetch_one(connection, _GIVEN)
    except (PgFault, Unavailable):
        return None
    return None if row is None else int(row["given"])
