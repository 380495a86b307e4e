"""Errors that several features answer, one row each; a feature's own are in its `errors`.

`ApiError.of(ROW, name=value)` raises a row; `oauth_error` and `weak_password` make the two shapes
that are not `{code, message}`. Database errors are mapped to rows by constraint name.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from compat_base.postgres.faults import DISK_FULL, Fault, PgFault
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
DATABASE_FULL = Row("unexpected_failure", 503, "The disk of the database is full")
VALUE_TOO_LONG = Row("validation_failed", 400, "A value is too long to be stored")
IDENTITY_FAILED = Row("unexpected_failure", 500, "Error creating identity")
USER_UPDATE_FAILED = Row("unexpected_failure", 500, "Error updating user")
DATABASE_ERROR = Row("unexpected_failure", 500, "Database error {doing}")

# Authentication of calls (auth reference 1.12)
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
NOT_FOR_CLIENTS = Row("no_authorization", 403, "An OAuth client is not allowed to do this")
ANONYMOUS_NOT_ALLOWED = Row(
    "no_authorization", 403, "Anonymous user not allowed to perform these actions"
)

# Sending (auth reference 3.1)
INVALID_CHANNEL = Row(
    "validation_failed",
    400,
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if "
    "Twilio or Twilio Verify is used as the provider.",
)
MAIL_FAILED = Row("unexpected_failure", 500, "Error sending {kind} email")

# Grants (auth reference 3.2)
UNSUPPORTED_GRANT = Row("invalid_credentials", 400, "unsupported_grant_type")

# Refresh grant (auth reference 3.3)
REFRESH_MALFORMED = Row("validation_failed", 400, "Refresh token is not valid")
SESSION_EXPIRED = Row("session_expired", 400, "Invalid Refresh Token: Session Expired")
SESSION_INACTIVE = Row(
    "session_expired", 400, "Invalid Refresh Token: Session Expired (Inactivity)"
)
SESSION_LOW_AAL = Row(
    "session_expired",
    400,
    "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)",
)
REFRESH_FOREIGN = Row("validation_failed", 400, "Invalid Refresh Token: Not Issued By This Server")

# Users (auth reference 3.4)
EMAIL_EXISTS = Row(
    "email_exists", 422, "A user with this email address has already been registered"
)
PHONE_EXISTS = Row("phone_exists", 422, "A user with this phone number has already been registered")

# One-time tokens, PKCE, one-time passwords (auth reference 4)
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
SMS_FAILED = Row("sms_send_failed", 422, "Error sending {kind} OTP to provider: {reason}")
SMS_TEMPLATE = Row("unexpected_failure", 500, "error generating sms template")
NO_SMS_PROVIDER = Row("unexpected_failure", 500, "Unable to get SMS provider")

# Addresses and passwords (auth reference 6)
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

# Administration (auth reference 7)
PAGINATION = Row("validation_failed", 400, "Bad Pagination Parameters: {reason}")
SORTING = Row("validation_failed", 400, "Bad Sort Parameters: {reason}")
USER_NOT_FOUND = Row("user_not_found", 404, "User not found")
FACTOR_ID_FORM = Row("validation_failed", 404, "factor_id must be an UUID")
FACTOR_NOT_FOUND = Row("mfa_factor_not_found", 404, "Factor not found")

# Constraints of the tables (auth reference 8, 9)
FACTOR_NAME_CONFLICT = Row(
    "mfa_factor_name_conflict",
    422,
    'A factor with the friendly name "{name}" for this user already exists',
)
PASSKEY_EXISTS = Row("webauthn_credential_exists", 422, "This credential is already registered")
IDENTITY_LINKED_ELSEWHERE = Row(
    "identity_already_exists", 422, "Identity is already linked to another user"
)

# Limits and captcha (auth reference 10)
EMAIL_LIMIT = Row("over_email_send_rate_limit", 429, "email rate limit exceeded")
SMS_LIMIT = Row("over_sms_send_rate_limit", 429, "SMS rate limit exceeded")
REQUEST_LIMIT = Row("over_request_rate_limit", 429, "Request rate limit reached")
TOO_BUSY = Row("unexpected_failure", 503, "Too many requests at once, please retry after a moment.")
CAPTCHA = Row("captcha_failed", 400, "captcha protection: request disallowed ({reason})")
CAPTCHA_UNREACHABLE = Row("unexpected_failure", 500, "captcha verification process failed")


# Hooks (auth reference 12)
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
HOOK_NO_CLAIMS = Row("unexpected_failure", 500, "output claims field is missing")
HOOK_CLAIMS = Row(
    "unexpected_failure",
    500,
    "output claims do not conform to the expected schema: \n{reason}",
)
HOOK_INVOCATION = Row("unexpected_failure", 500, "Error invoking hook")

_NO_ROOM = "53"  # SQLSTATE class "insufficient resources": connections, memory, disk
_TOO_LONG = "54000"  # SQLSTATE of a value that no index takes
_BY_CONSTRAINT = {
    "users_email_partial_key": EMAIL_EXISTS,
    "users_phone_key": PHONE_EXISTS,
    "identities_provider_id_provider_unique": IDENTITY_LINKED_ELSEWHERE,
    "mfa_factors_user_friendly_name_unique": FACTOR_NAME_CONFLICT,
    "webauthn_credentials_credential_id_key": PASSKEY_EXISTS,
}


class UserGoneError(LookupError):
    """The user was deleted while a request of theirs was under way."""


def oauth_error(error: str, description: str = "") -> ApiError:
    """An OAuth-style error: `{error, error_description}`, always status 400.

    Source: auth reference 1.11.
    """
    return ApiError(Problem(error, 400, description, extra={"oauth": True}))


def worded_by_hook(row: Row, **facts: str) -> ApiError:
    """An error whose text is a hook's doing: no header names its code (auth reference 12)."""
    message = row.message.format(**facts)
    return ApiError(Problem(row.code, row.status, message, extra={"hook": True}))


