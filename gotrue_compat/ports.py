"""What flows need from the world, and the record that hands it to them.

Protocols are what adapters implement; `Deps` is one service's set of them; `Visit` is what one
request brings along besides its body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from compat_base.keyed_lock import KeyedLock
from compat_base.postgres.database import Connection, Database
from compat_base.values.events import Observer
from compat_base.values.world import World
from gotrue_compat.model.session import Session
from gotrue_compat.model.user import User
from gotrue_compat.settings import Settings
from gotrue_compat.settings.hooks import HookPoint
from gotrue_compat.settings.limits import Rate


class DeliveryError(Exception):
    """A mail or message could not be handed over; the text is the transport's."""


class UnreachableError(Exception):
    """An HTTP server gave no usable answer."""


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail, whole; `kind` is the template's name."""

    recipient: str
    subject: str
    html: str
    kind: str
    headers: tuple[tuple[str, str], ...] = ()


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
    """Hashes passwords away from the event loop; callers take turns, "" is one of them.

    ApiError at once where too many wait: 429 where they are the caller's own, else 503.
    """

    async def hash(self, password: str, caller: str) -> str:
        """A bcrypt hash at cost 10."""
        ...

    async def verify(self, password: str, stored: str, caller: str) -> bool:
        """Whether the password belongs to the stored hash; no hash costs as much time."""
        ...


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
    """Judges captcha answers."""

    async def check(self, token: str, ip: str) -> None:
        """Pass, or raise ApiError."""
        ...


class LeakedPasswords(Protocol):
    """Knows passwords that have leaked."""

    async def is_known(self, password: str) -> bool:
        """Whether the password is among them."""
        ...


@dataclass(frozen=True, slots=True)
class Expected:
    """What an id token must say; no audiences means the caller checks them."""

    issuer: str
    audiences: tuple[str, ...] = ()
    check_issuer: bool = True


class ProviderError(Exception):
    """An identity provider did not answer as it should; the text is for the log."""


class IdTokens(Protocol):
    """Verifies id tokens of issuers that publish a discovery document."""

    async def metadata(self, issuer: str, url: str = "") -> dict[str, Any]:
        """An issuer's discovery document; `url` where it is not at the usual place."""
        ...

    async def verify(self, token: str, expected: Expected, jwks_uri: str = "") -> dict[str, Any]:
        """The claims of a token; ProviderError where it is not what was expected."""
        ...


class Templates(Protocol):
    """Gives the templates that replace the built-in ones."""

    async def find(self, kind: str) -> str | None:
        """The template of a mail kind, None to use the built-in one."""
        ...


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


@dataclass(frozen=True, slots=True)
class Deps:
    """Everything a flow may use besides its request; `sms` None where no provider is set.

    `http` is for the operator's addresses; `guarded_http` and `guarded_id_tokens`, which connect
    to public addresses only, are for those that the API's callers set.
    """

    settings: Settings
    world: World
    observer: Observer
    database: Database
    mailer: Mailer
    sms: SmsSender | None
    http: HttpPort
    guarded_http: HttpPort
    hasher: Hasher
    hooks: Hooks
    captcha: Captcha
    leaked: LeakedPasswords
    templates: Templates
    id_tokens: IdTokens
    guarded_id_tokens: IdTokens
    buckets: Buckets
    turns: KeyedLock


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, by a token that was verified; admin tokens may have no user."""

    claims: Mapping[str, Any]
    user: User | None = None
    session: Session | None = None
    is_admin: bool = False


class Asked(Protocol):
    """What one request says beside its body, worked out when it is asked for."""

    @property
    def path(self) -> str:
        """The path that was called."""
        ...

    @property
    def query(self) -> str:
        """The raw query."""
        ...

    @property
    def user_agent(self) -> str:
        """What the client calls itself."""
        ...

    @property
    def ip(self) -> str:
        """The client's address, "" where it is not known."""
        ...

    @property
    def caller(self) -> str:
        """What limits know the caller by, "" where nothing names one."""
        ...

    @property
    def redirect(self) -> str:
        """Where the browser is to return to."""
        ...

    @property
    def external_url(self) -> str:
        """The service's own address."""
        ...

    @property
    def language(self) -> str:
        """The language of mails."""
        ...


@dataclass(frozen=True, slots=True)
class Visit:
    """One request beside its body: when, for whom, from where, and by whom."""

    now: datetime
    aud: str
    asked: Asked
    caller: Caller | None = None

    @property
    def ip(self) -> str:
        """The client's address, "" where it is not known."""
        return self.asked.ip

    @property
    def limited_as(self) -> str:
        """What limits know the caller by, "" where nothing names one."""
        return self.asked.caller

    @property
    def user_agent(self) -> str:
        """What the client calls itself."""
        return self.asked.user_agent

    @property
    def redirect(self) -> str:
        """Where the browser is to return to."""
        return self.asked.redirect

    @property
    def external_url(self) -> str:
        """The service's own address."""
        return self.asked.external_url

    @property
    def language(self) -> str:
        """The language of mails."""
        return self.asked.language

    @property
    def path(self) -> str:
        """The path that was called."""
        return self.asked.path

    @property
    def query(self) -> str:
        """The raw query."""
        return self.asked.query

    @property
    def user(self) -> User:
        """The user whose token was sent; only calls guarded for users may ask."""
        if self.caller is None or self.caller.user is None:
            raise LookupError("this call has no user")
        return self.caller.user

    @property
    def session(self) -> Session | None:
        """The session of the user's token."""
        return self.caller.session if self.caller else None
