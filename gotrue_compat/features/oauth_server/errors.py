"""Errors of OAuth clients, authorizations, tokens, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

OAUTH_SERVER_DISABLED = Row("feature_disabled", 404, "OAuth server is disabled")
OAUTH_CLIENT_INVALID = Row("validation_failed", 400, "{text}")
OAUTH_CLIENT_NOT_FOUND = Row("oauth_client_not_found", 404, "OAuth client not found")
OAUTH_CLIENT_ID_FORM = Row("validation_failed", 400, "invalid client_id format")
OAUTH_AUTHORIZE_ID_FORM = Row("oauth_client_not_found", 400, "invalid client_id format")
OAUTH_CLIENT_UNKNOWN = Row("oauth_client_not_found", 400, "invalid client_id")
OAUTH_NO_SECRET = Row("validation_failed", 400, "Cannot regenerate secret for public client")
OAUTH_REGISTRATION_DISABLED = Row(
    "oauth_dynamic_client_registration_disabled",
    403,
    "Dynamic client registration is not enabled",
)
OAUTH_CLIENT_QUOTA = Row(
    "over_oauth_client_quota",
    400,
    "Maximum number of dynamically registered OAuth clients reached",
)
OAUTH_AUTHORIZATION_NOT_FOUND = Row("oauth_authorization_not_found", 404, "authorization not found")
OAUTH_AUTHORIZATION_PROCESSED = Row(
    "validation_failed", 400, "authorization request cannot be processed"
)
OAUTH_NOT_PENDING = Row("validation_failed", 400, "authorization request is no longer pending")
OAUTH_ORIGIN = Row("validation_failed", 400, "unauthorized request origin")
OAUTH_BODY = Row("bad_json", 400, "Invalid JSON body")
OAUTH_CONSENT_BODY = Row("bad_json", 400, "invalid JSON body")
OAUTH_CREDENTIALS = Row("invalid_credentials", 400, "{text}")
OAUTH_ACTION = Row("validation_failed", 400, "action must be 'approve' or 'deny'")
OAUTH_CONSENT_NOT_FOUND = Row(
    "oauth_consent_not_found", 404, "No active grant found for this client"
)
OAUTH_CLIENT_ID_REQUIRED = Row("validation_failed", 400, "client_id query parameter is required")