def weak_password(text: str, reasons: tuple[str, ...]) -> ApiError:
    """A password refused for the given reasons (auth reference 6)."""
    problem = WEAK_PASSWORD.problem(text=text)
    return ApiError(
        Problem(problem.code, problem.status, problem.message, extra={"reasons": list(reasons)})
    )


@contextmanager
def database_errors(doing: str, **facts: object) -> Generator[None]:
    """Map database errors by constraint, else to DATABASE_ERROR (auth reference 1.11, 15.1)."""
    try:
        yield
    except PgFault as error:
        raise ApiError(problem_of(error.fault, doing, **facts)) from error


@contextmanager
def unexpected_as(row: Row, doing: str = "", kind: str = "") -> Generator[None]:
    """Map database errors to this row, but for constraints and lack of resources."""
    try:
        yield
    except PgFault as error:
        problem = problem_of(error.fault)
        if problem.message == UNEXPECTED.message:
            problem = with_fault(row.problem(doing=doing, kind=kind), error.fault)
        raise ApiError(problem) from error


def problem_of(fault: Fault, doing: str = "", **facts: object) -> Problem:
    """The problem of a database error, as users may see it (auth reference 1.11)."""
    if fault.sqlstate.startswith(_NO_ROOM) and not doing:
        return (DATABASE_FULL if fault.sqlstate == DISK_FULL else NO_DATABASE).problem()
    if fault.sqlstate == _TOO_LONG:
        return VALUE_TOO_LONG.problem()
    row = _BY_CONSTRAINT.get(fault.constraint or "")
    if row is not None:
        return row.problem(name=facts.get("name", ""))
    if not doing:
        return UNEXPECTED.problem()  # the original shows a database's error beside its own words
    return with_fault(DATABASE_ERROR.problem(doing=doing), fault)


def with_fault(problem: Problem, fault: Fault) -> Problem:
    """The problem with what clients may see of the database's error (auth reference 1.11)."""
    if not _may_be_seen(fault.sqlstate):
        return problem
    seen = {"code": fault.sqlstate, "message": fault.message}
    seen |= {"hint": fault.hint} if fault.hint else {}
    seen |= {"detail": fault.detail} if fault.detail else {}
    return Problem(problem.code, problem.status, problem.message, extra={"postgres": seen})


def _may_be_seen(sqlstate: str) -> bool:
    return sqlstate.startswith(("23", "PT")) or sqlstate == "P0001"
