"""Errors of sign-ins by providers, one row each."""

from __future__ import annotations

from compat_base.values.errors import Row

UNSUPPORTED_PROVIDER = Row("validation_failed", 400, "Unsupported provider: {reason}")
BAD_CALLBACK = Row("bad_oauth_callback", 400, "{text}")
BAD_STATE = Row("bad_oauth_state", 400, "{text}")
CLIENT_STATE_NOT_FOUND = Row("oauth_client_state_not_found", 422, "OAuth state not found")
CLIENT_STATE_EXPIRED = Row("oauth_client_state_expired", 422, "OAuth state expired")
STATE_USED = Row("flow_state_already_used", 400, "State has already been used")
EXCHANGE_FAILED = Row("unexpected_failure", 500, "Unable to exchange external code: {code}")
REQUEST_TOKEN_FAILED = Row("unexpected_failure", 500, "Unable to retrieve access token")
PROFILE_FAILED = Row("unexpected_failure", 500, "Error getting user profile from external provider")
PROVIDER_NO_EMAIL = Row(
    "unexpected_failure", 500, "Error getting user email from external provider"
)
EMAIL_NEEDS_VERIFICATION_SENT = Row(
    "provider_email_needs_verification",
    422,
    "Unverified email with {provider}. A confirmation email has been sent to your {provider} email",
)
EMAIL_NEEDS_VERIFICATION = Row(
    "provider_email_needs_verification",
    422,
    "Unverified email with {provider}. Verify the email with {provider} in order to sign in",
)
MULTIPLE_ACCOUNTS = Row(
    "unexpected_failure",
    500,
    "Multiple accounts with the same email address in the same linking domain detected: {domain}",
)
INVITEE_NOT_FOUND = Row("user_not_found", 404, "User identified by token not found")
INVITE_NOT_FOUND = Row("invite_not_found", 404, "Invite not found")
INVITE_EMAIL = Row(
    "validation_failed", 400, "Invited email does not match emails from external provider"
)
LINKED_EMAIL_NEEDS_VERIFICATION = Row(
    "email_not_confirmed",
    422,
    "Unverified email with {provider}. A confirmation email has been sent to your {provider} email",
)
EMAIL_TAKEN = Row("email_exists", 400, "A user with this email address has already been registered")
CALLBACK_PROVIDER = Row("oauth_provider_not_supported", 400, "{text}")
TARGET_GONE = Row("user_not_found", 422, "Linking target user not found")
NO_VERIFIER = Row("oauth_invalid_state", 400, "OAuth PKCE code verifier missing")
IDENTITY_LINKED_HERE = Row("identity_already_exists", 422, "Identity is already linked")
LINKING_DISABLED = Row("manual_linking_disabled", 404, "Manual linking is disabled")
PROVIDER_DISABLED = Row("provider_disabled", 400, 'Provider (issuer "{issuer}") is not enabled')
CUSTOM_OIDC_NOT_ALLOWED = Row(
    "validation_failed", 400, 'Custom OIDC provider "{provider}" not allowed'
)
CUSTOM_OIDC_OFF = Row("provider_disabled", 400, 'Custom provider "{provider}" is disabled')
ID_TOKEN_REFUSED = Row("validation_failed", 400, "{text}")
