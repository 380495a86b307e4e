"""Shape → ApiRequest: every grammar applied, and the row windows worked out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import (
    ApiRequest,
    Binary,
    Filter,
    FullText,
    InList,
    LogicTree,
    Operation,
    OrderText,
    Parameters,
    Path,
    Placeholder,
    RoutineAction,
    Value,
)
from rest_compat.api_request.operators import BY_NAME
from rest_compat.errors import (
    MOST_COLUMNS,
    PUT_LIMIT,
    RANGE,
    TOO_DEEP,
    TOO_MANY_COLUMNS,
    syntax_error,
)
from rest_compat.http.media_types import JSON, accepted, decode_media_type
from rest_compat.http.ranges import ALL, ZERO, Window, integer_of, window_of_header
from rest_compat.request import parsec
from rest_compat.request.filters import condition, logic_tree
from rest_compat.request.names import columns, logic_path, tree_path
from rest_compat.request.ordering import order_terms
from rest_compat.request.preferences import parse_preferences
from rest_compat.request.select import select_items, widest_level
from rest_compat.request.shape import (
    LIST_END,
    DataParameter,
    Shape,
    is_filter,
    last_part,
    refuse_body,
)
from rest_compat.request.syntax_failures import ParseError

T = TypeVar("T")

_SHORT = 32  # characters before a filter's value

_NEGATIVE_LIMIT = "Limit should be greater than or equal to zero."
_REVERSED_RANGE = (
    "The lower boundary must be lower than or equal to the upper boundary in the Range header."
)


def parse(shape: Shape, *, allow_transaction: bool) -> ApiRequest:
    """Understand a request; raises ApiError for the first problem."""
    try:
        return _parse(shape, allow_transaction=allow_transaction)
    except RecursionError as error:
        raise syntax_error(TOO_DEEP, TOO_DEEP) from error


def _parse(shape: Shape, *, allow_transaction: bool) -> ApiRequest:
    parameters = _parameters(shape)
    window, windows = _windows(shape)
    if shape.body_problem is not None:
        raise refuse_body(shape.body_problem)
    payload = shape.payload
    media = JSON if shape.content_type is None else decode_media_type(shape.content_type)
    keys = frozenset[str]() if payload is None else payload.keys
    # Of a CSV or form the columns are those that it has.
    is_given = shape.method in {"POST", "PATCH"} and media == JSON and payload is not None
    if is_given and parameters.columns is not None:
        keys = frozenset(parameters.columns)
    return ApiRequest(
        action=shape.action,
        parameters=replace(parameters, windows=windows),
        window=window,
        payload=payload,
        columns=keys,
        preferences=parse_preferences(shape.prefer, allow_transaction=allow_transaction),
        schema=shape.schema,
        by_profile=shape.by_profile,
        accepts=accepted(shape.accept),
        content_type=media,
        method=shape.method,
    )


def _parameters(shape: Shape) -> Parameters:
    is_call = isinstance(shape.action, RoutineAction) and shape.action.takes_query()
    texts = [(key, value) for key, value in shape.parameters if isinstance(value, str)]
    orders = tuple(_order(key, text) for key, text in texts if last_part(key) == "order")
    logic = tuple(_logic(key, text) for key, text in texts if last_part(key) in {"and", "or"})
    chosen = _first(texts, "columns")
    select = _first(texts, "select")
    given = None if chosen is None else _columns(chosen)
    if select is not None and widest_level(select) > MOST_COLUMNS:
        raise ApiError.of(TOO_MANY_COLUMNS, most=MOST_COLUMNS)
    items = _run(select_items, "select parameter", "*" if select is None else select)
    filters: list[tuple[Path, Filter]] = []
    arguments: list[tuple[str, Value]] = []
    for key, value in shape.parameters:
        if is_filter(key):
            path, field = _run(tree_path, "tree path", key)
            read = _condition(value, is_call=is_call)
            if isinstance(read, Placeholder):
                arguments.append((field.name, read))
            else:
                filters.append((path, Filter(field, *read)))
    conflict = _first(texts, "on_conflict")
    return Parameters(
        select=tuple(items),
        filters=tuple(filters),
        logic=logic,
        orders=orders,
        windows=(),
        arguments=tuple(arguments)
        or tuple((key, _placeholder_of(placeholder)) for key, placeholder in shape.form),
        filter_keys=frozenset(key for key, _ in shape.parameters if is_filter(key)),
        columns=None if given is None else tuple(given),
        on_conflict=None
        if conflict is None
        else tuple(_run(columns, "on_conflict parameter", conflict)),
    )


def _first(texts: Iterable[tuple[str, str]], name: str) -> str | None:
    return next((text for key, text in texts if key == name), None)


def _run(parser: parsec.Parser[T], kind: str, text: str, *, prefix: str = "") -> T:
    """Apply a grammar; its failure becomes the error clients see (rest reference 2.10)."""
    try:
        return parsec.run(parser, prefix + text)
    except ParseError as problem:
        place = f"(line {problem.line}, column {problem.column})"
        message = f'"failed to parse {kind} ({text})" {place}'
        raise syntax_error(message, problem.details) from problem


def _columns(text: str) -> list[str]:
    if text.count(",") >= MOST_COLUMNS:
        raise ApiError.of(TOO_MANY_COLUMNS, most=MOST_COLUMNS)
    return _run(columns, "columns parameter", text)


def _order(key: str, text: str) -> tuple[Path, tuple[OrderText, ...]]:
    path, _ = _run(tree_path, "tree path", key)
    if text.count(",") >= MOST_COLUMNS:
        raise ApiError.of(TOO_MANY_COLUMNS, most=MOST_COLUMNS)
    return path, tuple(_run(order_terms, "order", text))


def _logic(key: str, text: str) -> tuple[Path, LogicTree]:
    parts = _run(logic_path, "logic path", key)
    operator = f"not.{parts[-1]}" if "not" in parts else parts[-1]
    path = tuple(part for part in parts[:-1] if part != "not")
    # The operator is put in front, so positions count it as if it stood in the value.
    return path, _run(logic_tree, "logic tree", text, prefix=operator)


def _condition(
    value: str | DataParameter, *, is_call: bool
) -> tuple[bool, Operation] | Placeholder:
    """A filter's negation and operation, or the place of a function's argument."""
    if isinstance(value, str):
        return _run(condition, "filter", value)
    if is_call and not value.prefix:
        return _placeholder_of(value)
    ends = LIST_END if value.prefix.rstrip(" \t").endswith("(") else ""
    negated, operation = _operation(value.prefix + ends)
    return negated, _with_slot(operation, value.place)


def _operation(text: str) -> tuple[bool, Operation]:
    return _known_operation(text) if len(text) <= _SHORT else parsec.run(condition, text)


@lru_cache(maxsize=256)
def _known_operation(text: str) -> tuple[bool, Operation]:
    """What stands before a filter's value is one of few texts."""
    return parsec.run(condition, text)


