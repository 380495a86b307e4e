"""Connection strings and connection failures, as libpq reads and words them.

A string is a URI or `key=value` pairs. What it omits comes from its service file, the environment's
`PG…` variables and libpq's defaults, a password also from a passfile
(PostgreSQL, "Database Connection Control Functions").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg import pq
from psycopg.conninfo import make_conninfo

from compat_base.postgres.faults import Unavailable

_SCHEMES = ("postgresql://", "postgres://")
_KEYWORDS = frozenset(option.keyword.decode() for option in pq.Conninfo.get_defaults())
# The last of libpq's checks refuses this value: everything is read, and nothing is connected.
_UNCONNECTED = {"load_balance_hosts": "-"}

_PSYCOPGS_WORDS = re.compile("^(?:connection (?:failed|is bad)|consuming input failed): ")
_UNKNOWN_HOST = re.compile(r"failed to resolve host '(.*)': \[Errno -?\d+\] ")
_ATTEMPT = re.compile(r"\n- host: (\S+), port: \S+, hostaddr: \S+: ")
_ADDRESS = re.compile(r'^connection to server at "([^"]*)"')


def read_conninfo(conninfo: str) -> dict[str, str]:
    """Every parameter of the connection that libpq would make, by its keyword.

    Raises Unavailable with libpq's message where it would make none.
    """
    try:
        unconnected = pq.PGconn.connect_start(make_conninfo(conninfo, **_UNCONNECTED).encode())
    except psycopg.Error as error:
        raise Unavailable(str(error).strip()) from error
    try:
        words = unconnected.get_error_message().strip()
        if "load_balance_hosts" not in words:
            raise Unavailable(words)
        options = {o.keyword.decode(): o.val.decode() for o in unconnected.info if o.val}
        if unconnected.password:  # that of the first host, where a passfile has several
            options["password"] = unconnected.password.decode()
    finally:
        unconnected.finish()
    return {key: value for key, value in options.items() if key not in _UNCONNECTED}


def split_settings(conninfo: str) -> tuple[str, Mapping[str, str]]:
    """A connection string for libpq, and the settings in a URI's query that libpq does not know.

    Other drivers let `?search_path=auth` set a parameter; libpq refuses such a URI.
    """
    if not conninfo.startswith(_SCHEMES):
        return conninfo, {}
    parts = urlsplit(conninfo)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    settings = {name: value for name, value in pairs if name not in _KEYWORDS and name != "ssl"}
    if not settings:
        return conninfo, {}
    own = urlencode([pair for pair in pairs if pair[0] not in settings])
    return urlunsplit(parts._replace(query=own)), settings


def failure(error: psycopg.Error, conninfo: str = "") -> str:
    """The message of an error as libpq gives it, without psycopg's additions."""
    text = str(error).strip()
    attempts = _ATTEMPT.split(text)[1:]
    if attempts:
        hosts, texts = attempts[::2], attempts[1::2]
        return "\n".join(_words(t, h.strip("'")) for h, t in zip(hosts, texts, strict=True))
    return _words(text, _host(conninfo))


def _words(text: str, host: str) -> str:
    """One attempt's failure; libpq names the host beside its resolved address."""
    words = _PSYCOPGS_WORDS.sub("", text)
    words = _UNKNOWN_HOST.sub(r'could not translate host name "\1" to address: ', words)
    address = _ADDRESS.match(words)
    if not host or address is None or address[1] == host:
        return words
    return f'connection to server at "{host}" ({address[1]}){words[address.end() :]}'


def _host(conninfo: str) -> str:
    """The host of a string; none for several, for a given address, and for a bad string."""
    try:
        options = {o.keyword: o.val for o in pq.Conninfo.parse(conninfo.encode()) if o.val}
    except psycopg.Error:
        return ""
    host = options.get(b"host", b"").decode()
    return "" if b"hostaddr" in options or "," in host else host
