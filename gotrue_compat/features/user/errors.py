"""Errors of changes of the signed-in user, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

WRONG_AUDIENCE = Row("validation_failed", 400, "Token audience doesn't match request audience")
UNEXPECTED_AUDIENCE = Row(
    "unexpected_audience", 403, "Token audience doesn't match request audience"
)
APP_METADATA_NEEDS_ADMIN = Row("not_admin", 403, "Updating app_metadata requires admin privileges")
SAME_PASSWORD = Row("same_password", 422, "New password should be different from the old password.")
UPDATE_NEEDS_AAL2 = Row(
    "insufficient_aal",
    401,
    "AAL2 session is required to update email or password when MFA is enabled.",
)
REAUTHENTICATION_NEEDED = Row(
    "reauthentication_needed", 400, "Password update requires reauthentication"
)
CURRENT_PASSWORD_REQUIRED = Row(
    "current_password_required", 400, "Current password required when setting new password."
)
CURRENT_PASSWORD_INVALID = Row(
    "current_password_invalid", 400, "Current password required when setting new password."
)
ANONYMOUS_PASSWORD = Row(
    "validation_failed",
    422,
    "Updating password of an anonymous user without an email or phone is not allowed",
)
SSO_MANAGED = Row(
    "user_sso_managed",
    422,
    "Updating email, phone, password of a SSO account only possible via SSO",
)
IDENTITY_ID_FORM = Row("validation_failed", 404, "identity_id must be an UUID")
LAST_IDENTITY = Row(
    "single_identity_not_deletable",
    422,
    "User must have at least 1 identity after unlinking",
)
IDENTITY_NOT_FOUND = Row("identity_not_found", 422, "Identity doesn't exist")
IDENTITY_EMAIL_CONFLICT = Row(
    "email_conflict_identity_not_deletable",
    422,
    "Unable to unlink identity due to email conflict",
)