def _placeholder_of(value: DataParameter) -> Placeholder:
    return Placeholder(value.place)


def _with_slot(operation: Operation, index: int) -> Operation:
    match operation:
        case Binary(operator, _, quantifier):
            placeholder = Placeholder(index, wildcard=BY_NAME[operator].wildcard)
            return Binary(operator, placeholder, quantifier)
        case FullText(operator, language, _):
            return FullText(operator, language, Placeholder(index))
        case InList():
            return InList(Placeholder(index))
        case _:
            return operation


# ── windows ────────────────────────────────────────────────────────────────────────────────────


def _windows(shape: Shape) -> tuple[Window, tuple[tuple[Path, Window], ...]]:
    """The root's window, and those of all levels, the root's among them."""
    by_path = _windows_of_parameters(shape)
    root = by_path.get("", ALL)
    header = ALL if shape.range is None else window_of_header(shape.range)
    window = root.intersect(header) if header != ALL else root.intersect(ALL)
    if root.last == ZERO.last:
        window = ZERO
    elif window.is_empty() or root.is_empty() or header.is_empty():
        details = _REVERSED_RANGE if header.is_empty() else _NEGATIVE_LIMIT
        raise ApiError(RANGE.problem(details=details))
    if shape.method == "PUT" and window != ALL:
        raise ApiError.of(PUT_LIMIT)
    by_path[""] = window
    return window, tuple((_path(key), found) for key, found in by_path.items())


def _windows_of_parameters(shape: Shape) -> dict[str, Window]:
    limits: dict[str, Window] = {}
    offsets: dict[str, Window] = {}
    for key, value in shape.parameters:
        path, _, directive = key.rpartition(".")
        if directive == "limit":
            number = _integer(value)
            limits[path] = ALL if number is None else Window(0, number - 1)
        elif directive == "offset":
            number = _integer(value)
            offsets[path] = ALL if number is None else Window(number)
    windows = limits | offsets
    for path in limits.keys() & offsets.keys():
        first = offsets[path].first
        windows[path] = Window(first, first + (limits[path].limit() or 0) - 1)
    return windows


def _path(key: str) -> Path:
    if not key:
        return ()
    path, _ = _run(tree_path, "tree path", f"{key}.limit")
    return path


def _integer(value: str | DataParameter) -> int | None:
    return integer_of(value) if isinstance(value, str) else None
