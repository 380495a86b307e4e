"""ReplyShape and Outcome → HttpResponse (rest reference 4.5, 8.1 and 9.5)."""

from __future__ import annotations

from compat_base.values.errors import Problem
from compat_base.values.http import Headers, HttpResponse
from rest_compat.api_request.model import Verb
from rest_compat.errors import RANGE, RENAMED, Verbosity, error_body
from rest_compat.http.ranges import content_range, range_status
from rest_compat.outcome import Outcome
from rest_compat.plan.model import InfoPlan, ReplyShape
from rest_compat.request.preferences import applied
from rest_compat.request.query_string import encode_pairs
from rest_compat.response.headers import overridden

_REPRESENTATION = "representation"


def render(reply: ReplyShape, outcome: Outcome, query: str, verbosity: Verbosity) -> HttpResponse:
    """The answer to a read, write or call; `query` is that of a read in its canonical form."""
    if reply.media.plan is not None:
        return HttpResponse(200, _content_type(reply), outcome.body)
    match reply.verb:
        case Verb.READ | Verb.CALL:
            response = _page(reply, outcome, query, verbosity)
        case Verb.INSERT:
            response = _inserted(reply, outcome)
        case Verb.UPDATE:
            response = _changed(reply, outcome, last=outcome.page_total - 1)
        case Verb.DELETE:
            response = _changed(reply, outcome, last=-1)
        case Verb.UPSERT:
            response = _upserted(reply, outcome)
        case Verb.INFO:
            response = HttpResponse(200)
    if outcome.response_status is None and outcome.response_headers is None and not reply.warnings:
        return response
    status, headers = overridden(
        response.status, response.headers, outcome.response_status, outcome.response_headers
    )
    return HttpResponse(
        status, (*headers, *_warnings(reply)), response.body, response.content_length
    )


def render_info(plan: InfoPlan) -> HttpResponse:
    """The answer to OPTIONS."""
    return HttpResponse(200, (("Access-Control-Allow-Origin", "*"), ("Allow", plan.allow)))


def render_document(body: bytes, schema: str | None, *, head: bool) -> HttpResponse:
    """The root document."""
    profile = () if schema is None else (("Content-Profile", schema),)
    headers = (("Content-Type", "application/openapi+json; charset=utf-8"), *profile)
    return HttpResponse(200, headers, b"" if head else body, content_length=not head)


def _page(reply: ReplyShape, outcome: Outcome, query: str, verbosity: Verbosity) -> HttpResponse:
    first = reply.window.first
    last = first + outcome.page_total - 1
    headers: Headers = (("Content-Range", content_range(first, last, outcome.total)),)
    if reply.verb is Verb.READ:
        location = f"/{reply.name}?{query}" if query else f"/{reply.name}"
        headers += (("Content-Location", location),)
    status = range_status(first, last, outcome.total)
    if reply.void:
        return HttpResponse(204, (*headers, *_applied(reply)), content_length=False)
    headers += (*_content_type(reply), *_applied(reply))
    if status == 416 and outcome.total is not None:  # noqa: PLR2004 — an HTTP status
        problem = _out_of_bounds(first, outcome.total)
        body = b"" if reply.head else error_body(problem, verbosity)
        return HttpResponse(416, headers, body, content_length=not reply.head)
    body = b"" if reply.head else outcome.body
    return HttpResponse(status, headers, body, content_length=not reply.head)


def _out_of_bounds(first: int, total: int) -> Problem:
    details = f"An offset of {first} was requested, but there are only {total} rows."
    return RANGE.problem(details=details)


def _inserted(reply: ReplyShape, outcome: Outcome) -> HttpResponse:
    headers: Headers = ()
    if outcome.location:
        headers += (("Location", f"/{reply.name}{encode_pairs(outcome.location)}"),)
    headers += (("Content-Range", content_range(1, 0, _affected(reply, outcome))),)
    headers += _applied(reply)
    # A merge that inserted nothing, because all rows were updates or there were none, is 200.
    status = 200 if reply.merges and (outcome.inserted or 0) <= 0 else 201
    if reply.representation == _REPRESENTATION:
        return HttpResponse(status, (*headers, *_content_type(reply)), outcome.body)
    return HttpResponse(status, headers)


def _changed(reply: ReplyShape, outcome: Outcome, *, last: int) -> HttpResponse:
    first = 0 if reply.verb is Verb.UPDATE else 1
    rows = content_range(first, last, _affected(reply, outcome))
    headers: Headers = (("Content-Range", rows), *_applied(reply))
    if reply.representation == _REPRESENTATION:
        return HttpResponse(200, (*headers, *_content_type(reply)), outcome.body)
    return HttpResponse(204, headers, content_length=False)


def _upserted(reply: ReplyShape, outcome: Outcome) -> HttpResponse:
    if reply.representation != _REPRESENTATION:
        return HttpResponse(204, _applied(reply), content_length=False)
    status = 201 if (outcome.inserted or 0) > 0 else 200
    return HttpResponse(status, (*_content_type(reply), *_applied(reply)), outcome.body)


def _affected(reply: ReplyShape, outcome: Outcome) -> int | None:
    return outcome.page_total if reply.applied.counts() else None


def _content_type(reply: ReplyShape) -> Headers:
    profile = () if reply.schema is None else (("Content-Profile", reply.schema),)
    return (("Content-Type", reply.media.content_type()), *profile)


def _applied(reply: ReplyShape) -> Headers:
    value = applied(reply.applied)
    return () if value is None else (("Preference-Applied", value),)


def _warnings(reply: ReplyShape) -> Headers:
    if not reply.warnings:
        return ()
    renames = ", ".join(f"`{old}` to `{new}`" for old, new in reply.warnings)
    text = f"{RENAMED} Update {renames} in query string filters, orders or limits."
    return (("Warning", f'299 PostgRESTv16.2 "{text}"'),)
