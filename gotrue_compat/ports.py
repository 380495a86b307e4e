"""Protocols of the adapters, and the values they exchange."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol, TypeVar

from compat_base.postgres.database import Connection

T = TypeVar("T")


class DeliveryError(Exception):
    """A mail or message could not be handed over; the text is the transport's."""


class UnreachableError(Exception):
    """An HTTP server gave no usable answer."""


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail, whole; `kind` is the template's name, `text` what programs without HTML show."""

    recipient: str
    subject: str
    html: str
    kind: str
    headers: tuple[tuple[str, str], ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class SmsMessage:
    """One text message; `otp` for providers that make their own text."""

    phone: str
    text: str
    channel: str
    otp: str


@dataclass(frozen=True, slots=True)
class HttpCall:
    """One outgoing request; `limit` is the largest answer in bytes."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    seconds: float = 10.0
    limit: int = 1_000_000


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One answer, whole; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Mailer(Protocol):
    """Sends mail."""

    async def send(self, mail: Mail) -> None:
        """Hand a mail over; DeliveryError where it is not taken."""
        ...


class SmsSender(Protocol):
    """Sends text messages."""

    async def send(self, message: SmsMessage) -> str:
        """Send, and give the provider's message id; DeliveryError where it is not taken."""
        ...

    async def verify(self, phone: str, code: str) -> bool | None:
        """Whether the provider, which made the code itself, accepts it; None where it did not."""
        ...


class HttpPort(Protocol):
    """Calls other servers."""

    async def send(self, call: HttpCall) -> HttpAnswer:
        """The answer; UnreachableError without one in time."""
        ...


class Hasher(Protocol):
    """Hashes passwords away from the event loop, with fair queueing by caller; "" counts as one.

    ApiError at once where too many wait: 429 where they are the caller's own, else 503.
    """

    async def hash(self, password: str, caller: str) -> str:
        """A bcrypt hash."""
        ...

    async def verify(self, password: str, stored: str, caller: str) -> bool:
        """Whether the password belongs to the stored hash; no hash costs as much time."""
        ...


class LongWork(Protocol):
    """Does long work away from the event loop, with fair queueing by caller.

    ApiError at once where too many wait: 429 where they are the caller's own, else 503.
    """

    async def run(self, caller: str, work: Callable[[], T]) -> T:
        """The result of the work."""
        ...


class HookPoint(Enum):
    """The points at which a deployment may run its own code, as payloads name them."""

    CUSTOM_ACCESS_TOKEN = "customize-access-token"  # noqa: S105 — a name
    SEND_EMAIL = "send-email"
    SEND_SMS = "send-sms"
    MFA_VERIFICATION_ATTEMPT = "mfa-verification"
    PASSWORD_VERIFICATION_ATTEMPT = "password-verification"  # noqa: S105 — a name
    BEFORE_USER_CREATED = "before-user-created"
    AFTER_USER_CREATED = "after-user-created"


class Hooks(Protocol):
    """Runs a deployment's own code."""

    def has(self, point: HookPoint) -> bool:
        """Whether there is a hook at the point."""
        ...

    async def run(
        self, point: HookPoint, payload: Mapping[str, Any], connection: Connection | None
    ) -> dict[str, Any]:
        """The hook's answer; its errors and failures are ApiErrors."""
        ...


class Captcha(Protocol):
    """Verifies captcha tokens."""

    async def check(self, token: str, ip: str) -> None:
        """Pass, or raise ApiError."""
        ...


class LeakedPasswords(Protocol):
    """Knows passwords that have leaked."""

    async def is_known(self, password: str) -> bool:
        """Whether the password is among them."""
        ...


@dataclass(frozen=True, slots=True)
class ExpectedClaims:
    """What an id token must say; no audiences means the caller checks them."""

    issuer: str
    audiences: tuple[str, ...] = ()
    check_issuer: bool = True


class ProviderError(Exception):
    """An identity provider did not answer as it should; the text is for the log."""


class IdTokens(Protocol):
    """Verifies id tokens of issuers that publish a discovery document."""

    async def metadata(self, issuer: str, url: str = "", *, fresh: bool = False) -> dict[str, Any]:
        """An issuer's discovery document; `url` where it is not at the usual place."""
        ...

    async def verify(
        self, token: str, expected: ExpectedClaims, jwks_uri: str = ""
    ) -> dict[str, Any]:
        """The claims of a token; ProviderError where it is not what was expected."""
        ...


class Templates(Protocol):
    """Gives the templates that replace the built-in ones."""

    async def find(self, kind: str) -> str | None:
        """The template of a mail kind, None to use the built-in one."""
        ...


@dataclass(frozen=True, slots=True)
class Rate:
    """So many events over so many seconds, in bursts up to `burst`."""

    events: float
    seconds: float
    burst: float

    @property
    def step(self) -> float:
        """Seconds in which the bucket regains one event."""
        return self.seconds / self.events


class Buckets(Protocol):
    """Counts events under keys of 16 bytes, for this process or for every node."""

    async def take(self, key: bytes, rate: Rate) -> float:
        """Take one event and give 0, or take none and give the seconds until there is one."""
        ...

    async def give_back(self, key: bytes, rate: Rate) -> None:
        """Give one event back."""
        ...

    async def sweep(self) -> None:
        """Forget buckets that are full again."""
        ...
