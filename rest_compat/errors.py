"""Every error the service answers, and how each leaves as JSON (rest reference 14).

Rows of a hundred belong together: 0xx connection, 1xx request, 2xx schema cache, 3xx
authentication. Retired numbers (104, 109, 110, 113, 119) are not used again.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from compat_base.postgres.faults import Fault, PgFault, Unavailable
from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Problem, Row
from compat_base.values.http import HttpResponse

JSON_TYPE = "application/json; charset=utf-8"


class Verbosity(Enum):
    """How much of an error its body shows."""

    VERBOSE = "verbose"
    MINIMAL = "minimal"


CONNECTION = Row("PGRST000", 503, "Database connection error.")
CONNECTION_LOST = Row("PGRST001", 503, "Database client error. Retrying the connection.")
NO_SCHEMA_CACHE = Row(
    "PGRST002", 503, "Could not query the database for the schema cache. Retrying."
)
POOL_TIMEOUT = Row("PGRST003", 504, "Timed out acquiring connection from connection pool.")

SYNTAX = Row("PGRST100", 400, "{message}")
RPC_METHOD = Row("PGRST101", 405, "Cannot use the {method} method on RPC")
BODY = Row("PGRST102", 400, "{message}")
RANGE = Row("PGRST103", 416, "Requested range not satisfiable")
PUT_FILTERS = Row(
    "PGRST105",
    405,
    "Filters must include all and only primary key columns with 'eq' operators",
)
SCHEMA = Row(
    "PGRST106",
    406,
    "Invalid schema: {schema}",
    hint="Only the following schemas are exposed: {exposed}",
)
MEDIA_TYPE = Row("PGRST107", 406, "None of these media types are available: {accepted}")
NOT_EMBEDDED = Row(
    "PGRST108",
    400,
    "'{name}' is not an embedded resource in this request",
    hint="Verify that '{name}' is included in the 'select' query parameter.",
)
GUC_HEADERS = Row(
    "PGRST111",
    500,
    "response.headers guc must be a JSON array composed of objects with a single key"
    " and a string value",
)
GUC_STATUS = Row("PGRST112", 500, "response.status guc must be a valid status code")
PUT_LIMIT = Row("PGRST114", 400, "limit/offset querystring parameters are not allowed for PUT")
PUT_PAYLOAD = Row("PGRST115", 400, "Payload values do not match URL in primary key column(s)")
SINGULARITY = Row(
    "PGRST116",
    406,
    "Cannot coerce the result to a single JSON object",
    "The result contains {count} rows",
)
METHOD = Row("PGRST117", 405, "Unsupported HTTP method: {method}")
RELATED_ORDER = Row(
    "PGRST118",
    400,
    "A related order on '{target}' is not possible",
    "'{origin}' and '{target}' do not form a many-to-one or one-to-one relationship",
)
RAISED_JSON = Row("PGRST121", 500, "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error")
PREFERENCES = Row(
    "PGRST122",
    400,
    "Invalid preferences given with handling=strict",
    "Invalid preferences: {preferences}",
)
AGGREGATES = Row("PGRST123", 400, "Use of aggregate functions is not allowed")
MAX_AFFECTED = Row(
    "PGRST124",
    400,
    "Query result exceeds max-affected preference constraint",
    "The query affects {count} rows",
)
PATH = Row("PGRST125", 404, "Invalid path specified in request URL")
ROOT_DISABLED = Row("PGRST126", 404, "Root endpoint metadata is disabled")
NOT_IMPLEMENTED = Row("PGRST127", 400, "Feature not implemented")
MAX_AFFECTED_RPC = Row(
    "PGRST128",
    400,
    "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
)

NO_RELATIONSHIP = Row(
    "PGRST200",
    400,
    "Could not find a relationship between '{origin}' and '{target}' in the schema cache",
)
AMBIGUOUS_RELATIONSHIP = Row(
    "PGRST201",
    300,
    "Could not embed because more than one relationship was found for '{origin}' and '{target}'",
    hint="Try changing '{target}' to one of the following: {choices}."
    " Find the desired relationship in the 'details' key.",
)
NO_ROUTINE = Row("PGRST202", 404, "Could not find the function {call} in the schema cache")
AMBIGUOUS_ROUTINE = Row(
    "PGRST203",
    300,
    "Could not choose the best candidate function between: {candidates}",
    hint="Try renaming the parameters or the function itself in the database"
    " so function overloading can be resolved",
)
NO_COLUMN = Row(
    "PGRST204", 400, "Could not find the '{column}' column of '{table}' in the schema cache"
)
NO_TABLE = Row("PGRST205", 404, "Could not find the table '{table}' in the schema cache")

NO_SECRET = Row("PGRST300", 500, "Server lacks JWT secret")
JWT_UNREADABLE = Row("PGRST301", 401, "{message}")
JWT_REQUIRED = Row("PGRST302", 401, "Anonymous access is disabled")
JWT_CLAIMS = Row("PGRST303", 401, "{message}")

INTERNAL = Row("PGRSTX00", 500, "The server met an unexpected condition")

# Reason phrases that others word differently.
PHRASES = {203: "Non-Authoritative", 418: "I'm a teapot"}
RENAMED = (
    "Embedded resource was referenced by relation name even though it has an alias."
    " This is deprecated and will stop working in a future release."
)
TOO_DEEP = "the request is nested too deeply"
BODY_TOO_LARGE = Row(
    "PGRST102",
    413,
    "The request body is larger than {limit} bytes",
    "The bytes of the body are counted as they are sent, without the headers",
    "Send the rows in several requests, or set PGRST_SERVER_MAX_BODY_SIZE",
)
JSON_TOO_LARGE = Row(
    "PGRST102",
    413,
    "The request body is larger than {limit} bytes as JSON",
    "Each row of CSV is counted with the names of the header, which it repeats as JSON",
    "Send the rows in several requests, or as JSON with columns= in the URL",
)
BODIES_WAITING = Row(
    "PGRST003",
    503,
    "Too many large request bodies are waiting",
    "Those that are being received hold more than {limit} bytes together",
)

_BEARER = (("WWW-Authenticate", "Bearer"),)

# First match wins; a shorter key stands for its whole class (rest reference 14.2).
_STATUS_OF_SQLSTATE: tuple[tuple[str, int], ...] = (
    ("08", 503), ("09", 500), ("0L", 403), ("0P", 403), ("23503", 409), ("23505", 409),
    ("25006", 405), ("21000", 500), ("22023", 400), ("25", 500), ("28", 403), ("2D", 500),
    ("38", 500), ("39", 500), ("3B", 500), ("40", 500), ("53400", 500), ("53", 503),
    ("54", 500), ("55", 500), ("57P01", 503), ("57", 500), ("58", 500), ("F0", 500),
    ("HV", 500), ("P0001", 400), ("P0", 500), ("XX", 500), ("42883", 404), ("42P01", 404),
    ("42P17", 500), ("42501", 403),
)  # fmt: skip


def syntax_error(message: str, details: str) -> ApiError:
    """The error of a grammar: message with kind, raw text and position; details with the rest."""
    return ApiError(SYNTAX.problem(message=message, details=details))


def unauthorized(row: Row, message: str, details: str | None = None) -> ApiError:
    """A refusal of a token, with the challenge of RFC 6750."""
    challenge = f'Bearer error="invalid_token", error_description="{message}"'
    return ApiError(
        row.problem(
            message=message,
            details=details,
            headers=(("WWW-Authenticate", challenge),),
        )
    )


def anonymous_refused() -> ApiError:
    """No token came and there is no anonymous role."""
    return ApiError(JWT_REQUIRED.problem(headers=_BEARER))


def problem_of_fault(fault: Fault, *, authenticated: bool) -> Problem:
    """The error that answers PostgreSQL's refusal; `authenticated`: not the anonymous role."""
    if fault.sqlstate == "PGRST":
        return _raised_problem(fault)
    status, reason = _status_of_fault(fault, authenticated=authenticated)
    return Problem(
        code=fault.sqlstate,
        status=status,
        message=fault.message,
        details=fault.detail,
        hint=fault.hint,
        headers=_BEARER if status == 401 else (),  # noqa: PLR2004 — the status says itself
        reason=reason,
    )


