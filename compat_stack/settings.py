"""The stack's settings: one environment in, one frozen record out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from compat_base.postgres.sqlfiles import SQL_FOLDER
from compat_base.server_limits import ServerLimits
from compat_base.values.events import Severity
from compat_base.values.settings import Reader
from compat_base.values.urls import Url, parse_url
from compat_stack.network.client_address import Network, read_networks
from compat_stack.network.hosts import is_loopback

_PACKAGE = Path(__file__).resolve().parent
PLANNER_FOLDER = SQL_FOLDER / "planner"
_INSTALLED_WEB = _PACKAGE / "web"
WEB_FOLDER = _INSTALLED_WEB if _INSTALLED_WEB.is_dir() else _PACKAGE.parent / "web" / "dist"
_LEVELS = tuple(severity.name.lower() for severity in Severity)
_HIGHEST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to listen, where the data lives, and the environment that the services read too.

    `public_url` is None where it follows from the host and the port. `database_url` is None for
    the embedded PostgreSQL.
    """

    host: str
    port: int
    public_url: str | None
    data_dir: Path
    database_url: str | None
    programs: Path | None
    migrations: Path
    website: Path
    log_level: Severity
    trusted_proxies: tuple[Network, ...]
    access_log: bool
    server_limits: ServerLimits
    environment: Mapping[str, str]

    @property
    def has_smtp(self) -> bool:
        """Whether mail leaves this machine; without, addresses confirm themselves."""
        return bool(self.environment.get("GOTRUE_SMTP_HOST"))

    def url(self, port: int) -> str:
        """The address that people and clients use, without a slash at its end."""
        if self.public_url is not None:
            return self.public_url
        everywhere = self.host in {"0.0.0.0", "::", ""}  # noqa: S104 — compared, not listened on
        host = "127.0.0.1" if everywhere else self.host
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read the environment; SettingsError with every problem in it."""
    reader = Reader(environment)
    programs = reader.optional("PG_BIN")
    public_url = reader.optional("PUBLIC_URL")
    public = parse_url(public_url) if public_url is not None else None
    if public_url is not None and not _is_origin(public):
        reader.problem("PUBLIC_URL must be an address such as https://planes.example")
    port = reader.integer("PORT", 54321, minimum=0)
    if port > _HIGHEST_PORT:
        reader.problem(f"PORT must be at most {_HIGHEST_PORT}")
    database_url = reader.optional("DATABASE_URL")
    if database_url is not None and urlsplit(database_url).scheme not in {"postgres", "postgresql"}:
        reader.problem("DATABASE_URL must start with postgresql://")
    level = reader.choice("LOG_LEVEL", "warning", _LEVELS)
    return reader.finish(
        Settings(
            host=reader.text("BIND_HOST", "127.0.0.1"),
            port=port,
            public_url=public.origin if public is not None else None,
            data_dir=Path(reader.text("DATA_DIR", ".data")).absolute(),
            database_url=database_url,
            programs=Path(programs) if programs else None,
            migrations=Path(reader.text("MIGRATIONS_DIR", str(PLANNER_FOLDER))),
            website=Path(reader.text("WEB_DIR", str(WEB_FOLDER))),
            log_level=Severity[level.upper()],
            trusted_proxies=_networks(reader, reader.words("TRUSTED_PROXIES")),
            access_log=reader.choice("ACCESS_LOG", "off", ("off", "json")) == "json",
            server_limits=_read_limits(reader),
            environment=dict(environment),
        )
    )


def _is_origin(url: Url | None) -> bool:
    return url is not None and url.scheme in {"http", "https"} and url.href == f"{url.origin}/"


def _networks(reader: Reader, words: tuple[str, ...]) -> tuple[Network, ...]:
    found: tuple[Network, ...] = ()
    for word in words:
        try:
            found += read_networks((word,))
        except ValueError:
            wanted = "addresses and ranges such as 10.0.0.0/8"
            reader.problem(f"TRUSTED_PROXIES must list {wanted}, and {word} is neither")
    return found


def lacks_proxy(settings: Settings) -> bool:
    """Whether only a proxy can be reached from outside, and none is trusted to name callers."""
    public = urlsplit(settings.public_url or "").hostname or ""
    is_outside = bool(public) and not is_loopback(public)
    return is_outside and is_loopback(settings.host) and not settings.trusted_proxies


def _read_limits(reader: Reader) -> ServerLimits:
    usual = ServerLimits()
    most = reader.integer("HTTP_CONNECTIONS", 0, minimum=0)
    share = reader.integer("HTTP_CONNECTIONS_PER_ADDRESS", 0, minimum=0)
    rate = reader.integer(
        "HTTP_NEW_CONNECTIONS_PER_ADDRESS", usual.address_connections_per_second, minimum=1
    )
    return ServerLimits(
        connections=most or None,
        address_connections=share or None,
        address_connections_per_second=rate,
        head_bytes=reader.integer("HTTP_HEAD_BYTES", usual.head_bytes, minimum=1024),
        head_seconds=reader.seconds("HTTP_HEAD_TIMEOUT", usual.head_seconds),
        body_seconds=reader.seconds("HTTP_BODY_TIMEOUT", usual.body_seconds),
        idle_seconds=reader.seconds("HTTP_KEEPALIVE_TIMEOUT", usual.idle_seconds),
        socket_pending_bytes=reader.integer(
            "WEBSOCKET_PENDING_BYTES", usual.socket_pending_bytes, minimum=0
        ),
    )
