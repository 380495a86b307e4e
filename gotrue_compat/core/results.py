"""Results of flows; views turn these into answers."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values.errors import Problem
from gotrue_compat.model.current import CurrentUser
from gotrue_compat.model.user import User
from gotrue_compat.rules.passwords import Weakness

CACHED = (("Cache-Control", "public, max-age=600"),)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session was opened or refreshed; `expires_at` in Unix seconds, `expires_in` in seconds.

    `is_rotated` where a refresh token was exchanged for the next one, `is_upgraded` where that one
    is of version 2 for the first time; `reuse` says why an earlier one was taken. Headers name user
    and session (`is_named`) unless the session was there before, raised by a second factor.
    """

    access_token: str
    expires_in: int
    expires_at: int
    refresh_token: str
    shown: User | CurrentUser
    session_id: str
    counter: int | None = None
    is_rotated: bool = False
    is_upgraded: bool = False
    reuse: str = ""
    is_named: bool = True
    provider_token: str = ""
    provider_refresh_token: str = ""

    @property
    def user(self) -> User:
        """The user who is shown."""
        return self.shown.user if isinstance(self.shown, CurrentUser) else self.shown


@dataclass(frozen=True, slots=True)
class PasswordSignedIn:
    """A password opened a session; the password may be weak by today's rules."""

    signed_in: SignedIn
    weakness: Weakness | None


@dataclass(frozen=True, slots=True)
class ConfirmationSent:
    """A user who must confirm first; also the decoy for an existing one."""

    user: User


@dataclass(frozen=True, slots=True)
class Sent:
    """Something was sent, or would have been: the answer is the same."""

    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class HalfConfirmed:
    """The first of two confirmations of a change of address was accepted."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect, with the session that its URL carries, if any.

    `problem` is in the body too.
    """

    url: str
    status: int = 303
    signed_in: SignedIn | None = None
    problem: Problem | None = None
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Json:
    """A JSON answer of the flow's own shape; headers name its session, if any."""

    value: object
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    signed_in: SignedIn | None = None
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Xml:
    """An XML document, cacheable for ten minutes; a file of `file_name`, where it has one."""

    text: str
    file_name: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """Success without content."""
