"""A request without its values.

Two requests of one shape have the same plan and the same SQL: only the compared, inserted or passed
values differ. Splitting a request into shape and values costs a few microseconds and lets
everything up to the SQL text be cached under the shape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from compat_base.values.errors import ApiError
from compat_base.values.http import HttpRequest
from compat_base.values.pgarray import listed_text
from rest_compat.api_request.model import (
    Action,
    Payload,
    RoutineAction,
)
from rest_compat.api_request.operators import scalar_pattern
from rest_compat.errors import BODY, JSON_TOO_LARGE
from rest_compat.http.media_types import JSON, MediaKind, decode_media_type
from rest_compat.request.payload import LARGE, Body, BodyProblem, Reading, read_body
from rest_compat.request.query_string import Pairs, decode_pairs
from rest_compat.request.rows import FlatRows
from rest_compat.request.slices import Slices, TooLongError, at_once
from rest_compat.request.target import Exposure, read_target

_NO_ROWS = FlatRows(0, {})
_MOST_JSON = 32 * LARGE  # bytes of JSON made of a body that is not large itself


class InvalidQueryError(Exception):
    """The query string is not UTF-8 after decoding; the original answers plain text, 500."""


class DataParameter(NamedTuple):
    """A parameter whose value is only data: what stands before it, and its place."""

    prefix: str
    place: int


@dataclass(frozen=True, slots=True)
class Shape:
    """Everything a plan depends on besides the schema cache and the settings."""

    action: Action
    method: str
    schema: str
    by_profile: bool
    parameters: tuple[tuple[str, str | DataParameter], ...]
    prefer: tuple[str, ...]
    accept: str | None
    content_type: str | None
    range: str | None
    payload: Payload | None
    form: tuple[tuple[str, DataParameter], ...]
    body_problem: str | None

    def size(self) -> int:
        """The characters that a plan is made of, besides the body's keys."""
        pairs = (*self.parameters, *self.form)
        texts = (value if isinstance(value, str) else value.prefix for _, value in pairs)
        keys = (key for key, _ in pairs)
        headers = (*self.prefer, self.accept or "", self.content_type or "", self.range or "")
        return sum(map(len, (*keys, *texts, *headers)))

    def weight(self) -> int:
        """What reading and planning it costs, in units of up to 2.5 µs.

        An item, a parameter and above all an embed or a group cost more than their characters.
        """
        texts = [value for _, value in self.parameters if isinstance(value, str)]
        parameters = len(self.parameters) + len(self.form)
        items = sum(text.count(",") for text in texts)
        groups = sum(text.count("(") for text in texts)
        keys = 0 if self.payload is None else len(self.payload.keys)
        return self.size() + _PARAMETER * parameters + _ITEM * items + _GROUP * groups + _KEY * keys


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a shape's placeholders: texts by index, the body, its rows where flat."""

    texts: tuple[str, ...]
    body: bytes
    rows: FlatRows = _NO_ROWS


_DIRECTIVES = frozenset({"order", "limit", "offset", "and", "or"})
_RESERVED = frozenset({"select", "columns", "on_conflict"})

_SCALAR = re.compile(scalar_pattern(), re.DOTALL)
_LIST = re.compile(r"((?:not\.)?in\.\([ \t]*+)([^)\"]*+)\)", re.DOTALL)
LIST_END = ")"
MANY_PAIRS = 500  # of a query or form: up to 5 µs each
LONG_SHAPE = 4_096  # weight: some 10 ms
_PARAMETER, _ITEM, _GROUP, _KEY = 40, 20, 100, 5  # weights in addition to those of characters


@dataclass(frozen=True, slots=True)
class ReadBody:
    """A request's body, or the problem with it; neither where the method has none."""

    body: Body | None = None
    problem: str | None = None


NO_BODY = ReadBody()


def has_many_pairs(request: HttpRequest, read: ReadBody | None = None) -> bool:
    """Whether splitting a request would block the event loop for too long.

    `read`: the body, where it was read before; a large one takes milliseconds to count again.
    """
    query, body = request.query, request.body
    if query.count("&") + query.count(";") > MANY_PAIRS:
        return True
    if read is not None:
        return read.body is not None and len(read.body.arguments) > MANY_PAIRS
    return (
        body.count(b"&") + body.count(b";") > MANY_PAIRS
        and decode_media_type(request.header("content-type") or "").kind is MediaKind.FORM
    )


