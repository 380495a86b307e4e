"""Second factors, WebAuthn and passkeys (auth reference 8)."""

from __future__ import annotations

from dataclasses import dataclass

from compat_base.values.settings import Reader


@dataclass(frozen=True, slots=True)
class FactorKind:
    """Whether factors of a kind may be enrolled and verified."""

    enroll: bool
    verify: bool


@dataclass(frozen=True, slots=True)
class MfaSettings:
    """Limits of second factors; times in seconds."""

    totp: FactorKind
    phone: FactorKind
    webauthn: FactorKind
    challenge_seconds: float
    factor_seconds: float
    max_enrolled: int
    max_verified: int
    phone_otp_length: int
    phone_gap_seconds: float
    phone_template: str


@dataclass(frozen=True, slots=True)
class WebAuthnSettings:
    """The relying party of passkeys and security keys."""

    rp_id: str
    rp_name: str
    origins: tuple[str, ...]
    challenge_seconds: float
    passkeys: bool
    max_passkeys: int


def read_mfa(reader: Reader) -> MfaSettings:
    """Read GOTRUE_MFA_*."""

    def kind(name: str, *, default: bool) -> FactorKind:
        return FactorKind(
            reader.boolean(f"MFA_{name}_ENROLL_ENABLED", default=default),
            reader.boolean(f"MFA_{name}_VERIFY_ENABLED", default=default),
        )

    return MfaSettings(
        totp=kind("TOTP", default=True),
        phone=kind("PHONE", default=False),
        webauthn=kind("WEB_AUTHN", default=False),
        challenge_seconds=reader.number("MFA_CHALLENGE_EXPIRY_DURATION", 300),
        factor_seconds=reader.seconds("MFA_FACTOR_EXPIRY_DURATION", 300),
        max_enrolled=int(reader.number("MFA_MAX_ENROLLED_FACTORS", 10)),
        max_verified=reader.integer("MFA_MAX_VERIFIED_FACTORS", 10),
        phone_otp_length=reader.integer("MFA_PHONE_OTP_LENGTH", 6),
        phone_gap_seconds=reader.seconds("MFA_PHONE_MAX_FREQUENCY", 60),
        phone_template=reader.text("MFA_PHONE_TEMPLATE", "Your code is {{ .Code }}"),
    )


def read_webauthn(reader: Reader) -> WebAuthnSettings:
    """Read GOTRUE_WEBAUTHN_* and GOTRUE_PASSKEY_*."""
    settings = WebAuthnSettings(
        rp_id=reader.text("WEBAUTHN_RP_ID"),
        rp_name=reader.text("WEBAUTHN_RP_DISPLAY_NAME"),
        origins=reader.words("WEBAUTHN_RP_ORIGINS"),
        challenge_seconds=reader.seconds("WEBAUTHN_CHALLENGE_EXPIRY_DURATION", 300),
        passkeys=reader.boolean("PASSKEY_ENABLED", default=False),
        max_passkeys=reader.integer("PASSKEY_MAX_PASSKEYS_PER_USER", 10),
    )
    if settings.passkeys and not (settings.rp_id and settings.rp_name and settings.origins):
        reader.problem(
            "GOTRUE_WEBAUTHN_RP_ID, _RP_DISPLAY_NAME and _RP_ORIGINS must be set for passkeys"
        )
    return settings
