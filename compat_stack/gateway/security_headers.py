"""Security headers of every page: no sniffing, frames, foreign readers or devices; HSTS."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_DEVICES = (
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid",
    "magnetometer", "microphone", "midi", "payment", "serial", "usb",
)  # fmt: skip
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", ", ".join(f"{device}=()" for device in _DEVICES).encode()),
)
_SECURE = (b"strict-transport-security", b"max-age=31536000")  # seconds: a year


class SecurityHeaders:
    """Adds the headers to every response of an application that serves browsers.

    `secure`: the public address is https, so browsers use nothing else (HSTS).
    """

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        self._app = app
        self._headers = (*_HEADERS, _SECURE) if secure else _HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one scope."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *self._headers]}
            await send(message)

        await self._app(scope, receive, send_with_headers)
