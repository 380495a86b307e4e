"""JSON bodies and query strings, coerced and checked as the original's JSON schemas do.

Messages and coercions are those of storage reference 1.3 and 1.4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules.numbers import LARGEST

_INTEGER = 400  # characters, beyond which a number is infinite
_NUMBER = re.compile(r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
_SIZE = re.compile(r"[0-9]+(\.[0-9]+)?[gmk]?b", re.IGNORECASE)
_SIZE_PATTERN = r"^[0-9]+(?:\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$"
_WRITTEN_OUT = 1e21  # from which on JavaScript writes an exponent
_MISSING: Any = object()
_STEP = 500  # items checked before other requests are served


@dataclass(frozen=True, slots=True)
class Field:
    """One property: `kind` is string, integer, number, boolean, array, object, size or any.

    `refine` is a further check of an object: it takes the object and its position.
    """

    kind: str
    required: bool = False
    nullable: bool = False
    default: Any = None
    least: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()
    items: str = "string"
    fields: Mapping[str, Field] = field(default_factory=dict[str, "Field"])
    refine: Callable[[Mapping[str, Any], str], None] | None = None


Fields = Mapping[str, Field]


def coerce_texts(value: Any, fields: Fields) -> Generator[None]:
    """Coerce long lists of texts in place, as `check_object` does, with pauses.

    It stops at the first list or item that does not fit, which `check_object` then refuses.
    """
    if not isinstance(value, dict):
        return
    given = cast("dict[str, Any]", value)
    for name, one in fields.items():
        items = given.get(name)
        if one.kind != "array" or one.items != "string" or not isinstance(items, list):
            continue
        texts = cast("list[Any]", items)
        if one.most is not None and len(texts) > one.most:
            return
        for start in range(0, len(texts), _STEP):
            made = [_text(_alone(item)) for item in texts[start : start + _STEP]]
            if _MISSING in made:
                del texts[start + made.index(_MISSING) + 1 :]
                made = made[: made.index(_MISSING)]
            texts[start : start + len(made)] = made
            yield


def check_object(value: Any, fields: Fields, where: str = "body") -> dict[str, Any]:
    """Coerce the known properties of an object; ApiError at the first that does not fit."""
    if not isinstance(value, dict):
        raise invalid(where, "must be object")
    given = cast("dict[str, Any]", value)
    for name, one in fields.items():
        if one.required and name not in given:
            raise invalid(where, f"must have required property '{name}'")
    return {
        name: _check(given[name], one, f"{where}/{name}") if name in given else one.default
        for name, one in fields.items()
    }


def _check(value: Any, one: Field, where: str) -> Any:
    if value is None and one.nullable:
        return None
    if one.kind == "object":
        checked = check_object(value, one.fields, where)
        if one.refine is not None:
            one.refine(checked, where)
        return checked
    if one.kind == "size":
        return _check_size(value, where)
    if one.kind == "array":
        return _check_list(value, one, where)
    value = _coerced(value, one.kind)
    if value is _MISSING:
        raise invalid(where, f"must be {one.kind}")
    if one.words and value not in one.words:
        raise invalid(where, "must be equal to one of the allowed values")
    _check_bounds(value, one, where)
    return value


def _check_list(value: Any, one: Field, where: str) -> list[Any]:
    if isinstance(value, dict):
        raise invalid(where, "must be array")
    given = cast("list[Any]", value) if isinstance(value, list) else [value]
    if one.least is not None and len(given) < one.least:
        raise invalid(where, f"must NOT have fewer than {one.least} items")
    if one.most is not None and len(given) > one.most:
        raise invalid(where, f"must NOT have more than {one.most} items")
    if one.items == "string" and set(map(type, given)) <= {str}:
        return given  # thousands of names, as they nearly always are
    item, is_text = Field(one.items), one.items == "string"
    return [
        part if is_text and isinstance(part, str) else _check(part, item, f"{where}/{number}")
        for number, part in enumerate(given)
    ]


def _check_bounds(value: Any, one: Field, where: str) -> None:
    if isinstance(value, str):
        if one.least is not None and len(value) < one.least:
            raise invalid(where, f"must NOT have fewer than {one.least} characters")
        return
    if one.least is not None and value < one.least:
        raise invalid(where, f"must be >= {one.least}")
    if one.most is not None and value > one.most:
        raise invalid(where, f"must be <= {one.most}")


def _coerced(given: Any, kind: str) -> Any:
    """The value as the kind, `_MISSING` where it cannot be; a list of one counts as its value."""
    value: Any = given if kind == "any" else _alone(given)
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
    if isinstance(value, float) and abs(value) < _WRITTEN_OUT and value == int(value):
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    return value if isinstance(value, str) else _MISSING


def _boolean(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, dict | list):
        return _MISSING
    if value is None or value in {"false", 0}:
        return False
    return True if value in {"true", 1} else _MISSING


def _number(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return int(bool(value))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        is_decimal = len(value) > _INTEGER or re.search(r"[.eE]", value)
        value = float(value) if is_decimal else int(value)
    if isinstance(value, float) and not math.isfinite(value):
        return _MISSING
    return _held(value) if isinstance(value, int | float) else _MISSING


def _held(number: float) -> float:
    """The number, or the largest of its sign that a bigint holds: no list has more."""
    return min(max(number, -LARGEST), LARGEST)


def _check_size(value: Any, where: str) -> int | str | None:
    """A number of bytes, or a text such as `1.5KB`; None for null and for nothing."""
    if value is None or value == "":
        return None
    number = _as_number(value)
    failed: list[str] = []
    if number is None:
        failed += ["must be integer", 'must pass "finite" keyword validation']
    elif not math.isfinite(number):
        failed.append('must pass "finite" keyword validation')
    elif number != int(number) or isinstance(value, list):
        failed.append("must be integer")
    elif number < 0:
        failed.append("must be >= 0")
    else:
        return int(number)
    text = _text(_alone(value))
    if isinstance(text, str) and _SIZE.fullmatch(text):
        return text
    is_text = isinstance(text, str)
    failed.append(f'must match pattern "{_SIZE_PATTERN}"' if is_text else "must be string")
    failed.append("must match a schema in anyOf")
    raise ApiError.of(errors.INVALID_BODY, reason=", ".join(f"{where} {why}" for why in failed))


def _as_number(given: Any) -> float | None:
    """The number that JavaScript makes of a value, None where it makes none."""
    value = _alone(given)
    if isinstance(value, str):
        if value.strip() == "Infinity":
            return math.inf
        return float(value) if _NUMBER.fullmatch(value) else (None if value.strip() else 0)
    return _held(value) if isinstance(value, int | float) else None


def _alone(value: Any) -> Any:
    """The only item of a list."""
    if not isinstance(value, list):
        return value
    parts = cast("list[Any]", value)
    return parts[0] if len(parts) == 1 else _MISSING


def invalid(where: str, what: str) -> ApiError:
    """The refusal of a value and where it was."""
    return ApiError.of(errors.INVALID_BODY, reason=f"{where} {what}")