def error_line(error: PgFault | Unavailable) -> str:
    """The JSON of what the database refused, for the log; libpq's words end with their line."""
    if error.fault is None:
        return error_body(CONNECTION.problem(details=f"{error}\n")).decode()
    return error_body(problem_of_fault(error.fault, authenticated=False)).decode()


def error_body(problem: Problem, verbosity: Verbosity = Verbosity.VERBOSE) -> bytes:
    """The JSON of a problem, in the key order clients see."""
    if verbosity is Verbosity.MINIMAL:
        return jsontext.encode_bytes({"code": problem.code, "message": problem.message})
    return jsontext.encode_bytes(
        {
            "code": problem.code,
            "details": problem.details,
            "hint": problem.hint,
            "message": problem.message,
        }
    )


def error_response(problem: Problem, verbosity: Verbosity = Verbosity.VERBOSE) -> HttpResponse:
    """The response of a problem."""
    return HttpResponse(
        status=problem.status,
        headers=(
            ("Content-Type", JSON_TYPE),
            ("Proxy-Status", f"PostgREST; error={problem.code}"),
            *problem.headers,
        ),
        body=error_body(problem, verbosity),
        reason=problem.reason,
    )


def _status_of_fault(fault: Fault, *, authenticated: bool) -> tuple[int, str | None]:
    state, message = fault.sqlstate, fault.message
    if state.startswith("PT"):
        digits = state[2:]
        return (int(digits), message) if digits.isdecimal() else (500, None)
    if state == "21000" and message.endswith("requires a WHERE clause"):
        return 400, None
    if state == "22023" and message.startswith("role") and message.endswith("does not exist"):
        return 401, None
    if state == "42501" and not authenticated:
        return 401, None
    if state == "42883" and message.startswith("function xmlagg("):
        return 406, None
    for prefix, status in _STATUS_OF_SQLSTATE:
        if state.startswith(prefix):
            return status, None
    return 400, None


