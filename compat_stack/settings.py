"""The stack's settings: one environment in, one frozen record out; each setting is one row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_base.server_limits import ServerLimits
from compat_base.values import setting_kinds as common
from compat_base.values.events import Severity
from compat_base.values.setting_kinds import Read, T
from compat_base.values.settings import Reader, SettingsError
from compat_base.workers.cpus import read_workers
from compat_stack import setting_kinds as kinds
from compat_stack.limit_settings import Setting, read_limits
from compat_stack.network.client_address import Network
from compat_stack.network.hosts import is_loopback
from compat_stack.project.folder import Project, open_project

_PACKAGE = Path(__file__).resolve().parent
PLANNER_FOLDER = SQL_FOLDER / "planner"
_INSTALLED_WEB = _PACKAGE / "web"
WEB_FOLDER = _INSTALLED_WEB if _INSTALLED_WEB.is_dir() else _PACKAGE.parent / "web" / "dist"
_LEVELS = tuple(severity.name.lower() for severity in Severity)
_NONE = "\u2013"  # a dash: how README shows that there is no default


def setting(variable: str, read: Read[T], default: str, meaning: str) -> T:
    """A field of Settings that is read from a variable: its one row."""
    row = Setting(variable, read, default, meaning)
    return field(metadata={"setting": row})  # pyright: ignore[reportReturnType]


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to listen, where the data lives, and the environment that the services read too.

    Every field but `environment` and `server_limits` is one row. `public_url` is None where it
    follows from the host and the port, `database_url` for the embedded PostgreSQL, `pooled_url`
    and `read_url` where auth and REST connect to the server itself.
    """

    environment: Mapping[str, str]
    server_limits: ServerLimits
    port: int = setting("PORT", kinds.port, "`54321`", "the one port; `0` picks a free one")
    host: str = setting(
        "BIND_HOST",
        common.text("127.0.0.1"),
        "`127.0.0.1`",
        "nothing listens beyond loopback unless this says so",
    )
    workers: int = setting(
        "WORKERS",
        read_workers,
        "`1`",
        "processes that serve, up to 64; `auto`: as many as there are processors, by affinity and"
        " cgroup",
    )
    public_url: str | None = setting(
        "PUBLIC_URL",
        kinds.origin,
        "from host and port",
        "the public origin, where a proxy is in front",
    )
    data_dir: Path = setting(
        "DATA_DIR",
        lambda reader, name: kinds.path(".data")(reader, name).absolute(),
        "`.data`",
        "keys, local mailbox and the embedded database; mode 0700",
    )
    database_url: str | None = setting(
        "DATABASE_URL",
        kinds.database_url,
        _NONE,
        "a PostgreSQL ≥ 15 with `wal_level=logical`, instead of the embedded one",
    )
    pooled_url: str | None = setting(
        "DATABASE_POOLED_URL",
        kinds.beside_database_url,
        _NONE,
        "the same database through PgBouncer or Supavisor in transaction mode, for auth and REST;"
        " migrations, LISTEN and replication still use `DATABASE_URL`",
    )
    read_url: str | None = setting(
        "DATABASE_READ_URL",
        kinds.beside_database_url,
        _NONE,
        "a replica of the same database, from which REST answers GET and HEAD, except to a caller"
        " who wrote in the last 2 s and while the replica lags more than 2 s",
    )
    programs: Path | None = setting(
        "PG_BIN",
        kinds.folder,
        _NONE,
        "a folder of PostgreSQL programs to use for the embedded database",
    )
    database_port: int | None = setting(
        "DATABASE_PORT",
        kinds.database_port,
        f"{_NONE}; with a project its `[db] port`",
        "the loopback port where tools connect to the embedded database as `postgres`; `0` picks a"
        " free one",
    )
    database_password: str | None = setting(
        "DATABASE_PASSWORD",
        common.optional,
        "generated, in `keys.env`",
        "the password of `postgres` on that port",
    )
    project_dir: str | None = setting(
        "SUPABASE_DIR",
        common.optional,
        _NONE,
        "a Supabase project's folder `supabase`, served instead of the planner; environment"
        " variables win over its `config.toml`",
    )
    migrations: Path = setting(
        "MIGRATIONS_DIR", kinds.path(PLANNER_FOLDER), "`sql/planner`", "the project's migrations"
    )
    website: Path = setting("WEB_DIR", kinds.path(WEB_FOLDER), "`web/dist`", "the built web app")
    log_level: Severity = setting(
        "LOG_LEVEL",
        lambda reader, name: Severity[reader.choice(name, "warning", _LEVELS).upper()],
        "`warning`",
        "debug, info, warning, error or critical; the log goes to standard error",
    )
    trusted_proxies: tuple[Network, ...] = setting(
        "TRUSTED_PROXIES",
        kinds.networks,
        _NONE,
        "comma-separated addresses and ranges of the proxies in front; `X-Forwarded-For`, `-Host`"
        " and `-Proto` count only from these",
    )
    drain_seconds: float = setting(
        "DRAIN_SECONDS",
        common.seconds(0.0),
        "`0s`",
        "how long to go on serving after SIGTERM while `/readyz` answers 503, so that a load"
        " balancer stops sending requests; a second signal ends the wait",
    )
    access_log: bool = setting(
        "ACCESS_LOG", lambda reader, name: reader.choice(name, "off", ("off", "json")) == "json",
        "`off`",
        "`json` logs a line for each request to standard error, without query values, headers or"
        " bodies",
    )  # fmt: skip
    jwt_secret: str | None = setting(
        "JWT_SECRET",
        common.optional,
        "generated, in `keys.env`",
        "the secret, of at least 32 characters; where it is set, all other keys are derived from"
        " it, so that nodes with the same secret have the same keys",
    )
    signing_keys: Path | None = setting(
        "SIGNING_KEYS_FILE",
        kinds.folder,
        "generated, in `DATA_DIR`; with a project its `signing_keys_path`",
        "a file with a list of private JWKs that sign users' tokens",
    )
    issuer: str | None = setting(
        "THIRD_PARTY_ISSUER",
        kinds.issuer,
        f"{_NONE}; with a project its `[auth.third_party.*]`",
        "another issuer whose tokens REST, realtime and storage accept; its keys are found by its"
        " OpenID configuration and fetched at the start and every 10 minutes",
    )
    push_hosts: frozenset[str] = setting(
        "PUSH_HOSTS",
        kinds.hosts,
        _NONE,
        "comma-separated hosts of push services besides those of Google, Mozilla, Apple and"
        " Microsoft; https only",
    )
    vapid_subject: str | None = setting(
        "VAPID_SUBJECT",
        kinds.contact,
        "`PUBLIC_URL`",
        "the contact for push services, an `https:` or `mailto:` URL",
    )

    project: Project | None = field(default=None, kw_only=True)

    @property
    def push_contact(self) -> str:
        """The contact that push services are given."""
        return self.vapid_subject or self.public_url or "mailto:webmaster@localhost"

    @property
    def has_smtp(self) -> bool:
        """Whether mail is sent by SMTP; without, addresses confirm themselves."""
        return bool(self.environment.get("GOTRUE_SMTP_HOST"))

    def url(self, port: int) -> str:
        """The public address, without a slash at its end."""
        if self.public_url is not None:
            return self.public_url
        everywhere = self.host in {"0.0.0.0", "::", ""}  # noqa: S104 — compared, not listened on
        host = "127.0.0.1" if everywhere else self.host
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


