"""Errors of requests to send and to verify one-time codes, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

NONCE_INVALID = Row("reauthentication_not_valid", 422, "Nonce has expired or is invalid")
RECOVERY_NEEDS_EMAIL = Row("validation_failed", 400, "Password recovery requires an email")
RECOVERY_DISABLED = Row("email_provider_disabled", 400, "Email logins are disabled")
RESEND_TYPE = Row(
    "validation_failed",
    400,
    "Missing one of these types: signup, email_change, sms, phone_change",
)
RESEND_NEEDS_EMAIL = Row("validation_failed", 400, "Type provided requires an email address")
RESEND_NEEDS_PHONE = Row("validation_failed", 400, "Type provided requires a phone number")
RESEND_EMAIL_OR_PHONE = Row(
    "validation_failed", 400, "Only an email address or phone number should be provided."
)
RESEND_NEEDS_EITHER = Row("validation_failed", 400, "Missing email address or phone number")
RESEND_PHONE_DISABLED = Row("phone_provider_disabled", 400, "Phone logins are disabled")
VERIFY_TYPE = Row("validation_failed", 400, "Verify requires a verification type")
VERIFY_TOKEN = Row("validation_failed", 400, "Verify requires either a token or a token hash")
VERIFY_GET_TOKEN = Row("validation_failed", 400, "Verify requires a token or a token hash")
VERIFY_HASH_ALONE = Row("validation_failed", 400, "Only the token_hash and type should be provided")
VERIFY_EMAIL_OR_PHONE = Row(
    "validation_failed", 400, "Only an email address or phone number should be provided on verify"
)
VERIFY_EMAIL_FORM = Row("validation_failed", 422, "Invalid email format")
VERIFY_UNKNOWN_TYPE = Row("validation_failed", 400, "Invalid email verification type")
VERIFY_UNSUPPORTED_TYPE = Row("validation_failed", 400, "Unsupported verification type")
OTP_EXPIRED = Row("otp_expired", 403, "Token has expired or is invalid")
LINK_EXPIRED = Row("otp_expired", 403, "Email link is invalid or has expired")
NO_FLOW_FOR_CODE = Row(
    "flow_state_not_found",
    400,
    "No associated flow state found. 422: No valid flow state found for user.",
)
OTP_DISABLED = Row("otp_disabled", 422, "Signups not allowed for otp")
OTP_NEEDS_ADDRESS = Row("validation_failed", 400, "One of email or phone must be set")
OTP_EMAIL_OR_PHONE = Row(
    "validation_failed", 400, "Only an email address or phone number should be provided"
)
OTP_CHANNEL = Row("validation_failed", 400, "Channel should only be specified with Phone OTP")
MAGIC_LINK_DISABLED = Row("email_provider_disabled", 422, "Login with magic link is disabled")
MAGIC_LINK_NEEDS_EMAIL = Row("validation_failed", 422, "Password recovery requires an email")
MAGIC_LINK_BODY = Row("bad_json", 400, "Could not read verification params: {reason}")
PHONE_UNSUPPORTED = Row("phone_provider_disabled", 400, "Unsupported phone provider")
REAUTHENTICATION_ADDRESS = Row(
    "validation_failed",
    400,
    "Reauthentication requires the user to have an email or a phone number",
)
VERIFY_EMAIL_FIRST = Row("email_not_confirmed", 422, "Please verify your email first.")
VERIFY_PHONE_FIRST = Row("phone_not_confirmed", 422, "Please verify your phone first.")
