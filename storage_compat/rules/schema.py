"""JSON bodies and query strings, coerced and checked as the original's JSON schemas do.

Messages and coercions are those of storage reference 1.3 and 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules.numbers import LARGEST

_INTEGER = 400  # characters, beyond which a number is infinite
_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
_MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class Field:
    """One property: `kind` is string, integer, number, boolean, array, object or any."""

    kind: str
    required: bool = False
    nullable: bool = False
    default: Any = None
    least: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()
    items: str = "string"
    fields: Mapping[str, Field] = field(default_factory=dict[str, "Field"])


Fields = Mapping[str, Field]


def check_object(value: Any, fields: Fields, where: str = "body") -> dict[str, Any]:
    """The known properties of an object, coerced; ApiError at the first that does not fit."""
    if not isinstance(value, dict):
        raise _invalid(where, "must be object")
    given = cast("dict[str, Any]", value)
    for name, one in fields.items():
        if one.required and name not in given:
            raise _invalid(where, f"must have required property '{name}'")
    return {
        name: _check(given[name], one, f"{where}/{name}") if name in given else one.default
        for name, one in fields.items()
    }


def _check(value: Any, one: Field, where: str) -> Any:
    if value is None and one.nullable:
        return None
    if one.kind == "object":
        return check_object(value, one.fields, where)
    if one.kind == "array":
        return _check_list(value, one, where)
    value = _coerced(value, one.kind)
    if value is _MISSING:
        raise _invalid(where, f"must be {one.kind}")
    if one.words and value not in one.words:
        raise _invalid(where, "must be equal to one of the allowed values")
    _check_bounds(value, one, where)
    return value


def _check_list(value: Any, one: Field, where: str) -> list[Any]:
    given = cast("list[Any]", value) if isinstance(value, list) else [value]
    if one.least is not None and len(given) < one.least:
        raise _invalid(where, f"must NOT have fewer than {one.least} items")
    if one.most is not None and len(given) > one.most:
        raise _invalid(where, f"must NOT have more than {one.most} items")
    if one.items == "string" and all(isinstance(part, str) for part in given):
        return given  # thousands of names, as they nearly always are
    item = Field(one.items)
    return [_check(part, item, f"{where}/{number}") for number, part in enumerate(given)]


def _check_bounds(value: Any, one: Field, where: str) -> None:
    if isinstance(value, str):
        if one.least is not None and len(value) < one.least:
            raise _invalid(where, f"must NOT have fewer than {one.least} characters")
        return
    if one.least is not None and value < one.least:
        raise _invalid(where, f"must be >= {one.least}")
    if one.most is not None and value > one.most:
        raise _invalid(where, f"must be <= {one.most}")


def _coerced(given: Any, kind: str) -> Any:
    """The value as the kind, `_MISSING` where it cannot be; a list of one counts as its value."""
    value: Any = given
    if isinstance(given, list) and kind != "any":
        parts = cast("list[Any]", given)
        value = parts[0] if len(parts) == 1 else _MISSING
    match kind:
        case "any":
            return value
        case "string":
            return _text(value)
        case "boolean":
            return _boolean(value)
        case _:
            number = _number(value)
            if number is not _MISSING and kind == "integer":
                return int(number) if number == int(number) else _MISSING
            return number


def _text(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return value if isinstance(value, str) else _MISSING


def _boolean(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if value is None or value in {"false", 0}:
        return False
    return True if value in {"true", 1} else _MISSING


def _number(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return int(bool(value))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        is_decimal = len(value) > _INTEGER or re.search(r"[.eE]", value)
        value = float(value) if is_decimal else int(value)
    # what no bigint holds no list has
    if not isinstance(value, int | float) or abs(value) > LARGEST:
        return _MISSING
    return value


def _invalid(where: str, what: str) -> ApiError:
    return ApiError.of(errors.INVALID_BODY, reason=f"{where} {what}")
