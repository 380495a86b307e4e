"""Requests whose token names an unknown key of the other issuer wait for a fetch of its keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from compat_base.values import jwt

_BEARER = b"bearer "


class IssuerKeys:
    """An application before which the keys of requests' tokens are looked up.

    A socket's token comes in its frames, which the service of live changes reads.
    """

    def __init__(self, app: ASGIApp, look_up: Callable[[jwt.Unpacked], Awaitable[None]]) -> None:
        self._app = app
        self._look_up = look_up

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one scope."""
        unpacked = _token(scope) if scope["type"] == "http" else None
        if unpacked is not None:
            await self._look_up(unpacked)
        await self._app(scope, receive, send)


def _token(scope: Scope) -> jwt.Unpacked | None:
    """The token of the Authorization header; None where there is none."""
    for name, value in scope["headers"]:
        if name == b"authorization" and value[: len(_BEARER)].lower() == _BEARER:
            try:
                return jwt.unpack(value[len(_BEARER) :].strip().decode("latin-1"))
            except jwt.TokenError:
                return None
    return None
