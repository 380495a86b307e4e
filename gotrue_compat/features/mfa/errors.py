"""Errors of second factors, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

FACTOR_TYPE = Row("validation_failed", 400, "factor_type needs to be totp, phone, or webauthn")
FACTOR_NEEDS_PHONE = Row("validation_failed", 400, "Phone number required to enroll Phone factor")
ENROLL_NEEDS_SESSION = Row(
    "unexpected_failure",
    500,
    "A valid session and a registered user are required to enroll a factor",
)
UNENROLL_NEEDS_SESSION = Row(
    "unexpected_failure", 500, "A valid session and factor are required to unenroll a factor"
)
TOO_MANY_FACTORS = Row(
    "too_many_enrolled_mfa_factors",
    422,
    "Maximum number of verified factors reached, unenroll to continue",
)
ENROLL_NEEDS_AAL2 = Row("insufficient_aal", 403, "AAL2 required to enroll a new factor")
UNENROLL_NEEDS_AAL2 = Row("insufficient_aal", 422, "AAL2 required to unenroll verified factor")
TOTP_ENROLL_DISABLED = Row("mfa_totp_enroll_not_enabled", 422, "MFA enroll is disabled for TOTP")
TOTP_VERIFY_DISABLED = Row(
    "mfa_totp_verify_not_enabled", 422, "MFA verification is disabled for TOTP"
)
PHONE_ENROLL_DISABLED = Row("mfa_phone_enroll_not_enabled", 422, "MFA enroll is disabled for Phone")
PHONE_VERIFY_DISABLED = Row(
    "mfa_phone_verify_not_enabled", 422, "MFA verification is disabled for Phone"
)
WEBAUTHN_ENROLL_DISABLED = Row(
    "mfa_webauthn_enroll_not_enabled", 422, "MFA enroll is disabled for WebAuthn"
)
WEBAUTHN_VERIFY_DISABLED = Row(
    "mfa_webauthn_verify_not_enabled", 422, "MFA verification is disabled for WebAuthn"
)
WEBAUTHN_PROOF_DISABLED = Row(  # the original's code is that of enrolment
    "mfa_webauthn_enroll_not_enabled", 422, "MFA verification is disabled for WebAuthn"
)
CODE_HOOK_FAILED = Row("unexpected_failure", 500, "error invoking hook")
CODE_NO_PROVIDER = Row("unexpected_failure", 500, "Failed to get SMS provider")
CODE_NOT_SENT = Row("unexpected_failure", 500, "error sending message")
CODE_EMPTY = Row("validation_failed", 400, "Code needs to be non-empty")
TOTP_WRONG = Row("mfa_verification_failed", 422, "Invalid TOTP code entered")
MFA_PHONE_WRONG = Row("mfa_verification_failed", 422, "Invalid MFA Phone code entered")
PHONE_CODE_REFUSED = Row("otp_expired", 403, "Token has expired or is invalid")
CHALLENGE_NOT_FOUND = Row(
    "mfa_factor_not_found", 422, "MFA factor with the provided challenge ID not found"
)
CHALLENGE_MISMATCH = Row(
    "mfa_ip_address_mismatch", 422, "Challenge and verify IP addresses mismatch."
)
CHALLENGE_EXPIRED = Row(
    "mfa_challenge_expired", 422, "MFA challenge {id} has expired, verify against another "
    "challenge or create a new challenge."
)  # fmt: skip
VERIFIED_PHONE_FACTOR = Row(
    "mfa_verified_factor_exists",
    422,
    "A verified phone factor already exists, unenroll the existing factor to continue",
)
WEBAUTHN_REQUIRED = Row("validation_failed", 400, "WebAuthn config required")
WEBAUTHN_KIND = Row("validation_failed", 400, "WebAuthn type must be create or request")
WEBAUTHN_NO_RESPONSE = Row("validation_failed", 400, "credential_response required")
WEBAUTHN_RESPONSE = Row("validation_failed", 400, "Invalid credential_response")
WEBAUTHN_NOT_CONFIGURED = Row("validation_failed", 400, "WebAuthn relying party is not configured")
MFA_REJECTED = Row("mfa_verification_rejected", 403, "{text}")
