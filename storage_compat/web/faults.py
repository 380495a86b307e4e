"""Problems to answers: the JSON of storage reference 1.1."""

from __future__ import annotations

from compat_base.asgi import ClientGoneError
from compat_base.postgres.faults import PgFault, PoolTimeout, Unavailable
from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Problem
from compat_base.values.http import HttpResponse
from storage_compat import errors
from storage_compat.files.port import NoBytesError, StoreError

JSON = ("Content-Type", "application/json; charset=utf-8")
_BARE_JSON = ("Content-Type", "application/json")
_PARTS = ("/bucket", "/object", "/render/image", "/cdn", "/vector")


def answer_of(problem: Problem) -> HttpResponse:
    """The answer of a problem."""
    body = {
        "statusCode": str(problem.status),
        "error": problem.details or problem.code,
        "message": problem.message,
        "code": problem.code,
    }
    headers = (JSON, *problem.headers)
    return HttpResponse(errors.http_status(problem), headers, jsontext.encode_bytes(body))


def no_route(method: str, target: str) -> HttpResponse:
    """The 404 of an unknown route, in one of two shapes (storage reference 1.2)."""
    problem = errors.NO_ROUTE.problem(method=method, path=target)
    path = target.partition("?")[0]
    if any(path == part or path.startswith(f"{part}/") for part in _PARTS):
        return HttpResponse(404, (_BARE_JSON,), answer_of(problem).body)
    body = {"message": problem.message, "error": "Not Found", "statusCode": 404}
    return HttpResponse(404, (JSON,), jsontext.encode_bytes(body))


def bad_url(raw_path: str) -> HttpResponse:
    """The answer to a path whose percent-encoding is broken (storage reference 1.7)."""
    problem = errors.BAD_URL.problem(path=raw_path)
    body = {
        "error": problem.details,
        "code": problem.code,
        "message": problem.message,
        "statusCode": problem.status,
    }
    return HttpResponse(problem.status, (_BARE_JSON,), jsontext.encode_bytes(body))


def problem_of(error: Exception) -> Problem:
    """The problem of a handler's exception; an internal error for unknown ones."""
    match error:
        case ApiError():
            return error.problem
        case PgFault():
            return errors.problem_of(error.fault)
        case PoolTimeout() | Unavailable() | TimeoutError():
            return errors.DATABASE_TIMEOUT.problem()
        case NoBytesError():
            return errors.NO_BYTES.problem()
        case StoreError():
            return errors.NO_STORE_ROOM.problem()
        case ClientGoneError():
            return errors.CLIENT_GONE.problem()
        case _:
            return errors.INTERNAL.problem()
