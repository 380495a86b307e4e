"""Second factors, WebAuthn and passkeys (auth reference 8)."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values import setting_kinds as kinds
from compat_base.values.setting_kinds import Read
from compat_base.values.setting_rows import read_rows, setting
from compat_base.values.settings import Reader
from gotrue_compat.settings.addresses import message_template, otp_length

_SHORTEST_LIFE = 300  # of a challenge and of a factor that is not verified, in seconds


def _factor(*, default: bool) -> Read[FactorKind]:
    """Reads `<variable>_ENROLL_ENABLED` and `<variable>_VERIFY_ENABLED`."""
    return lambda reader, name: FactorKind(
        reader.boolean(f"{name}_ENROLL_ENABLED", default=default),
        reader.boolean(f"{name}_VERIFY_ENABLED", default=default),
    )


def _whole(reader: Reader, name: str) -> int:
    return int(reader.number(name, 10))


def _challenge_seconds(reader: Reader, name: str) -> float:
    return max(reader.number(name, _SHORTEST_LIFE), _SHORTEST_LIFE)


def _factor_seconds(reader: Reader, name: str) -> float:
    return max(reader.seconds(name, _SHORTEST_LIFE), _SHORTEST_LIFE)


@dataclass(frozen=True, slots=True)
class FactorKind:
    """Whether factors of a kind may be enrolled and verified."""

    enroll: bool
    verify: bool


@dataclass(frozen=True, slots=True)
class MfaSettings:
    """Limits of second factors; times in seconds."""

    totp: FactorKind = setting("MFA_TOTP", _factor(default=True))
    phone: FactorKind = setting("MFA_PHONE", _factor(default=False))
    webauthn: FactorKind = setting("MFA_WEB_AUTHN", _factor(default=False))
    challenge_seconds: float = setting("MFA_CHALLENGE_EXPIRY_DURATION", _challenge_seconds)
    factor_seconds: float = setting("MFA_FACTOR_EXPIRY_DURATION", _factor_seconds)
    max_enrolled: int = setting("MFA_MAX_ENROLLED_FACTORS", _whole)
    max_verified: int = setting("MFA_MAX_VERIFIED_FACTORS", kinds.integer(10))
    phone_otp_length: int = setting("MFA_PHONE_OTP_LENGTH", otp_length)
    phone_gap_seconds: float = setting(
        "MFA_PHONE_MAX_FREQUENCY", kinds.nonzero(kinds.seconds(60), 60)
    )
    phone_template: str = setting("MFA_PHONE_TEMPLATE", message_template)


@dataclass(frozen=True, slots=True)
class WebAuthnSettings:
    """The relying party of passkeys and security keys."""

    rp_id: str = setting("WEBAUTHN_RP_ID", kinds.text())
    rp_name: str = setting("WEBAUTHN_RP_DISPLAY_NAME", kinds.text())
    origins: tuple[str, ...] = setting("WEBAUTHN_RP_ORIGINS", kinds.words())
    challenge_seconds: float = setting("WEBAUTHN_CHALLENGE_EXPIRY_DURATION", kinds.seconds(300))
    passkeys: bool = setting("PASSKEY_ENABLED", kinds.boolean(default=False))
    max_passkeys: int = setting("PASSKEY_MAX_PASSKEYS_PER_USER", kinds.integer(10))


def read_webauthn(reader: Reader) -> WebAuthnSettings:
    """Read GOTRUE_WEBAUTHN_* and GOTRUE_PASSKEY_*."""
    settings = read_rows(WebAuthnSettings, reader)
    if settings.passkeys and not (settings.rp_id and settings.rp_name and settings.origins):
        reader.problem(
            "GOTRUE_WEBAUTHN_RP_ID, _RP_DISPLAY_NAME and _RP_ORIGINS must be set for passkeys"
        )
    return settings
