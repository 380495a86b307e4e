"""Problems to answers, in both versions of the error body (auth reference 1.11)."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from compat_base.values import jsontext
from compat_base.values.errors import Problem
from compat_base.values.http import HttpRequest, HttpResponse
from gotrue_compat import errors
from gotrue_compat.http.language import prefers_spanish
from gotrue_compat.web.translations import translated

VERSION = "2024-01-01"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SERVER_ERROR = 500


def error_answer(problem: Problem, request: HttpRequest, request_id: str | None) -> HttpResponse:
    """The response of a problem, in the version and language of the request."""
    message = problem.message
    if prefers_spanish(request):
        message = translated(problem.code, message)
    if problem.extra.get("oauth"):
        version = (("X-Supabase-Api-Version", VERSION),) if is_new_version(request) else ()
        return _json(400, _oauth_body(problem.code, message), (*version, *problem.headers))
    if is_new_version(request):
        return _new_answer(problem, message)
    return _old_answer(problem, message, request_id)


def _new_answer(problem: Problem, message: str) -> HttpResponse:
    body: dict[str, Any] = {"code": problem.code, "message": message}
    headers = [("X-Supabase-Api-Version", VERSION)]
    if "reasons" in problem.extra:
        body["weak_password"] = {"reasons": problem.extra["reasons"]}
    else:
        headers += _code_headers(problem)
    return _json(problem.status, body, (*headers, *problem.headers))


def _old_answer(problem: Problem, message: str, request_id: str | None) -> HttpResponse:
    seen = problem.extra.get("postgres")
    headers = (*_code_headers(problem), *problem.headers)
    is_unexpected = problem.message == errors.UNEXPECTED.message
    if seen is not None:
        return _json(_postgres_status(seen["code"]), seen, headers)
    body: dict[str, Any] = {"code": problem.status, "error_code": problem.code, "msg": message}
    if problem.status >= _SERVER_ERROR and request_id and not is_unexpected:
        body["error_id"] = request_id
    if "reasons" in problem.extra:
        body["weak_password"] = {"reasons": problem.extra["reasons"]}
    return _json(problem.status, body, headers)


def _code_headers(problem: Problem) -> tuple[tuple[str, str], ...]:
    """The error's code, unless a hook or nothing worded it: the original knows none then."""
    is_unworded = problem.message == errors.UNEXPECTED.message or problem.extra.get("hook")
    return () if is_unworded else (("X-Sb-Error-Code", problem.code),)


def is_new_version(request: HttpRequest) -> bool:
    """Whether the request asks for answers of 2024-01-01 or later."""
    text = request.header("x-supabase-api-version") or ""
    if not _DATE.fullmatch(text):
        return False
    try:
        return date.fromisoformat(text) >= date.fromisoformat(VERSION)
    except ValueError:
        return False


def _oauth_body(error: str, description: str) -> dict[str, str]:
    return {"error": error} | ({"error_description": description} if description else {})


def _postgres_status(sqlstate: str) -> int:
    """`PTnnn` names its status, as with PostgREST."""
    digits = sqlstate.removeprefix("PT")
    is_status = sqlstate.startswith("PT") and digits.isdigit() and len(digits) == 3  # noqa: PLR2004
    return int(digits) if is_status and 200 <= int(digits) < 600 else _SERVER_ERROR  # noqa: PLR2004


def _json(status: int, body: Any, headers: tuple[tuple[str, str], ...]) -> HttpResponse:
    return HttpResponse(
        status, (("Content-Type", "application/json"), *headers), jsontext.encode_bytes(body)
    )
