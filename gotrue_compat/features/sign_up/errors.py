"""Errors of sign-up, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

ANONYMOUS_DISABLED = Row("anonymous_provider_disabled", 422, "Anonymous sign-ins are disabled")
ANONYMOUS_FAILED = Row("unexpected_failure", 500, "Database error creating anonymous user")
SIGNUP_DISABLED = Row("signup_disabled", 422, "Signups not allowed for this instance")
USER_EXISTS = Row("user_already_exists", 422, "User already registered")
EMAIL_SIGNUPS_DISABLED = Row("email_provider_disabled", 400, "Email signups are disabled")
PHONE_SIGNUPS_DISABLED = Row("phone_provider_disabled", 400, "Phone signups are disabled")
SIGNUP_NEEDS_PASSWORD = Row("validation_failed", 400, "Signup requires a valid password")
SIGNUP_EMAIL_OR_PHONE = Row(
    "validation_failed", 400, "Only an email address or phone number should be provided on signup."
)
PKCE_NOT_FOR_PHONE = Row("validation_failed", 400, "PKCE not supported for phone signups")