SettingsT = TypeVar("SettingsT", bound=Settings)


def rows(record: type[Settings] = Settings) -> dict[str, Setting]:
    """The row of each field that has one."""
    found = {each.name: each.metadata.get("setting") for each in fields(record)}
    return {name: row for name, row in found.items() if isinstance(row, Setting)}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read the environment, and the project's folder that it names.

    Raises SettingsError with every problem in them, or ProjectError.
    """
    folder = environment.get("SUPABASE_DIR")
    if not folder:
        return read_record(Settings, environment)
    project = _at_port(open_project(folder, environment), environment)
    own = {"MIGRATIONS_DIR": str(project.folder / "migrations"), **project.variables}
    try:
        return replace(read_record(Settings, own | dict(environment)), project=project)
    except SettingsError as error:
        places = (project.located(sentence, environment) for sentence in error.problems)
        raise SettingsError(tuple(places)) from error


def _at_port(project: Project, environment: Mapping[str, str]) -> Project:
    """The project without an external_url that is this machine at a port that is not used now.

    Links would lead to whatever listens there. A name of elsewhere is a proxy's or a tunnel's.
    """
    variables = dict(project.variables)
    address = variables.get("PUBLIC_URL", "").rstrip("/")
    host, _, port = address.partition("://")[2].rpartition(":")
    given = environment.get("PORT") or port
    is_ours = port == variables["PORT"] and is_loopback(host.strip("[]"))
    if given == port or not is_ours or "SUPABASE_API_EXTERNAL_URL" in environment:
        return project
    del variables["PUBLIC_URL"]
    remark = f"{project.places['PUBLIC_URL']} is passed over, because PORT is {given}"
    return replace(project, variables=variables, remarks=(*project.remarks, remark))


def read_record(record: type[SettingsT], environment: Mapping[str, str]) -> SettingsT:
    """Read a record of settings by its rows; SettingsError with every problem in them."""
    reader = Reader(environment)
    values = {name: row.read(reader, row.variable) for name, row in rows(record).items()}
    limits = read_limits(reader)
    return reader.finish(record(environment=dict(environment), server_limits=limits, **values))


def lacks_proxy(settings: Settings) -> bool:
    """Whether the stack is reached through a proxy only, but trusts none."""
    public = urlsplit(settings.public_url or "").hostname or ""
    is_outside = bool(public) and not is_loopback(public)
    return is_outside and is_loopback(settings.host) and not settings.trusted_proxies


def has_no_pages(settings: Settings) -> bool:
    """Whether a project is served without a web app: the planner's is not the project's."""
    return settings.project is not None and settings.website == WEB_FOLDER
