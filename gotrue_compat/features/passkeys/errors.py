"""Errors of passkeys, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

PASSKEY_DISABLED = Row("passkey_disabled", 404, "Passkeys are disabled")
PASSKEY_CHALLENGE = Row("webauthn_challenge_not_found", 400, "Challenge not found or already used")
PASSKEY_CHALLENGE_EXPIRED = Row("webauthn_challenge_expired", 400, "Challenge has expired")
PASSKEY_RESPONSE = Row("webauthn_verification_failed", 400, "Invalid credential response")
PASSKEY_VERIFICATION = Row("webauthn_verification_failed", 400, "Credential verification failed")
PASSKEY_CREDENTIAL_REQUIRED = Row("validation_failed", 400, "{what} is required")
PASSKEY_CHALLENGE_FORM = Row("validation_failed", 400, "challenge_id must be a valid UUID")
PASSKEY_SSO = Row("validation_failed", 422, "SSO users cannot register passkeys")
PASSKEY_NEEDS_AAL2 = Row(
    "insufficient_aal", 403, "AAL2 session is required to manage passkeys when MFA is enabled"
)
PASSKEY_EMAIL_NOT_CONFIRMED = Row("email_not_confirmed", 403, "Email not confirmed")
PASSKEY_PHONE_NOT_CONFIRMED = Row("phone_not_confirmed", 403, "Phone not confirmed")
TOO_MANY_PASSKEYS = Row("too_many_passkeys", 422, "Maximum number of passkeys reached")
PASSKEY_NOT_FOUND = Row("validation_failed", 404, "Passkey not found")
PASSKEY_NO_NAME = Row("validation_failed", 400, "friendly_name is required")
PASSKEY_LONG_NAME = Row("validation_failed", 400, "friendly_name must be 120 characters or less")
