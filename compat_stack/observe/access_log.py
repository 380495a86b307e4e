"""The access log: one JSON line a request, without anything that a client keeps secret.

Of a query only the names are written, of headers and bodies nothing; role and subject are those of
a bearer token with a good signature, unless the response refuses it.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any, TextIO

from compat_base.values import jsontext
from compat_base.values.events import Observation, Observer
from compat_base.values.jwt import Key, TokenError, check_signature, unpack

_QUEUED = 10_000  # lines waiting to be written; more are dropped
_PATH_LENGTH, _NAMES, _NAME_LENGTH = 1000, 30, 40  # characters, names, characters
_ADDRESSES = ("target", "referer")  # facts of an observation
_METHOD_LENGTH = 40  # characters; a client may send any word
_TOKEN_LENGTH = 8192  # bytes
_TOKENS = 500  # whose subjects are cached
_UNAUTHORIZED = 401
_NAME = re.compile(r"[A-Za-z_][\w.\-:>*\[\]]*", re.ASCII)
_CLOSING_SECONDS = 1.0


class AccessLog:
    """Writes lines in a thread of its own: a blocked reader never stops the services."""

    def __init__(self, stream: TextIO) -> None:
        self.dropped = 0
        self._stream = stream
        self._lines: queue.Queue[str | None] = queue.Queue(_QUEUED)
        self._thread = threading.Thread(target=self._write, name="access-log", daemon=True)
        self._thread.start()

    def write(self, fields: Mapping[str, Any]) -> None:
        """Queue one line; it is counted as dropped where 10,000 wait already."""
        try:
            self._lines.put_nowait(jsontext.encode_line(dict(fields)))
        except queue.Full:
            self.dropped += 1

    def close(self) -> None:
        """Write what waits, for at most a second."""
        try:
            self._lines.put(None, timeout=_CLOSING_SECONDS)
        except queue.Full:
            return
        self._thread.join(_CLOSING_SECONDS)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                self._stream.write(f"{line}\n")
                self._stream.flush()
            except (OSError, ValueError):  # nobody reads any more
                self.dropped += 1


def line_of(
    scope: Mapping[str, Any], moment: datetime, *, request_id: bytes, service: str, client: str
) -> dict[str, Any]:
    """The fields known from a request's head."""
    return {
        "time": moment.isoformat(timespec="milliseconds"),
        "request_id": request_id.decode(),
        "client": client,
        "service": service,
        "method": scope.get("method", "GET")[:_METHOD_LENGTH],
        "path": scope["path"][:_PATH_LENGTH],
        "query": query_names(scope["query_string"]),
    }


def query_names(query: bytes) -> list[str]:
    """The names of a query's parameters; odd ones are left out, as they may be secrets."""
    pairs = query.decode("latin-1").split("&", _NAMES)[:_NAMES] if query else []
    names = [name for name, given, _ in (pair.partition("=") for pair in pairs) if given]
    return [name if len(name) <= _NAME_LENGTH and _NAME.fullmatch(name) else "?" for name in names]


def without_query_values(observer: Observer) -> Observer:
    """An observer that gets requests' targets and referrers without the values of their queries."""

    def observe(observation: Observation) -> None:
        addresses = {
            name: _without_values(text)
            for name in _ADDRESSES
            if isinstance(text := observation.facts.get(name), str) and "?" in text
        }
        if addresses:
            observation = replace(observation, facts={**observation.facts, **addresses})
        observer(observation)

    return observe


def _without_values(address: str) -> str:
    path, _, query = address.partition("?")
    return f"{path}?{'&'.join(query_names(query.encode()))}"


class Subjects:
    """Role and subject of bearer tokens with a good signature; others may be forged."""

    def __init__(self, signers: Callable[[], Iterable[Key]]) -> None:
        self._signers = signers
        self._named = lru_cache(maxsize=_TOKENS)(self._named_by)

    def of(self, headers: Iterable[tuple[bytes, bytes]], status: int) -> Mapping[str, str]:
        """Role and subject of a request's token, unless the response refuses it."""
        if status == _UNAUTHORIZED:
            return {}
        bearer = next((value for name, value in headers if name == b"authorization"), b"")
        token = bearer.partition(b" ")[2].strip()
        if token.count(b".") != 2 or len(token) > _TOKEN_LENGTH:  # noqa: PLR2004 — the parts of a JWT
            return {}
        return self._named(token)

    def _named_by(self, token: bytes) -> Mapping[str, str]:
        try:
            unpacked = unpack(token.decode("latin-1"))
            check_signature(unpacked, self._signers())
            claims = unpacked.claims()
        except TokenError:
            return {}
        found = {name: claims.get(name) for name in ("role", "sub")}
        return {name: value[:64] for name, value in found.items() if isinstance(value, str)}
