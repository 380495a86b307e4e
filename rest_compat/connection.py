"""From the settings' connection string to the pool's, as libpq would read it."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

from compat_base.database import PoolSettings
from rest_compat.settings import Settings

_PAIR = re.compile(r"\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))")
_FORMER_SCHEME = "postgres://"


def pool_settings(settings: Settings, version: str) -> PoolSettings:
    """The pool of a service."""
    return PoolSettings(
        dsn=as_url(settings.db_uri.reveal()),
        maximum=settings.pool_size,
        acquire_timeout=float(settings.pool_acquisition_timeout),
        idle_lifetime=float(settings.pool_max_idletime),
        statement_cache=1024 if settings.prepared else 0,
        application_name=f"PostgREST {version}",
    )


def as_url(text: str) -> str:
    """A connection URL; `key=value` text is rewritten as one."""
    if text.startswith(("postgresql://", _FORMER_SCHEME)):
        return text
    pairs = {
        found.group(1): _unescaped(found.group(3) if found.group(2) is None else found.group(2))
        for found in _PAIR.finditer(text)
    }
    name = pairs.pop("dbname", "")
    return f"postgresql:///{quote(name)}?{urlencode(pairs)}"


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
