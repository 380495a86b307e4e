"""Every limit with its variable and default: GOTRUE_RATE_LIMIT_* (auth reference 10; docs/limits).

A value is `n`, over the limit's own time, or `n/duration`, or `off`. 0 forbids everything, but for
limits with a burst of their own, which passes first, as with the original. The original's limits
have its defaults; limits that it does not have are off until they are set, which `compat_stack`
does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_rows import section, setting
from compat_base.values.settings import Reader, duration_seconds
from gotrue_compat.ports import Rate

SHARED_CONNECTIONS = 3  # to the database that counts; each is held for one statement
_FIVE_MINUTES, _HOUR = 300.0, 3600.0
_BURST = 30.0


def _header(reader: Reader, name: str) -> str:
    return reader.text(name).lower()


def _read_rates(reader: Reader) -> Mapping[str, Rate | None]:
    return {name: _rate(reader, limit) for name, limit in LIMITS.items()}


def _rate(reader: Reader, limit: Limit) -> Rate | None:
    inherited = reader.text(limit.like) if limit.like else ""
    text = reader.text(limit.variable, inherited or limit.default).strip()
    try:
        return rate_from(text, limit)
    except ValueError:
        wanted = "a number of at least 0, number/duration such as 30/5m, or off"
        reader.problem(f"GOTRUE_{limit.variable} must be {wanted}")
        return None


@dataclass(frozen=True, slots=True)
class Limit:
    """A variable, its default, and the seconds and burst that a bare number stands for.

    Without a burst of its own the number is the burst; `like` names the variable whose text counts
    where this one is not set. Of a `shared` limit all routes have one budget, else each its own.
    Where it `refills_singly`, `n/duration` is a burst of n that regains one event a duration, as
    with the original, else all n of them.
    """

    variable: str
    default: str
    seconds: float = _FIVE_MINUTES
    burst: float | None = None
    like: str = ""
    shared: bool = False
    refills_singly: bool = False


LIMITS: Mapping[str, Limit] = {
    "otp": Limit("RATE_LIMIT_OTP", "30", burst=_BURST),
    "sign_up": Limit("RATE_LIMIT_SIGN_UP", "30", burst=_BURST, like="RATE_LIMIT_OTP"),
    "token": Limit("RATE_LIMIT_TOKEN_REFRESH", "150", burst=_BURST),
    "verify": Limit("RATE_LIMIT_VERIFY", "30", burst=_BURST, shared=True),
    "sso": Limit("RATE_LIMIT_SSO", "30", burst=_BURST),
    "web3": Limit("RATE_LIMIT_WEB3", "30", burst=_BURST),
    "passkey": Limit("RATE_LIMIT_PASSKEY", "30", burst=_BURST),
    "register": Limit("RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER", "10", burst=_BURST),
    "assertion": Limit("SAML_RATE_LIMIT_ASSERTION", "15", burst=_BURST),
    "anonymous": Limit("RATE_LIMIT_ANONYMOUS_USERS", "30", _HOUR),
    "factor": Limit("MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY", "15", 60.0, _BURST),
    "email": Limit("RATE_LIMIT_EMAIL_SENT", "30", _HOUR, refills_singly=True),
    "sms": Limit("RATE_LIMIT_SMS_SENT", "30", _HOUR, refills_singly=True),
    "authorize": Limit("RATE_LIMIT_AUTHORIZE", "off", shared=True),
    "callback": Limit("RATE_LIMIT_CALLBACK", "off", shared=True),
    "metadata": Limit("SAML_RATE_LIMIT_METADATA", "off"),
    "send": Limit("RATE_LIMIT_SEND", "off", shared=True),
    "passkey_verify": Limit("RATE_LIMIT_PASSKEY_VERIFY", "off", shared=True),
    "oauth_token": Limit("RATE_LIMIT_OAUTH_TOKEN", "off", shared=True),
    "wrong": Limit("RATE_LIMIT_WRONG_CREDENTIALS", "off"),
    "wrong_password": Limit("RATE_LIMIT_WRONG_PASSWORD", "off"),
    "wrong_password_account": Limit("RATE_LIMIT_WRONG_PASSWORD_ACCOUNT", "off"),
    "wrong_factor": Limit("RATE_LIMIT_WRONG_FACTOR_CODE", "off"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """The header that names the caller, the rates by name (None is off), and where they are kept.

    `code_tries` wrong tries end a one-time code, 0 never does; `hash_queue` requests may wait for a
    thread that hashes, `hash_queue_each` of one caller, for `hash_queue_seconds`; `keys` buckets
    are kept in memory.
    """

    header: str = setting("RATE_LIMIT_HEADER", _header)
    rates: Mapping[str, Rate | None] = section(_read_rates)
    code_tries: int = setting("RATE_LIMIT_CODE_TRIES", kinds.integer(10, minimum=0))
    hash_queue: int = setting("RATE_LIMIT_HASH_QUEUE", kinds.integer(128, minimum=1))
    hash_queue_each: int = setting("RATE_LIMIT_HASH_QUEUE_CALLER", kinds.integer(32, minimum=1))
    hash_queue_seconds: float = setting("RATE_LIMIT_HASH_QUEUE_WAIT", kinds.seconds(5))
    store: str = setting("RATE_LIMIT_STORE", kinds.choice("memory", "database"))
    keys: int = setting("RATE_LIMIT_KEYS", kinds.integer(100_000, minimum=1))

    @property
    def connections(self) -> int:
        """How many connections counting has beside the service's pool; none in memory."""
        return SHARED_CONNECTIONS if self.store == "database" else 0


def rate_from(text: str, limit: Limit) -> Rate | None:
    """Read a value of a limit, None for `off`; ValueError where it cannot be read."""
    if text == "off":
        return None
    count, slash, period = text.partition("/")
    events = float(count)
    seconds = duration_seconds(period) if slash else limit.seconds
    if slash and limit.refills_singly:
        seconds *= max(events, 1.0)
    if not (0 <= events < float("inf") and 0 < seconds < float("inf")):
        raise ValueError(text)
    if slash or limit.burst is None:
        return Rate(events, seconds, max(events, 1.0))
    return Rate(events, seconds, limit.burst) if events else Rate(1, _HOUR, limit.burst)
