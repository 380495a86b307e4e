"""A service of the stack as one value, and its variables composed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from compat_stack.keys.installation import Keys
from compat_stack.services.roles import role_url
from compat_stack.settings import Settings

Variables = dict[str, str]


@dataclass(frozen=True, slots=True)
class Deployment:
    """Addresses of this start: `url` for clients, `database_url`, and those of pooler and replica.

    `passwords` is the secret that the roles' passwords are derived from. `pooled_url` is the
    database's own address where there is no pooler, `read_url` empty where there is no replica.
    """

    url: str
    database_url: str
    passwords: bytes | None
    pooled_url: str = ""
    read_url: str = ""


@dataclass(frozen=True, slots=True)
class MigrationSet:
    """A folder of migrations by its name in the ledger; `progress` is printed when applied."""

    name: str
    folder: Path
    progress: str


@dataclass(frozen=True, slots=True)
class Takes:
    """The user's variables that a service reads: by prefixes and by names."""

    prefixes: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool's size: its variable, its default, and the least of a worker's share."""

    variable: str
    default: int
    least: int = 2

    def share(self, given: str | None, workers: int) -> str:
        """A worker's share of the size; the service refuses text that is no number."""
        if given and not (given.isascii() and given.isdigit()):
            return given
        return str(max(self.least, (int(given or 0) or self.default) // workers))


@dataclass(frozen=True, slots=True)
class Service:
    """A row of the manifest: the stack serves, migrates and watches the service by this alone."""

    name: str
    """Its name in `/readyz`, in metrics and in the access log."""

    prefix: str
    """The path it is mounted at, such as `/auth/v1`; the first part is unique."""

    opener: str
    """`module:function` of its `Opener`, which is loaded while the database starts."""

    role: str
    """Its login role in the database; a migration creates it."""

    defaults: Callable[[Settings, Deployment, Keys], Variables]
    """Its default variables; the deployment's database URL is that of its own role."""

    takes: Takes = Takes()
    """The user's variables that are passed on, and win over the defaults."""

    fixed: tuple[tuple[str, str], ...] = ()
    """Variables that the user cannot change."""

    migrations: MigrationSet | None = None

    connections: str = ""
    """`module:function` that gives the most connections it opens with its variables."""

    pools: tuple[Pool, ...] = ()
    """Its pools, which are divided by the workers."""

    shared_connections: int = 0
    """How many of its connections are one process's, for all workers."""

    open_paths: tuple[str, ...] = ()
    """Prefixes of paths, below its own, that need no API key."""

    needs_key: bool = True
    """Whether the gateway refuses requests without an API key."""

    reads_request_ids: bool = True
    """Whether generated request ids are passed to it as a header."""


def variables_of(
    service: Service, settings: Settings, deployment: Deployment, keys: Keys
) -> Variables:
    """A service's variables; the user's own win over the stack's defaults."""
    database_url = role_url(deployment.database_url, service.role, deployment.passwords)
    pooled_url = database_url
    if settings.pooled_url:
        pooled_url = role_url(
            settings.pooled_url, service.role, deployment.passwords, is_pooled=True
        )
    read_url = (
        role_url(settings.read_url, service.role, deployment.passwords) if settings.read_url else ""
    )
    deployment = replace(
        deployment, database_url=database_url, pooled_url=pooled_url, read_url=read_url
    )
    defaults = service.defaults(settings, deployment, keys)
    own = {
        name: value
        for name, value in settings.environment.items()
        if name.startswith(service.takes.prefixes) or name in service.takes.names
    }
    return defaults | own | _shares(service, own, settings.workers) | dict(service.fixed)


def _shares(service: Service, own: Variables, workers: int) -> Variables:
    """The sizes of one worker's pools."""
    if workers == 1:
        return {}
    return {each.variable: each.share(own.get(each.variable), workers) for each in service.pools}
