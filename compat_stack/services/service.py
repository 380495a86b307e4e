"""A service of the stack as one value, and what its variables are composed from."""

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
    """A folder of migrations by its name in the ledger; `progress` is said when it is applied."""

    name: str
    folder: Path
    progress: str


@dataclass(frozen=True, slots=True)
class Takes:
    """Which of the user's variables a service reads: by their beginnings and by name."""

    prefixes: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool's size: its variable, what it is without that, and the least that a worker needs."""

    variable: str
    default: int
    least: int = 2

    def share(self, given: str | None, workers: int) -> str:
        """The size for each of so many workers; what is no number is the service's to refuse."""
        if given and not (given.isascii() and given.isdigit()):
            return given
        return str(max(self.least, (int(given or 0) or self.default) // workers))


@dataclass(frozen=True, slots=True)
class Service:
    """All that the stack knows of a service: it is served, migrated and watched by this alone."""

    name: str
    """In `/readyz`, in metrics and in the access log."""

    prefix: str
    """Where it is mounted, such as `/auth/v1`; the first part is no other service's."""

    opener: str
    """`module:function` of its `Opener`, which is loaded while the database starts."""

    role: str
    """Whom it connects to the database as; a migration makes that role."""

    defaults: Callable[[Settings, Deployment, Keys], Variables]
    """The variables that the stack sets it; the deployment's database URL is its own role's."""

    takes: Takes = Takes()
    """The user's variables that reach it, and win over the defaults."""

    fixed: tuple[tuple[str, str], ...] = ()
    """The variables that are not for the user to say."""

    migrations: MigrationSet | None = None

    connections: str = ""
    """`module:function` that says how many connections it opens at most with its variables."""

    pools: tuple[Pool, ...] = ()
    """Its pools, which are divided by the workers."""

    shared_connections: int = 0
    """How many of its connections one process has for all workers."""

    open_paths: tuple[str, ...] = ()
    """The beginnings of the paths below its prefix that need no API key."""

    needs_key: bool = True
    """Whether the gateway refuses who sends no API key; else one that is sent still counts."""

    reads_request_ids: bool = True
    """Whether a request's id is among its headers where the client sent none."""


def variables_of(
    service: Service, settings: Settings, deployment: Deployment, keys: Keys
) -> Variables:
    """What a service reads; the user's own variables win over what the stack would set."""
    database_url = role_url(deployment.database_url, service.role, deployment.passwords)
    pooled_url = role_url(
        settings.pooled_url or deployment.database_url, service.role, deployment.passwords
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
    """The sizes of the pools of one worker among several."""
    if workers == 1:
        return {}
    return {each.variable: each.share(own.get(each.variable), workers) for each in service.pools}
