"""The grammar of `order=` (rest reference 2.7)."""

from __future__ import annotations

from typing import Any

from rest_compat.request.cursor import (
    Parser,
    attempt,
    before,
    between,
    char,
    either,
    end_of_input,
    look_ahead,
    mapped,
    optional,
    separated1,
    sequence,
    word,
)
from rest_compat.request.model import OrderText
from rest_compat.request.names import blanks, delimiter, field, field_name


def _suffix(text: str, value: Any) -> Parser[Any]:
    return attempt(mapped(sequence(delimiter, word(text)), lambda _: value))


_direction = optional(either(_suffix("asc", value=False), _suffix("desc", value=True)))
_nulls = either(_suffix("nullsfirst", value=True), _suffix("nullslast", value=False))
_end = either(attempt(look_ahead(char(","))), attempt(end_of_input))
_nulls_and_end = either(before(optional(_nulls), _end), mapped(_end, lambda _: None))

_column: Parser[OrderText] = mapped(
    sequence(field, _direction, _nulls_and_end),
    lambda parts: OrderText(parts[0], parts[1], parts[2]),
)
_related: Parser[OrderText] = mapped(
    sequence(field_name, between(char("("), char(")"), field), _direction, _nulls_and_end),
    lambda parts: OrderText(parts[1], parts[2], parts[3], relation=parts[0]),
)

order_terms: Parser[list[OrderText]] = separated1(
    between(blanks, blanks, either(attempt(_related), _column)), char(",")
)