def _raised_problem(fault: Fault) -> Problem:
    """Read `RAISE SQLSTATE 'PGRST'`: the whole response as JSON (rest reference 14.3)."""
    body = _object(fault.message)
    if body is None or not _texts(body, ("code", "message"), ("details", "hint")):
        return _unreadable(f"Invalid JSON value for MESSAGE: '{fault.message}'", _MESSAGE_HINT)
    if fault.detail is None:
        return _unreadable("DETAIL is missing in the RAISE statement", _DETAIL_HINT)
    reply = _object(fault.detail)
    if reply is None or not _is_reply(reply):
        return _unreadable(f"Invalid JSON value for DETAIL: '{fault.detail}'", _DETAIL_HINT)
    return Problem(
        code=body["code"],
        status=reply["status"],
        message=body["message"],
        details=body.get("details"),
        hint=body.get("hint"),
        headers=tuple(sorted(reply["headers"].items())),
        reason=reply.get("status_text"),
    )


_MESSAGE_HINT = (
    "MESSAGE must be a JSON object with obligatory keys: 'code', 'message'"
    " and optional keys: 'details', 'hint'."
)
_DETAIL_HINT = (
    "DETAIL must be a JSON object with obligatory keys: 'status', 'headers'"
    " and optional key: 'status_text'."
)


def _unreadable(details: str, hint: str) -> Problem:
    return RAISED_JSON.problem(details=details, hint=hint)


def _object(text: str) -> dict[str, Any] | None:
    try:
        return jsontext.decode_object(text)
    except jsontext.InvalidJsonError:
        return None


def _texts(value: dict[str, Any], required: tuple[str, ...], optional: tuple[str, ...]) -> bool:
    return all(isinstance(value.get(key), str) for key in required) and all(
        value.get(key) is None or isinstance(value[key], str) for key in optional
    )


def _is_reply(value: dict[str, Any]) -> bool:
    status, headers = value.get("status"), value.get("headers")
    return (
        isinstance(status, int)
        and not isinstance(status, bool)
        and 100 <= status <= 999  # noqa: PLR2004 — what a status line can hold
        and isinstance(headers, dict)
        and all(isinstance(text, str) for text in headers.values())  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] decoded JSON
        and isinstance(value.get("status_text"), str | None)
    )
