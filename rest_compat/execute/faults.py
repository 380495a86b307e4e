"""PostgreSQL's errors mapped to HTTP: SQLSTATE → status, raised responses.

Source: rest reference 14.2 and 14.3.
"""

from __future__ import annotations

from typing import Any, cast

from compat_base.postgres.faults import Fault, PgFault, Unavailable
from compat_base.values import jsontext
from compat_base.values.errors import Problem
from compat_base.values.http import in_one_line, is_header_name
from rest_compat.errors import BEARER, CONNECTION, RAISED_JSON, error_body

_FIRST, _LAST = 100, 999  # what a status line can hold
# First match wins; a shorter key stands for its whole class (rest reference 14.2).
_STATUS_OF_SQLSTATE: tuple[tuple[str, int], ...] = (
    ("08", 503), ("09", 500), ("0L", 403), ("0P", 403), ("23503", 409), ("23505", 409),
    ("25006", 405), ("21000", 500), ("22023", 400), ("25", 500), ("28", 403), ("2D", 500),
    ("38", 500), ("39", 500), ("3B", 500), ("40", 500), ("53400", 500), ("53", 503),
    ("54", 500), ("55", 500), ("57P01", 503), ("57", 500), ("58", 500), ("F0", 500),
    ("HV", 500), ("P0001", 400), ("P0", 500), ("XX", 500), ("42883", 404), ("42P01", 404),
    ("42P17", 500), ("42501", 403),
)  # fmt: skip


def problem_of_fault(fault: Fault, *, authenticated: bool) -> Problem:
    """The problem of an error; `authenticated`: the role is not the anonymous one."""
    if fault.sqlstate == "PGRST":
        return _raised_problem(fault)
    status, reason = _status_of_fault(fault, authenticated=authenticated)
    return Problem(
        code=fault.sqlstate,
        status=status,
        message=fault.message,
        details=fault.detail,
        hint=fault.hint,
        headers=BEARER if status == 401 else (),  # noqa: PLR2004 — an HTTP status
        reason=reason,
    )


def error_line(error: PgFault | Unavailable) -> str:
    """The JSON of a database error, for the log; libpq's messages end with a newline."""
    if error.fault is None:
        return error_body(CONNECTION.problem(details=f"{error}\n")).decode()
    return error_body(problem_of_fault(error.fault, authenticated=False)).decode()


def _status_of_fault(fault: Fault, *, authenticated: bool) -> tuple[int, str | None]:
    """The status, and its phrase where SQL gives one.

    Three SQLSTATEs have a second meaning, which only the message shows, as in the original: where
    `lc_messages` translates it, they count by their first.
    """
    state, message = fault.sqlstate, fault.message
    if state.startswith("PT"):
        digits = state[2:]
        status = int(digits) if digits.isdecimal() else 0
        return (status, message) if _FIRST <= status <= _LAST else (500, None)
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
        status=int(reply["status"]),
        message=body["message"],
        details=body.get("details"),
        hint=body.get("hint"),
        headers=tuple(
            (name, in_one_line(reply["headers"][name])) for name in sorted(reply["headers"])
        ),
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
        value = jsontext.decode_finite(text)
    except jsontext.InvalidJsonError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _texts(value: dict[str, Any], required: tuple[str, ...], optional: tuple[str, ...]) -> bool:
    return all(isinstance(value.get(key), str) for key in required) and all(
        value.get(key) is None or isinstance(value[key], str) for key in optional
    )


def _is_header(pair: tuple[str, Any]) -> bool:
    name, value = pair
    return is_header_name(name) and isinstance(value, str)


def _is_reply(value: dict[str, Any]) -> bool:
    status, headers = value.get("status"), value.get("headers")
    return (
        isinstance(status, int | float)
        and not isinstance(status, bool)
        and status % 1 == 0
        and _FIRST <= status <= _LAST
        and isinstance(headers, dict)
        and all(map(_is_header, cast("dict[str, Any]", headers).items()))
        and isinstance(value.get("status_text"), str | None)
    )