def split_request(
    request: HttpRequest, exposure: Exposure, read: ReadBody | None = None
) -> tuple[Shape, Values]:
    """Split a request into its shape and values; ApiError for a failure before the query string.

    `read`: the body, where it was read before, in slices.
    """
    target = read_target(request, exposure)
    action = target.action
    texts: list[str] = []
    pairs = _pairs(request.query)
    is_call = isinstance(action, RoutineAction) and action.takes_query()
    parameters = tuple(
        (key, _data_parameter(key, value, texts, is_call=is_call)) for key, value in pairs
    )
    if read is None:
        read = at_once(_read(request, action, pairs))
    body = read.body
    form = (
        tuple((key, _add_value("", value, texts)) for key, value in body.arguments) if body else ()
    )
    shape = Shape(
        action=action,
        method=request.method,
        schema=target.schema,
        by_profile=target.by_profile,
        parameters=parameters,
        prefer=request.header_values("prefer"),
        accept=request.header("accept"),
        content_type=request.header("content-type"),
        range=request.header("range") if request.method == "GET" else None,
        payload=body.payload if body else None,
        form=form,
        body_problem=read.problem,
    )
    if body is None:
        return shape, Values(tuple(texts), b"")
    return shape, Values(tuple(texts), body.text, body.rows or _NO_ROWS)


def last_part(key: str) -> str:
    """What stands behind the last dot of a parameter's name."""
    return key.rpartition(".")[2]


def is_filter(key: str) -> bool:
    """Whether a parameter of this name is a filter (or a function's argument)."""
    return key not in _RESERVED and last_part(key) not in _DIRECTIVES


def _pairs(query: str) -> Pairs:
    if not query:
        return ()
    try:
        pairs = decode_pairs(query)
    except UnicodeDecodeError as error:
        raise InvalidQueryError from error
    # Of select, columns and on_conflict the first counts, also where it has no value.
    first = {key: value for key, value in reversed(pairs) if key in _RESERVED}
    return tuple(
        (key, value)
        for key, value in pairs
        if value is not None and first.get(key, value) is not None
    )


def _data_parameter(
    key: str, value: str, texts: list[str], *, is_call: bool
) -> str | DataParameter:
    """The value's place where it is only data; else the value, which the grammar must read."""
    if not is_filter(key):
        return value
    found = _SCALAR.fullmatch(value)
    if found is not None:
        return _add_value(found.group(1), found.group(2), texts)
    listed = _LIST.fullmatch(value)
    if listed is not None:
        return _add_value(listed.group(1), listed_text(listed.group(2).split(",")), texts)
    if is_call and not value.startswith(("not.", "in.", "is.")):
        return _add_value("", value, texts)
    return value


def _add_value(prefix: str, value: str, texts: list[str]) -> DataParameter:
    texts.append(value.partition("\0")[0])
    return DataParameter(prefix, len(texts) - 1)


def read_in_slices(request: HttpRequest, exposure: Exposure, most: int) -> Slices[ReadBody]:
    """The body of a request that can be taken apart; `most`: of JSON made of it, in bytes.

    Raises ApiError where that is passed.
    """
    action = read_target(request, exposure).action
    return (yield from _read(request, action, _pairs(request.query), most))


def has_body(method: str) -> bool:
    """Whether a method's body is looked at."""
    return method in {"POST", "PATCH", "PUT"}


def _read(
    request: HttpRequest, action: Action, pairs: Pairs, most: int = _MOST_JSON
) -> Slices[ReadBody]:
    if not has_body(request.method):
        return NO_BODY
    content_type = request.header("content-type")
    how = Reading(
        content_type=JSON if content_type is None else decode_media_type(content_type),
        for_routine=isinstance(action, RoutineAction),
        given=request.method != "PUT" and any(key == "columns" for key, _ in pairs),
        most=most,
    )
    try:
        return ReadBody((yield from read_body(request.body, how)))
    except BodyProblem as problem:
        return ReadBody(problem=str(problem))
    except TooLongError as error:
        raise ApiError.of(JSON_TOO_LARGE, limit=most) from error


def refuse_body(problem: str) -> ApiError:
    """The error of a body that cannot be used."""
    return ApiError.of(BODY, message=problem)
