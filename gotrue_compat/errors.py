"""Every answer that is not a success: one row each, in the order of the auth reference.

`ApiError.of(ROW, name=value)` raises a row; `oauth_error` and `weak_password` make the two shapes
that are not `{code, message}`. The database's refusals become rows by constraint name.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from compat_base.postgres.faults import Fault, PgFault
from compat_base.values.errors import ApiError, Problem, Row

# Conventions (auth reference 1.2 to 1.4)
BAD_JSON = Row("bad_json", 400, "Could not parse request body as JSON: {reason}")
BODY_TOO_LARGE = Row("request_entity_too_large", 413, "Request body too large (max 1048576 bytes)")
TOO_MANY_FIELDS = Row("validation_failed", 400, "Too many form fields or parameters (max 1000)")
REQUEST_TIMEOUT = Row(
    "request_timeout", 504, "Processing this request timed out, please retry after a moment."
)
UNEXPECTED = Row(
    "unexpected_failure", 500, "Unexpected failure, please check server logs for more information"
)
NO_DATABASE = Row("unexpected_failure", 503, "The database is not reachable at the moment")
DATABASE_ERROR = Row("unexpected_failure", 500, "Database error {doing}")

# Reference 1.12: Authentication of calls
NO_BEARER = Row("no_authorization", 401, "This endpoint requires a valid Bearer token")
BAD_JWT = Row("bad_jwt", 403, "invalid JWT: unable to parse or verify signature, {reason}")
NO_SUB = Row("bad_jwt", 403, "invalid claim: missing sub claim")
SUB_NOT_UUID = Row("bad_jwt", 400, "invalid claim: sub claim must be a UUID")
SESSION_ID_FORM = Row("bad_jwt", 403, "invalid claim: session_id claim must be a UUID")
NO_SUCH_SUB = Row("user_not_found", 403, "User from sub claim in JWT does not exist")
NO_SUCH_SESSION = Row(
    "session_not_found", 403, "Session from session_id claim in JWT does not exist"
)
USER_BANNED = Row("user_banned", 403, "User is banned")
SESSION_OVER = Row("session_expired", 403, "Session is no longer valid")
NOT_ADMIN = Row("not_admin", 403, "User not allowed")
ANONYMOUS_NOT_ALLOWED = Row(
    "no_authorization", 403, "Anonymous user not allowed to perform these actions"
)

# Reference 3.1: Sign-up
ANONYMOUS_DISABLED = Row("anonymous_provider_disabled", 422, "Anonymous sign-ins are disabled")
SIGNUP_DISABLED = Row("signup_disabled", 422, "Signups not allowed for this instance")
USER_EXISTS = Row("user_already_exists", 422, "User already registered")
EMAIL_SIGNUPS_DISABLED = Row("email_provider_disabled", 400, "Email signups are disabled")
PHONE_SIGNUPS_DISABLED = Row("phone_provider_disabled", 400, "Phone signups are disabled")
SIGNUP_NEEDS_PASSWORD = Row("validation_failed", 400, "Signup requires a valid password")
SIGNUP_EMAIL_OR_PHONE = Row(
    "validation_failed", 400, "Only an email address or phone number should be provided on signup."
)
INVALID_CHANNEL = Row(
    "validation_failed",
    400,
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if "
    "Twilio or Twilio Verify is used as the provider.",
)
PKCE_NOT_FOR_PHONE = Row("validation_failed", 400, "PKCE not supported for phone signups")
MAIL_FAILED = Row("unexpected_failure", 500, "Error sending {kind} email")

# Reference 3.2: Password grant
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
UNSUPPORTED_GRANT = Row("invalid_credentials", 400, "unsupported_grant_type")

# Reference 3.3: Refresh grant
REFRESH_MALFORMED = Row("validation_failed", 400, "Refresh token is not valid")
REFRESH_NOT_FOUND = Row(
    "refresh_token_not_found", 400, "Invalid Refresh Token: Refresh Token Not Found"
)
REFRESH_ALREADY_USED = Row("refresh_token_already_used", 400, "Invalid Refresh Token: Already Used")
REFRESH_NO_SESSION = Row("session_not_found", 400, "Invalid Refresh Token: No Valid Session Found")
SESSION_EXPIRED = Row("session_expired", 400, "Invalid Refresh Token: Session Expired")
SESSION_INACTIVE = Row(
    "session_expired", 400, "Invalid Refresh Token: Session Expired (Inactivity)"
)
SESSION_LOW_AAL = Row(
    "session_expired",
    400,
    "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)",
)
SESSION_REPLACED = Row(
    "session_expired", 400, "Invalid Refresh Token: Session Expired (Revoked by Newer Login)"
)
REFRESH_BANNED = Row("user_banned", 400, "Invalid Refresh Token: User Banned")
REFRESH_FOREIGN = Row("validation_failed", 400, "Invalid Refresh Token: Not Issued By This Server")
REFRESH_CONFLICT = Row(
    "conflict",
    409,
    "Too many concurrent token refresh requests on the same session or refresh token",
)

# Reference 3.4: The user
WRONG_AUDIENCE = Row("validation_failed", 400, "Token audience doesn't match request audience")
APP_METADATA_NEEDS_ADMIN = Row("not_admin", 403, "Updating app_metadata requires admin privileges")
SAME_PASSWORD = Row("same_password", 422, "New password should be different from the old password.")
EMAIL_EXISTS = Row(
    "email_exists", 422, "A user with this email address has already been registered"
)
PHONE_EXISTS = Row("phone_exists", 422, "A user with this phone number has already been registered")
UPDATE_NEEDS_AAL2 = Row(
    "insufficient_aal",
    401,
    "AAL2 session is required to update email or password when MFA is enabled.",
)
REAUTHENTICATION_NEEDED = Row(
    "reauthentication_needed", 400, "Password update requires reauthentication"
)
NONCE_INVALID = Row("reauthentication_not_valid", 422, "Nonce has expired or is invalid")
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
UPDATE_FAILED = Row("unexpected_failure", 500, "Error updating user")

# Reference 3.5 to 3.7: Sign-out, recovery, resend
LOGOUT_SCOPE = Row("validation_failed", 400, 'Unsupported logout scope "{scope}"')
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

# Reference 3.8: Verify
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

# Reference 4: One-time tokens, PKCE, one-time passwords
TOO_SOON_EMAIL = Row(
    "over_email_send_rate_limit",
    429,
    "For security purposes, you can only request this after {seconds} seconds.",
)
TOO_SOON_SMS = Row(
    "over_sms_send_rate_limit",
    429,
    "For security purposes, you can only request this after {seconds} seconds.",
)
PKCE_PAIR = Row(
    "validation_failed",
    400,
    "PKCE flow requires code_challenge_method and code_challenge",
)
PKCE_LENGTH = Row(
    "validation_failed", 400, "code challenge has to be between 43 and 128 characters"
)
PKCE_CHARSET = Row(
    "validation_failed",
    400,
    "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and "
    "tildes",
)
PKCE_METHOD = Row("validation_failed", 400, "Invalid code_challenge_method")
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
NO_FLOW_FOR_CODE = Row("flow_state_not_found", 400, "No associated flow state found.")
OTP_DISABLED = Row("otp_disabled", 422, "Signups not allowed for otp")
OTP_NEEDS_ADDRESS = Row("validation_failed", 400, "One of email or phone must be set")
OTP_EMAIL_OR_PHONE = Row(
    "validation_failed", 400, "Only an email address or phone number should be provided"
)
OTP_CHANNEL = Row("validation_failed", 400, "Channel should only be specified with Phone OTP")
MAGIC_LINK_DISABLED = Row("email_provider_disabled", 422, "Login with magic link is disabled")
MAGIC_LINK_NEEDS_EMAIL = Row("validation_failed", 422, "Password recovery requires an email")
PHONE_UNSUPPORTED = Row("phone_provider_disabled", 400, "Unsupported phone provider")
SMS_FAILED = Row("sms_send_failed", 422, "Error sending {kind} OTP to provider: {reason}")
NO_SMS_PROVIDER = Row("unexpected_failure", 500, "Unable to get SMS provider")
REAUTHENTICATION_ADDRESS = Row(
    "validation_failed",
    400,
    "Reauthentication requires the user to have an email or a phone number",
)
VERIFY_EMAIL_FIRST = Row("email_not_confirmed", 422, "Please verify your email first.")
VERIFY_PHONE_FIRST = Row("phone_not_confirmed", 422, "Please verify your phone first.")

# Reference 6: Addresses and passwords
EMAIL_REQUIRED = Row("validation_failed", 400, "An email address is required")
EMAIL_TOO_LONG = Row("validation_failed", 400, "An email address is too long")
EMAIL_FORM = Row("validation_failed", 400, "Unable to validate email address: invalid format")
EMAIL_INVALID = Row("email_address_invalid", 400, 'Email address "{email}" is invalid')
EMAIL_NOT_AUTHORIZED = Row(
    "email_address_not_authorized",
    400,
    'Email address "{email}" cannot be used as it is not authorized',
)
PHONE_FORM = Row("validation_failed", 400, "Invalid phone number format (E.164 required)")
PASSWORD_TOO_LONG = Row("validation_failed", 400, "Password cannot be longer than 72 characters")
WEAK_PASSWORD = Row("weak_password", 422, "{text}")

# Reference 7: Administration
PAGINATION = Row("validation_failed", 400, "Bad Pagination Parameters: {reason}")
SORTING = Row("validation_failed", 400, "Bad Sort Parameters: {reason}")
ADMIN_NEEDS_ADDRESS = Row(
    "validation_failed", 400, "Cannot create a user without either an email or phone"
)
ADMIN_ONE_PASSWORD = Row(
    "validation_failed", 400, "Only a password or a password hash should be provided"
)
ADMIN_ID_FORM = Row("validation_failed", 400, "ID must conform to the uuid v4 format")
ADMIN_ID_NIL = Row("validation_failed", 400, "ID cannot be a nil uuid")
BAN_DURATION = Row("validation_failed", 400, "invalid format for ban duration: {reason}")
BAD_PASSWORD_HASH = Row("validation_failed", 400, "Password hash is not in a supported format")
ADMIN_PHONE_EXISTS = Row("phone_exists", 422, "Phone number already registered by another user")
USER_ID_FORM = Row("validation_failed", 404, "user_id must be an UUID")
USER_NOT_FOUND = Row("user_not_found", 404, "User not found")
FACTOR_ID_FORM = Row("validation_failed", 404, "factor_id must be an UUID")
FACTOR_NOT_FOUND = Row("mfa_factor_not_found", 404, "Factor not found")
LINK_USER_NOT_FOUND = Row("user_not_found", 404, "User with this email not found")
LINK_TYPE = Row("validation_failed", 400, "Invalid email action link type requested: {type}")
LINK_SECURE_ONLY = Row(
    "validation_failed", 400, "Enable secure email change to generate link for current email"
)
AUDIT_QUERY = Row("validation_failed", 400, "Invalid query scope: {query}")

# Reference 8: Factors
FACTOR_TYPE = Row("validation_failed", 400, "factor_type needs to be totp, phone, or webauthn")
FACTOR_NEEDS_PHONE = Row("validation_failed", 400, "Phone number required to enroll Phone factor")
FACTOR_NAME_CONFLICT = Row(
    "mfa_factor_name_conflict",
    422,
    'A factor with the friendly name "{name}" for this user already exists',
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
CODE_EMPTY = Row("validation_failed", 400, "Code needs to be non-empty")
TOTP_WRONG = Row("mfa_verification_failed", 422, "Invalid TOTP code entered")
MFA_PHONE_WRONG = Row("mfa_verification_failed", 422, "Invalid MFA Phone code entered")
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
PASSWORD_REJECTED = Row("invalid_credentials", 400, "{text}")

# Reference 8: Passkeys
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
PASSKEY_EXISTS = Row("webauthn_credential_exists", 422, "This credential is already registered")
TOO_MANY_PASSKEYS = Row("too_many_passkeys", 422, "Maximum number of passkeys reached")
PASSKEY_NOT_FOUND = Row("validation_failed", 404, "Passkey not found")
PASSKEY_NO_NAME = Row("validation_failed", 400, "friendly_name is required")
PASSKEY_LONG_NAME = Row("validation_failed", 400, "friendly_name must be 120 characters or less")

# Reference 9: External providers and identities
UNSUPPORTED_PROVIDER = Row("validation_failed", 400, "Unsupported provider: {reason}")
BAD_CALLBACK = Row("bad_oauth_callback", 400, "{text}")
BAD_STATE = Row("bad_oauth_state", 400, "{text}")
CLIENT_STATE_NOT_FOUND = Row("oauth_client_state_not_found", 422, "OAuth state not found")
CLIENT_STATE_EXPIRED = Row("oauth_client_state_expired", 422, "OAuth state expired")
STATE_USED = Row("flow_state_already_used", 400, "State has already been used")
EXCHANGE_FAILED = Row("unexpected_failure", 500, "Unable to exchange external code: {code}")
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
IDENTITY_LINKED_HERE = Row("identity_already_exists", 422, "Identity is already linked")
IDENTITY_LINKED_ELSEWHERE = Row(
    "identity_already_exists", 422, "Identity is already linked to another user"
)
LINKING_DISABLED = Row("manual_linking_disabled", 404, "Manual linking is disabled")
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
PROVIDER_DISABLED = Row("provider_disabled", 400, 'Provider (issuer "{issuer}") is not enabled')
CUSTOM_OIDC_NOT_ALLOWED = Row(
    "validation_failed", 400, 'Custom OIDC provider "{provider}" not allowed'
)
CUSTOM_OIDC_OFF = Row("provider_disabled", 400, 'Custom provider "{provider}" is disabled')
ID_TOKEN_REFUSED = Row("validation_failed", 400, "{text}")
CUSTOM_PROVIDER_NOT_FOUND = Row("custom_provider_not_found", 404, "Custom OAuth provider not found")
CUSTOM_PROVIDER_INVALID = Row("validation_failed", 400, "{text}")
CUSTOM_PROVIDER_QUOTA = Row(
    "over_custom_provider_quota", 400, "Maximum number of custom OAuth/OIDC providers reached"
)
CUSTOM_PROVIDER_EXISTS = Row(
    "conflict", 400, "A custom OAuth provider with this identifier already exists"
)
CUSTOM_PROVIDERS_DISABLED = Row("feature_disabled", 404, "Custom OAuth providers are disabled")
WEB3_DISABLED = Row("web3_provider_disabled", 422, "Web3 provider is disabled")
WEB3_CHAIN_DISABLED = Row("web3_provider_disabled", 422, "{chain} Web3 provider is disabled")
WEB3_MESSAGE = Row("validation_failed", 400, "{text}")
WEB3_CHAIN = Row("web3_unsupported_chain", 400, "Unsupported chain")

# Reference 9.7: Single sign-on
SAML_DISABLED = Row("saml_provider_disabled", 404, "SAML 2.0 is disabled")
SSO_PARAMETERS = Row("validation_failed", 400, "A provider_id or domain needs to be provided")
SSO_BOTH = Row("validation_failed", 400, "Only one of provider_id or domain supported")
SSO_PROVIDER_NOT_FOUND = Row(
    "sso_provider_not_found", 404, "No SSO provider assigned for this domain"
)
SSO_NO_SUCH_PROVIDER = Row("sso_provider_not_found", 404, "No such SSO provider")
SSO_PROVIDER_UNKNOWN = Row("sso_provider_not_found", 404, "SSO Identity Provider not found")
SSO_PROVIDER_OFF = Row("sso_provider_disabled", 404, "SSO Provider is currently disabled")
SSO_DOMAIN_EXISTS = Row(
    "sso_domain_already_exists", 400, "SSO Domain '{domain}' is already assigned to an SSO "
    "identity provider ({owner})"
)  # fmt: skip
SSO_DOMAIN_OF_ANOTHER = Row(
    "sso_domain_already_exists",
    400,
    "SSO domain '{domain}' already assigned to another provider ({owner})",
)
SSO_CONFLICT = Row(
    "conflict", 422, "Updating SSO provider failed, likely due to a conflict. Try again?"
)
SSO_ENTITY_EXISTS = Row(
    "saml_idp_already_exists", 422, "SAML Identity Provider with this EntityID ({entity}) already "
    "exists"
)  # fmt: skip
SSO_INVALID = Row("validation_failed", 400, "{text}")
SAML_METADATA_FETCH = Row(
    "saml_metadata_fetch_failed", 400, "HTTP {status} error fetching SAML Metadata from URL '{url}'"
)
SAML_ENTITY_MISMATCH = Row(
    "saml_entity_id_mismatch",
    400,
    "SAML Metadata can be updated only if the EntityID matches for the provider; expected "
    "'{expected}' but got '{found}'",
)
SAML_RELAY_NOT_FOUND = Row(
    "saml_relay_state_not_found", 404, "SAML RelayState does not exist, try logging in again?"
)
SAML_RELAY_EXPIRED = Row(
    "saml_relay_state_expired", 422, "SAML RelayState has expired. Try logging in again?"
)
SAML_IDP_NOT_FOUND = Row(
    "saml_idp_not_found", 404, "A SAML connection has not been established with this Identity "
    "Provider"
)  # fmt: skip
SAML_PROVIDER_OFF = Row(
    "sso_provider_disabled", 404, "SSO Provider assigned for this domain is currently disabled"
)
SAML_REFUSED = Row("validation_failed", 400, "{text}")
SAML_ASSERTION = Row("validation_failed", 400, "SAML Assertion is not valid")
SAML_NO_USER_ID = Row(
    "saml_assertion_no_user_id", 400, "SAML Assertion did not contain a persistent Subject "
    "Identifier attribute or Subject NameID uniquely identifying this user"
)  # fmt: skip
SAML_NO_EMAIL = Row(
    "saml_assertion_no_email", 400, "SAML Assertion does not contain an email address"
)

# Reference 10: Limits and captcha
EMAIL_LIMIT = Row("over_email_send_rate_limit", 429, "email rate limit exceeded")
SMS_LIMIT = Row("over_sms_send_rate_limit", 429, "SMS rate limit exceeded")
REQUEST_LIMIT = Row("over_request_rate_limit", 429, "Request rate limit reached")
TOO_BUSY = Row("unexpected_failure", 503, "Too many requests at once, please retry after a moment.")
CAPTCHA = Row("captcha_failed", 400, "captcha protection: request disallowed ({reason})")
CAPTCHA_UNREACHABLE = Row("unexpected_failure", 500, "captcha verification process failed")

# Reference 11: OAuth server
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

# Reference 12: Hooks
HOOK_TIMEOUT = Row(
    "hook_timeout", 422, "Failed to reach hook within maximum time of {seconds:f} seconds"
)
HOOK_TIMEOUT_RETRIES = Row(
    "hook_timeout_after_retry", 422, "Failed to reach hook after maximum retries"
)
HOOK_TOO_LARGE = Row(
    "hook_payload_over_size_limit", 422, "Payload size exceeded size limit of {limit} bytes"
)
HOOK_NO_CONTENT_TYPE = Row(
    "hook_payload_invalid_content_type", 400, "Invalid Content-Type: Missing Content-Type header"
)
HOOK_CONTENT_TYPE = Row(
    "hook_payload_invalid_content_type",
    400,
    "Invalid JSON response. Received content-type: {kind}",
)
HOOK_FAILED = Row("unexpected_failure", 500, "Error running hook URI: {uri}")
HOOK_ANSWER = Row("unexpected_failure", 500, "Error unmarshaling JSON output.")
HOOK_UNAVAILABLE = Row("unexpected_failure", 500, "Service currently unavailable due to hook")
HOOK_PAYLOAD = Row("unexpected_failure", 500, "Invalid payload sent to hook")
HOOK_UNAUTHORIZED = Row("unexpected_failure", 500, "Hook requires authorization token")
HOOK_STATUS = Row("unexpected_failure", 500, "Unexpected status code returned from hook: {status}")
HOOK_CLAIMS = Row(
    "unexpected_failure",
    500,
    "output claims do not conform to the expected schema: {reason}",
)

_BY_CONSTRAINT = {
    "users_email_partial_key": EMAIL_EXISTS,
    "users_phone_key": PHONE_EXISTS,
    "identities_provider_id_provider_unique": IDENTITY_LINKED_ELSEWHERE,
    "mfa_factors_user_friendly_name_unique": FACTOR_NAME_CONFLICT,
    "webauthn_credentials_credential_id_key": PASSKEY_EXISTS,
}


def oauth_error(error: str, description: str = "") -> ApiError:
    """An OAuth-style error: `{error, error_description}`, always status 400.

    Source: auth reference 1.11.
    """
    return ApiError(Problem(error, 400, description, extra={"oauth": True}))


def weak_password(text: str, reasons: tuple[str, ...]) -> ApiError:
    """A password refused for the given reasons (6)."""
    problem = WEAK_PASSWORD.problem(text=text)
    return ApiError(
        Problem(problem.code, problem.status, problem.message, extra={"reasons": list(reasons)})
    )


@contextmanager
def database_errors(doing: str, **facts: object) -> Generator[None]:
    """Word what the database refuses: by constraint, else `Database error <doing>` (1.11, 15.1)."""
    try:
        yield
    except PgFault as error:
        raise ApiError(problem_of(error.fault, doing, **facts)) from error


def problem_of(fault: Fault, doing: str = "", **facts: object) -> Problem:
    """The problem of a database refusal, with what users may see of it (auth reference 1.11)."""
    row = _BY_CONSTRAINT.get(fault.constraint or "")
    if row is not None:
        return row.problem(name=facts.get("name", ""))
    problem = DATABASE_ERROR.problem(doing=doing) if doing else UNEXPECTED.problem()
    return with_fault(problem, fault)


def with_fault(problem: Problem, fault: Fault) -> Problem:
    """The problem with what users may see of the database's refusal, in `extra` (1.11)."""
    if not _may_be_seen(fault.sqlstate):
        return problem
    seen = {"code": fault.sqlstate, "message": fault.message}
    seen |= {"hint": fault.hint} if fault.hint else {}
    seen |= {"detail": fault.detail} if fault.detail else {}
    return Problem(problem.code, problem.status, problem.message, extra={"postgres": seen})


def _may_be_seen(sqlstate: str) -> bool:
    return sqlstate.startswith(("23", "PT")) or sqlstate == "P0001"
