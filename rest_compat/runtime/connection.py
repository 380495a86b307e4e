"""How the service connects: the pool, and the one connection outside it that listens and loads."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

from compat_base.postgres.pipeline import Session
from compat_base.postgres.pool import PoolSettings
from compat_base.values.sqltext import Statement
from rest_compat.settings import VERSION, Settings

_PAIR = re.compile(r"\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))")
_FORMER_SCHEME = "postgres://"
_VERSION = Statement("select current_setting('server_version_num') as number, version() as name")

APPLICATION_NAME = f"PostgREST {VERSION}"


def pool_settings(settings: Settings) -> PoolSettings:
    """The pool of a service."""
    return PoolSettings(
        dsn=settings.db_uri.reveal(),
        maximum=settings.pool_size,
        acquire_timeout=float(settings.pool_acquisition_timeout),
        idle_lifetime=float(settings.pool_max_idletime),
        lifetime=float(settings.pool_max_lifetime),
        statement_cache=1024 if settings.prepared else 0,
        application_name=APPLICATION_NAME,
    )


def as_url(text: str) -> str:
    """A connection URL, for the driver that knows no `key=value` text."""
    if text.startswith(("postgresql://", _FORMER_SCHEME)):
        return text
    pairs = {
        found.group(1): _unescaped(found.group(3) if found.group(2) is None else found.group(2))
        for found in _PAIR.finditer(text)
    }
    name = pairs.pop("dbname", "")
    return f"postgresql:///{quote(name)}?{urlencode(pairs)}"


async def server_version(session: Session) -> tuple[int, str]:
    """The server's version as a number (150003) and in its own words."""
    row = (await session.run([_VERSION]))[0].rows()[0]
    return int(row["number"] or b"0"), (row["name"] or b"").decode()


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
