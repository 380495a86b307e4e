"""The grammar of `order=` (rest reference 2.7)."""

from __future__ import annotations

from typing import Any

from rest_compat.api_request.model import FieldText, OrderText
from rest_compat.request.combinators import (
    attempt,
    before,
    between,
    choice,
    look_ahead,
    mapped,
    option_maybe,
    sep_by1,
    sequence,
)
from rest_compat.request.names import (
    PLAIN_NAME,
    PLAIN_PATH,
    blanks,
    delimiter,
    field,
    field_name,
    plain_steps,
)
from rest_compat.request.parsec import Parser, char, eof, regex, string


def _suffix(text: str, value: Any) -> Parser[Any]:
    return attempt(mapped(sequence(delimiter, string(text)), lambda _: value))


_direction = option_maybe(choice(_suffix("asc", value=False), _suffix("desc", value=True)))
_nulls = choice(_suffix("nullsfirst", value=True), _suffix("nullslast", value=False))
_end = choice(attempt(look_ahead(char(","))), attempt(eof))
_nulls_and_end = choice(before(option_maybe(_nulls), _end), mapped(_end, lambda _: None))

_column: Parser[OrderText] = mapped(
    sequence(field, _direction, _nulls_and_end),
    lambda parts: OrderText(parts[0], parts[1], parts[2]),
)
_related: Parser[OrderText] = mapped(
    sequence(field_name, between(char("("), char(")"), field), _direction, _nulls_and_end),
    lambda parts: OrderText(parts[1], parts[2], parts[3], relation=parts[0]),
)
_WORDS = {"asc": False, "desc": True, "nullsfirst": True, "nullslast": False, None: None}
_plain: Parser[OrderText] = regex(
    rf"({PLAIN_NAME})({PLAIN_PATH})?(?:\.(asc|desc))?(?:\.(nullsfirst|nullslast))?(?=,|\Z)",
    lambda found: OrderText(
        FieldText(found[1], plain_steps(found[2]) if found[2] else ()),
        _WORDS[found[3]],
        _WORDS[found[4]],
    ),
)

order_terms: Parser[list[OrderText]] = sep_by1(
    choice(_plain, between(blanks, blanks, choice(attempt(_related), _column))), char(",")
)
