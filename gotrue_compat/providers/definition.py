"""What an identity provider is: addresses, scopes, and how its profile becomes an identity."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from compat_base.values.settings import Secret
from gotrue_compat.model.external_identity import ExternalEmail, ExternalIdentity
from gotrue_compat.ports import IdTokens
from gotrue_compat.providers.transport import Api


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """One external provider; the first client id signs in, the others are accepted audiences."""

    enabled: bool = False
    client_ids: tuple[str, ...] = ()
    secret: Secret = Secret("")  # noqa: RUF009 — immutable
    redirect_uri: str = ""
    url: str = ""
    api_url: str = ""
    email_optional: bool = False
    skip_nonce_check: bool = False


@dataclass(frozen=True, slots=True)
class TokenResponse:
    """A provider's token answer; `answer` is the whole of it."""

    access_token: str
    refresh_token: str
    id_token: str
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Access:
    """What a profile reader may use: the grant, the API in its name, id tokens."""

    settings: ProviderSettings
    granted: TokenResponse
    api: Api
    id_tokens: IdTokens
    form: Mapping[str, str]

    @property
    def tells_nobody(self) -> bool:
        """Whether there is no id token, where a provider tells of its user in that alone."""
        return self.granted.answer.get("id_token") is None


NOBODY = ExternalIdentity("", (), {})
Reader = Callable[[Access], Awaitable[ExternalIdentity]]


@dataclass(frozen=True, slots=True)
class Definition:
    """One provider; `basic` sends client credentials as HTTP Basic, else in the form.

    The caller's scopes and further parameters are passed on where the provider takes them;
    where `replaces_scopes`, the caller's scopes stand in place of the provider's own.
    """

    authorize_url: str
    token_url: str
    scopes: tuple[str, ...]
    read: Reader
    basic: bool = True
    pkce: bool = False
    parameters: tuple[tuple[str, str], ...] = ()
    takes_scopes: bool = True
    takes_parameters: bool = True
    replaces_scopes: bool = False


def base(url: str, host: str) -> str:
    """The configured base address, else the provider's own."""
    return url or f"https://{host}"


def identity(
    subject: object, emails: tuple[ExternalEmail, ...], issuer: str, **claims: Any
) -> ExternalIdentity:
    """An identity whose data has the given claims, without the empty ones (auth reference 9.1).

    An empty object is kept: that of `custom_claims`, as the original has it.
    """
    sub = str(subject or "")
    data: dict[str, object] = {"iss": issuer, "sub": sub, **claims, "provider_id": sub}
    kept = {name: value for name, value in data.items() if value or value == {}}
    return ExternalIdentity(sub, emails, kept)


def named(name: object, picture: object = "") -> dict[str, Any]:
    """A name and a picture under the keys that clients know them by."""
    return {"name": name, "full_name": name, "picture": picture, "avatar_url": picture}


def only_email(address: object, *, verified: bool) -> tuple[ExternalEmail, ...]:
    """One primary address, none where it is empty."""
    return (ExternalEmail(str(address), verified, primary=True),) if address else ()
