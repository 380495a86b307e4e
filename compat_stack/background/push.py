"""Messages of the Push API, for one browser alone.

Each is encrypted (RFC 8291), signed by this installation (RFC 8292), and handed to the browser's
push service (RFC 8030).
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

import http_ece
import httpx2
from cryptography.hazmat.primitives.asymmetric import ec
from http_ece import ECEException

from compat_base.egress import ForbiddenError
from compat_base.tasks import raise_if_cancelled
from compat_base.values import jsontext
from compat_base.values.jwt import sign
from compat_base.values.urls import Url, parse_url
from compat_base.values.world import World
from compat_stack.background.deliveries import Failed, Outcome, outcome_of, repeated
from compat_stack.keys.vapid import VapidKey

MOST_BYTES = 3072  # of a message; push services take 4096 with what encryption adds
_HOSTS = (
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    "web.push.apple.com",
)
_ENDINGS = (".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com")
_SECONDS = 30.0  # for the whole exchange
_LONGEST_LIFE = 86_400  # seconds that a push service keeps it for a browser that is off
_TOKEN_LIFE = timedelta(hours=12)
_TOPIC = 32  # characters that a topic may have

_encrypt = cast("Callable[..., bytes]", http_ece.encrypt)  # pyright: ignore[reportUnknownMemberType]

Client = Callable[[], Awaitable[httpx2.AsyncClient]]


@dataclass(frozen=True, slots=True)
class Message:
    """A message for one subscription; `tries` counts this one."""

    target: Mapping[str, str]
    content: object
    expires: datetime
    tries: int


@dataclass(frozen=True, slots=True)
class PushRequest:
    """The HTTP request to a push service."""

    url: str
    headers: Mapping[str, str]
    body: bytes


class UnsendableError(ValueError):
    """A message that no push service would accept; the text is a word for the log."""


def is_push_service(url: Url, hosts: frozenset[str]) -> bool:
    """Whether an endpoint is by https, and of a browser vendor's push service or of `hosts`."""
    name = url.host.rstrip(".").lower()
    known = name in _HOSTS or name.endswith(_ENDINGS) or name in hosts
    return url.scheme == "https" and not url.has_user and known


class PushSender:
    """Sends messages signed by the installation's VAPID key, to push services alone."""

    def __init__(
        self, client: Client, key: VapidKey, subject: str, hosts: frozenset[str], world: World
    ) -> None:
        self._client = client
        self._key = key
        self._subject = subject
        self._hosts = hosts
        self._world = world

    async def send(self, message: Message) -> Outcome:
        """Send a message once; a failure is an Outcome, not an exception."""
        try:
            request = self._request(message)
        except UnsendableError as error:
            return Failed(str(error))
        jitter = int.from_bytes(self._world.entropy.bytes(2)) / 65_535
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._post(request, message.tries, jitter)
        except ForbiddenError:
            return Failed("forbidden address")
        except TimeoutError:
            return repeated("timeout", message.tries, jitter)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise_if_cancelled()
            return repeated(type(error).__name__, message.tries, jitter)

    async def _post(self, request: PushRequest, tries: int, jitter: float) -> Outcome:
        client = await self._client()
        async with client.stream(
            "POST", request.url, headers=request.headers, content=request.body
        ) as answer:  # what it says is not read
            after = answer.headers.get("retry-after")
            return outcome_of(answer.status_code, after, tries, jitter, self._world.clock.now())

    def _request(self, message: Message) -> PushRequest:
        url = parse_url(message.target.get("endpoint", ""))
        if url is None or not is_push_service(url, self._hosts):
            raise UnsendableError("no push service")
        now = self._world.clock.now()
        life = min(_LONGEST_LIFE, max(0, int((message.expires - now).total_seconds())))
        headers = {
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": str(life),
            "urgency": "normal",
            "authorization": self._signed(url, now),
        }
        if topic := message.target.get("topic", "")[:_TOPIC]:
            headers["topic"] = topic
        return PushRequest(url.href, headers, encrypted(message))

    def _signed(self, url: Url, now: datetime) -> str:
        claims = {
            "aud": url.origin,
            "exp": int((now + _TOKEN_LIFE).timestamp()),
            "sub": self._subject,
        }
        return f"vapid t={sign(claims, self._key.private)}, k={self._key.public}"


def encrypted(message: Message) -> bytes:
    """A message's content, encrypted for its browser. Raises UnsendableError."""
    content = jsontext.encode_bytes(message.content)
    if len(content) > MOST_BYTES:
        raise UnsendableError("too large")
    try:
        return _encrypt(
            content,
            private_key=ec.generate_private_key(ec.SECP256R1()),
            dh=_bytes(message.target["p256dh"]),
            auth_secret=_bytes(message.target["auth"]),
        )
    except (ECEException, KeyError, ValueError) as error:
        raise UnsendableError("invalid keys of the subscription") from error


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
