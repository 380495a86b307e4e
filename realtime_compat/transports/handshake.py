"""The handshake of a socket: its token, protocol version and headers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from compat_base.values.errors import ApiError, Row
from compat_base.values.http import Headers
from realtime_compat import auth, errors
from realtime_compat.auth import Caller
from realtime_compat.protocol.codec import Codec
from realtime_compat.transports.addresses import address_of
from realtime_compat.transports.service import Service


@dataclass(frozen=True, slots=True)
class Handshake:
    """An accepted handshake; `headers` are those that policies may read."""

    caller: Caller
    codec: Codec
    headers: Headers
    address: str | None


def admit(
    headers: Headers, query: Mapping[str, list[str]], codec: Codec, service: Service
) -> Handshake:
    """Accept an upgrade, or raise ApiError; a gateway's `x-api-key` wins over the parameter."""
    named = dict(headers)
    given = named.get("x-api-key") or query.get("apikey", [""])[0]
    token = auth.clean_token(unquote(given))
    if not token:
        raise ApiError.of(errors.API_KEY_MISSING)
    now = service.world.clock.now().timestamp()
    try:
        caller = auth.verify(token, service.rules.keys, now)
    except ApiError as error:
        raise _without_seconds(error) from error
    service.rules.revoked.check(caller)
    if len(service.sockets) + service.sockets_elsewhere >= service.rules.limits.connections:
        raise ApiError.of(errors.TOO_MANY_USERS)
    if service.rules.rates.joins.is_reached(now):
        raise ApiError.of(errors.TOO_MANY_JOINS)
    address = address_of(named.get("x-forwarded-for"))
    service.addresses.admit(address, now)
    return Handshake(caller, codec, headers, address)


def _without_seconds(error: ApiError) -> ApiError:
    is_expired = error.problem.message.startswith(_words(errors.TOKEN_EXPIRED))
    return ApiError.of(errors.HANDSHAKE_TOKEN_EXPIRED) if is_expired else error


def _words(row: Row) -> str:
    return row.message.partition(" {")[0]
