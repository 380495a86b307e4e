"""Who gets in: sign-up, passwords, refresh tokens, sessions, captcha (auth reference 14)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from compat_base.values.settings import Reader, Secret

_SHORTEST_PASSWORD = 6  # never below, whatever the variable says (auth reference 6)
_HIBP_AGENT = "gotrue-compat"


@dataclass(frozen=True, slots=True)
class EmailSettings:
    """Signing up and in by e-mail."""

    enabled: bool
    magic_link: bool
    authorized: tuple[str, ...]
    identity_with_password: bool


@dataclass(frozen=True, slots=True)
class PasswordSettings:
    """What a password must have; `required` are sets of which one character each is needed."""

    min_length: int
    required: tuple[str, ...]
    hibp: bool
    hibp_fail_closed: bool
    hibp_url: str
    hibp_agent: str
    hibp_kept: int = 0


@dataclass(frozen=True, slots=True)
class EncryptionSettings:
    """AES-GCM for password hashes and TOTP secrets at rest; keys are base64url of 32 bytes."""

    enabled: bool
    key_id: str
    key: Secret
    decryption: Mapping[str, Secret]


@dataclass(frozen=True, slots=True)
class SecuritySettings:
    """Refresh tokens, linking, reauthentication; `reuse_seconds` after a token's revocation."""

    rotation: bool
    reuse_seconds: float
    algorithm: int
    upgrade_percentage: int
    allow_reuse: bool
    manual_linking: bool
    reauthentication: bool
    current_password: bool
    sb_forwarded_for: bool
    encryption: EncryptionSettings


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Limits of sessions in seconds, checked at refresh (auth reference 5.8)."""

    timebox: float | None
    inactivity: float | None
    low_aal: float | None
    single_per_user: bool
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaptchaSettings:
    """Which service judges captcha answers; `url` replaces the provider's own (tests)."""

    enabled: bool
    provider: str
    secret: Secret
    seconds: float
    url: str


def read_email(reader: Reader) -> EmailSettings:
    """Read GOTRUE_EXTERNAL_EMAIL_*."""
    return EmailSettings(
        enabled=reader.boolean("EXTERNAL_EMAIL_ENABLED", default=True),
        magic_link=reader.boolean("EXTERNAL_EMAIL_MAGIC_LINK_ENABLED", default=True),
        authorized=tuple(
            address.lower() for address in reader.words("EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES")
        ),
        identity_with_password=reader.boolean(
            "EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED", default=False
        ),
    )


def read_password(reader: Reader) -> PasswordSettings:
    """Read GOTRUE_PASSWORD_*."""
    return PasswordSettings(
        min_length=max(
            reader.integer("PASSWORD_MIN_LENGTH", _SHORTEST_PASSWORD), _SHORTEST_PASSWORD
        ),
        required=character_sets(reader.text("PASSWORD_REQUIRED_CHARACTERS")),
        hibp=reader.boolean("PASSWORD_HIBP_ENABLED", default=False),
        hibp_fail_closed=reader.boolean("PASSWORD_HIBP_FAIL_CLOSED", default=False),
        hibp_url=reader.text("PASSWORD_HIBP_URL", "https://api.pwnedpasswords.com/range/"),
        hibp_agent=reader.text("PASSWORD_HIBP_USER_AGENT", _HIBP_AGENT),
        hibp_kept=(
            reader.integer("PASSWORD_HIBP_BLOOM_ITEMS", 100_000)
            if reader.boolean("PASSWORD_HIBP_BLOOM_ENABLED", default=False)
            else 0
        ),
    )


def character_sets(text: str) -> tuple[str, ...]:
    r"""Split sets at `:`, where `\:` is a colon itself."""
    parts = re.split(r"(?<!\\):", text)
    return tuple(part.replace("\\:", ":") for part in parts if part)


def read_security(reader: Reader) -> SecuritySettings:
    """Read GOTRUE_SECURITY_*."""
    return SecuritySettings(
        rotation=reader.boolean("SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", default=True),
        reuse_seconds=reader.seconds("SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", 0),
        algorithm=reader.integer("SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", 0),
        upgrade_percentage=reader.integer("SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE", 0),
        allow_reuse=reader.boolean("SECURITY_REFRESH_TOKEN_ALLOW_REUSE", default=False),
        manual_linking=reader.boolean("SECURITY_MANUAL_LINKING_ENABLED", default=False),
        reauthentication=reader.boolean(
            "SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION", default=False
        ),
        current_password=reader.boolean(
            "SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD", default=False
        ),
        sb_forwarded_for=reader.boolean("SECURITY_SB_FORWARDED_FOR_ENABLED", default=False),
        encryption=_read_encryption(reader),
    )


def _read_encryption(reader: Reader) -> EncryptionSettings:
    prefix = "SECURITY_DB_ENCRYPTION_"
    pairs = (part.partition(":") for part in reader.words(prefix + "DECRYPTION_KEYS"))
    settings = EncryptionSettings(
        enabled=reader.boolean(prefix + "ENCRYPT", default=False),
        key_id=reader.text(prefix + "ENCRYPTION_KEY_ID"),
        key=reader.secret(prefix + "ENCRYPTION_KEY"),
        decryption={key: Secret(value) for key, _, value in pairs},
    )
    if settings.enabled and not (settings.key_id and settings.key):
        reader.problem(f"GOTRUE_{prefix}ENCRYPTION_KEY_ID and _ENCRYPTION_KEY must be set")
    return settings


def read_sessions(reader: Reader) -> SessionSettings:
    """Read GOTRUE_SESSIONS_*."""
    return SessionSettings(
        timebox=_limit(reader, "SESSIONS_TIMEBOX"),
        inactivity=_limit(reader, "SESSIONS_INACTIVITY_TIMEOUT"),
        low_aal=_limit(reader, "SESSIONS_ALLOW_LOW_AAL"),
        single_per_user=reader.boolean("SESSIONS_SINGLE_PER_USER", default=False),
        tags=reader.words("SESSIONS_TAGS"),
    )


def _limit(reader: Reader, name: str) -> float | None:
    seconds = reader.seconds(name, 0)
    return seconds or None


def read_captcha(reader: Reader) -> CaptchaSettings:
    """Read GOTRUE_SECURITY_CAPTCHA_*."""
    prefix = "SECURITY_CAPTCHA_"
    return CaptchaSettings(
        enabled=reader.boolean(prefix + "ENABLED", default=False),
        provider=reader.choice(prefix + "PROVIDER", "hcaptcha", ("hcaptcha", "turnstile")),
        secret=reader.secret(prefix + "SECRET"),
        seconds=reader.seconds(prefix + "TIMEOUT", 10),
        url=reader.text(prefix + "URL"),
    )
