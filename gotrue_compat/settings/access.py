"""Sign-up, passwords, refresh tokens, sessions, captcha (auth reference 14)."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass

from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_rows import read_rows, section, setting
from compat_base.values.settings import Reader, Secret

_ALGORITHMS = (0, 1, 2)
_WHOLE = 100
_KEY_BYTES = 32
_SHORTEST_PASSWORD = 6  # never below, whatever the variable says (auth reference 6)


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
    elif settings.enabled and settings.decryption.get(settings.key_id) != settings.key:
        reader.problem(f"GOTRUE_{prefix}DECRYPTION_KEYS must hold the key that encrypts too")
    for name, key in settings.decryption.items():
        if not _is_key(key):
            reader.problem(
                f"GOTRUE_{prefix}DECRYPTION_KEYS: '{name}' must be 32 bytes in base64url"
            )
    return settings


def _is_key(key: Secret) -> bool:
    text = key.reveal()
    try:
        return len(base64.urlsafe_b64decode(f"{text}==")) == _KEY_BYTES
    except ValueError:
        return False


def _limit(reader: Reader, name: str) -> float | None:
    if reader.optional(name) is None:
        return None
    seconds = reader.seconds(name, 0)
    if seconds <= 0:
        reader.problem(f"GOTRUE_{name} must be longer than nothing where it is set")
    return seconds


def _algorithm(reader: Reader, name: str) -> int:
    version = reader.integer(name, 0)
    if version not in _ALGORITHMS:
        reader.problem(f"GOTRUE_{name} must be 0, 1 or 2")
    return version


def _percentage(reader: Reader, name: str) -> int:
    percentage = reader.integer(name, 0)
    if not 0 <= percentage <= _WHOLE:
        reader.problem(f"GOTRUE_{name} must be from 0 to 100")
    return percentage


def _addresses(reader: Reader, name: str) -> tuple[str, ...]:
    return tuple(address.lower() for address in reader.words(name))


def _min_length(reader: Reader, name: str) -> int:
    return max(reader.integer(name, _SHORTEST_PASSWORD), _SHORTEST_PASSWORD)


def _character_sets(reader: Reader, name: str) -> tuple[str, ...]:
    return character_sets(reader.text(name))


def _bloom_items(reader: Reader, name: str) -> int:
    items = reader.integer(name, 100_000)
    return items if reader.boolean("PASSWORD_HIBP_BLOOM_ENABLED", default=False) else 0


@dataclass(frozen=True, slots=True)
class EmailSettings:
    """Signing up and in by e-mail."""

    enabled: bool = setting("EXTERNAL_EMAIL_ENABLED", kinds.boolean(default=True))
    magic_link: bool = setting("EXTERNAL_EMAIL_MAGIC_LINK_ENABLED", kinds.boolean(default=True))
    authorized: tuple[str, ...] = setting("EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES", _addresses)
    identity_with_password: bool = setting(
        "EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED", kinds.boolean(default=False)
    )


@dataclass(frozen=True, slots=True)
class PasswordSettings:
    """What a password must have; `required` are sets of which one character each is needed."""

    min_length: int = setting("PASSWORD_MIN_LENGTH", _min_length)
    required: tuple[str, ...] = setting("PASSWORD_REQUIRED_CHARACTERS", _character_sets)
    hibp: bool = setting("PASSWORD_HIBP_ENABLED", kinds.boolean(default=False))
    hibp_fail_closed: bool = setting("PASSWORD_HIBP_FAIL_CLOSED", kinds.boolean(default=False))
    hibp_url: str = setting(
        "PASSWORD_HIBP_URL", kinds.text("https://api.pwnedpasswords.com/range/")
    )
    hibp_agent: str = setting("PASSWORD_HIBP_USER_AGENT", kinds.text("gotrue-compat"))
    hibp_kept: int = setting("PASSWORD_HIBP_BLOOM_ITEMS", _bloom_items)


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

    rotation: bool = setting("SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", kinds.boolean(default=True))
    reuse_seconds: float = setting("SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", kinds.seconds(0))
    algorithm: int = setting("SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", _algorithm)
    upgrade_percentage: int = setting("SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE", _percentage)
    allow_reuse: bool = setting("SECURITY_REFRESH_TOKEN_ALLOW_REUSE", kinds.boolean(default=False))
    manual_linking: bool = setting("SECURITY_MANUAL_LINKING_ENABLED", kinds.boolean(default=False))
    reauthentication: bool = setting(
        "SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION", kinds.boolean(default=False)
    )
    current_password: bool = setting(
        "SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD", kinds.boolean(default=False)
    )
    sb_forwarded_for: bool = setting(
        "SECURITY_SB_FORWARDED_FOR_ENABLED", kinds.boolean(default=False)
    )
    encryption: EncryptionSettings = section(_read_encryption)


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Limits of sessions in seconds, checked at refresh (auth reference 5.8)."""

    timebox: float | None = setting("SESSIONS_TIMEBOX", _limit)
    inactivity: float | None = setting("SESSIONS_INACTIVITY_TIMEOUT", _limit)
    low_aal: float | None = setting("SESSIONS_ALLOW_LOW_AAL", _limit)
    single_per_user: bool = setting("SESSIONS_SINGLE_PER_USER", kinds.boolean(default=False))
    tags: tuple[str, ...] = setting("SESSIONS_TAGS", kinds.words())


@dataclass(frozen=True, slots=True)
class CaptchaSettings:
    """Which service judges captcha answers; `url` replaces the provider's own (tests)."""

    enabled: bool = setting("SECURITY_CAPTCHA_ENABLED", kinds.boolean(default=False))
    provider: str = setting("SECURITY_CAPTCHA_PROVIDER", kinds.choice("hcaptcha", "turnstile"))
    secret: Secret = setting("SECURITY_CAPTCHA_SECRET", kinds.secret)
    seconds: float = setting("SECURITY_CAPTCHA_TIMEOUT", kinds.seconds(10))
    url: str = setting("SECURITY_CAPTCHA_URL", kinds.text())


def read_captcha(reader: Reader) -> CaptchaSettings:
    """Read GOTRUE_SECURITY_CAPTCHA_*."""
    settings = read_rows(CaptchaSettings, reader)
    if settings.enabled and not settings.secret.reveal().strip():
        reader.problem("GOTRUE_SECURITY_CAPTCHA_SECRET must be set where captchas are asked for")
    return settings


def character_sets(text: str) -> tuple[str, ...]:
    r"""Split sets at `:`, where `\:` is a colon itself."""
    parts = re.split(r"(?<!\\):", text)
    return tuple(part.replace("\\:", ":") for part in parts if part)
