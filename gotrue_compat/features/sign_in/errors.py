"""Errors of grants and sign-out, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

INVALID_CREDENTIALS = Row("invalid_credentials", 400, "Invalid login credentials")
EMAIL_NOT_CONFIRMED = Row("email_not_confirmed", 400, "Email not confirmed")
PHONE_NOT_CONFIRMED = Row("phone_not_confirmed", 400, "Phone not confirmed")
LOGIN_BANNED = Row("user_banned", 400, "User is banned")
MISSING_LOGIN = Row("validation_failed", 400, "missing email or phone")
LOGIN_EMAIL_OR_PHONE = Row(
    "validation_failed", 400, "Only an email address or phone number should be provided on login."
)
EMAIL_LOGINS_DISABLED = Row("email_provider_disabled", 422, "Email logins are disabled")
PHONE_LOGINS_DISABLED = Row("phone_provider_disabled", 422, "Phone logins are disabled")
REFRESH_NOT_FOUND = Row(
    "refresh_token_not_found", 400, "Invalid Refresh Token: Refresh Token Not Found"
)
REFRESH_ALREADY_USED = Row("refresh_token_already_used", 400, "Invalid Refresh Token: Already Used")
REFRESH_NO_SESSION = Row("session_not_found", 400, "Invalid Refresh Token: No Valid Session Found")
SESSION_REPLACED = Row(
    "session_expired", 400, "Invalid Refresh Token: Session Expired (Revoked by Newer Login)"
)
REFRESH_BANNED = Row("user_banned", 400, "Invalid Refresh Token: User Banned")
REFRESH_CONFLICT = Row(
    "conflict",
    409,
    "Too many concurrent token refresh requests on the same session or refresh token",
)
LOGOUT_FAILED = Row("unexpected_failure", 500, "Error logging out user")
LOGOUT_SCOPE = Row("validation_failed", 400, 'Unsupported logout scope "{scope}"')
PKCE_EMPTY = Row(
    "validation_failed",
    400,
    "invalid request: both auth code and code verifier should be non-empty",
)
FLOW_NOT_FOUND = Row("flow_state_not_found", 404, "invalid flow state, no valid flow state found")
FLOW_EXPIRED = Row("flow_state_expired", 422, "invalid flow state, flow state has expired")
BAD_CODE_VERIFIER = Row(
    "bad_code_verifier", 400, "code challenge does not match previously saved code verifier"
)
PASSWORD_REJECTED = Row("invalid_credentials", 400, "{text}")
