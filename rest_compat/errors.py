"""Every error the service answers, and how each leaves as JSON (rest reference 14).

Rows of a hundred belong together: 0xx connection, 1xx request, 2xx schema cache, 3xx
authentication. Retired numbers (104, 109, 110, 113, 119) are not used again.
"""

from __future__ import annotations

import re
from enum import Enum

from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Problem, Row
from compat_base.values.http import HttpResponse, in_one_line

JSON_TYPE = "application/json; charset=utf-8"
_ESCAPE = re.compile(rb"\\(.)")
_LONG_ESCAPES = {b"b": rb"\u0008", b"f": rb"\u000c"}  # the original's library knows no short ones


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

MOST_COLUMNS = 1_664  # of a SELECT of PostgreSQL's (MaxTupleAttributeNumber)
TOO_MANY_COLUMNS = Row("54011", 500, "target lists can have at most {most} entries")

NO_SECRET = Row("PGRST300", 500, "Server lacks JWT secret")
JWT_UNREADABLE = Row("PGRST301", 401, "{message}")
JWT_REQUIRED = Row("PGRST302", 401, "Anonymous access is disabled")
JWT_CLAIMS = Row("PGRST303", 401, "{message}")

INTERNAL = Row("PGRSTX00", 500, "The server met an unexpected condition")

# Reason phrases that differ from those of RFC 9110.
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
    "Those that are being received hold {limit} bytes together, or one caller two thirds of it",
)

BEARER = (("WWW-Authenticate", "Bearer"),)


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
    return ApiError(JWT_REQUIRED.problem(headers=BEARER))


def error_body(problem: Problem, verbosity: Verbosity = Verbosity.VERBOSE) -> bytes:
    """The JSON of a problem, in the key order clients see."""
    body = {"code": problem.code, "message": problem.message}
    if verbosity is Verbosity.VERBOSE:
        body = {
            "code": problem.code,
            "details": problem.details,
            "hint": problem.hint,
            "message": problem.message,
        }
    return _ESCAPE.sub(_long_escape, jsontext.encode_bytes(body))


def _long_escape(found: re.Match[bytes]) -> bytes:
    return _LONG_ESCAPES.get(found[1], found[0])


def error_response(problem: Problem, verbosity: Verbosity = Verbosity.VERBOSE) -> HttpResponse:
    """The response of a problem."""
    return HttpResponse(
        status=problem.status,
        headers=(
            ("Content-Type", JSON_TYPE),
            ("Proxy-Status", in_one_line(f"PostgREST; error={problem.code}")),
            *problem.headers,
        ),
        body=error_body(problem, verbosity),
        reason=problem.reason,
    )
