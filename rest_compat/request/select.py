"""The grammar of `select=` (rest reference 2.2 to 2.4)."""

from __future__ import annotations

import re
from typing import Any

from rest_compat.api_request.model import (
    Aggregate,
    FieldText,
    Join,
    SelectEmbed,
    SelectField,
    SelectItem,
)
from rest_compat.request.combinators import (
    after,
    attempt,
    between,
    bind,
    choice,
    lazy,
    look_ahead,
    mapped,
    option_maybe,
    sep_by,
    sequence,
)
from rest_compat.request.names import (
    PLAIN_NAME,
    PLAIN_PATH,
    alias,
    blanks,
    field,
    field_name,
    identifier,
    plain_steps,
    token,
)
from rest_compat.request.parsec import Parser, char, eof, fail, regex, string, succeed

_STAR = FieldText("*")

_opening = attempt(look_ahead(string("(")))
_item_end = choice(attempt(look_ahead(string(")"))), attempt(look_ahead(string(","))), attempt(eof))
_cast = option_maybe(after(string("::"), identifier))


def _constant(text: str, value: Any) -> Parser[Any]:
    return mapped(string(text), lambda _: value)


_embed_parameter: Parser[Any] = after(
    char("!"),
    choice(
        attempt(_constant("left", Join.LEFT)),
        attempt(_constant("inner", Join.INNER)),
        attempt(field_name),
    ),
)
_embed_parameters = mapped(
    sequence(option_maybe(_embed_parameter), option_maybe(_embed_parameter)),
    lambda pair: (
        next((part for part in pair if isinstance(part, str)), None),
        next((part for part in pair if isinstance(part, Join)), None),
    ),
)

# `count` can only be the aggregate, so no relation of that name is embedded.
_target = bind(field_name, lambda name: fail if name == "count" else succeed(name))

_embed_head: Parser[Any] = between(
    blanks, blanks, sequence(option_maybe(alias), _target, _embed_parameters, _opening)
)
_spread_head: Parser[Any] = between(
    blanks, blanks, sequence(after(string("..."), field_name), _embed_parameters, _opening)
)

_aggregate = choice(
    _constant("sum", Aggregate.SUM),
    _constant("avg", Aggregate.AVG),
    _constant("count", Aggregate.COUNT),
    attempt(_constant("max", Aggregate.MAX)),
    attempt(_constant("min", Aggregate.MIN)),
)
_star: Parser[SelectField] = mapped(sequence(string("*"), _item_end), lambda _: SelectField(_STAR))
_count: Parser[SelectField] = mapped(
    sequence(option_maybe(alias), string("count()"), _cast, _item_end),
    lambda parts: SelectField(
        _STAR, alias=parts[0], aggregate=Aggregate.COUNT, aggregate_cast=parts[2]
    ),
)
_aggregated = option_maybe(attempt(sequence(char("."), _aggregate, string("()"))))
_column: Parser[SelectField] = mapped(
    sequence(option_maybe(alias), field, _cast, _aggregated, _cast, _item_end),
    lambda parts: SelectField(
        parts[1],
        alias=parts[0],
        cast=parts[2],
        aggregate=parts[3][1] if parts[3] else None,
        aggregate_cast=parts[4],
    ),
)


def _plain_field(found: re.Match[str]) -> SelectField:
    alias_name, name, path, cast, aggregate = found.groups()
    return SelectField(
        FieldText(name, plain_steps(path) if path else ()),
        alias=alias_name,
        cast=cast,
        aggregate=Aggregate(aggregate) if aggregate else None,
    )


_PLAIN_ALIAS = f"(?:({PLAIN_NAME}):(?!:))?"
_PLAIN = (
    rf"{_PLAIN_ALIAS}({PLAIN_NAME})({PLAIN_PATH})?(?:::({PLAIN_NAME}))?"
    r"(?:\.(sum|avg|count|max|min)\(\))?"
)
_plain = regex(rf"{_PLAIN}(?=,)", _plain_field)
_plain_nested = choice(
    regex(rf"{_PLAIN}(?=[,)])", _plain_field), regex(r"\*(?=[,)])", lambda _: SelectField(_STAR))
)
_plain_spread_head = regex(
    rf"\.\.\.({PLAIN_NAME})(?=\()", lambda found: (found[1], (None, None), None)
)
_plain_embed_head = regex(
    rf"{_PLAIN_ALIAS}(?!count\()({PLAIN_NAME})(?=\()",
    lambda found: (found[1], found[2], (None, None), None),
)
_field: Parser[SelectItem] = between(
    blanks, blanks, choice(attempt(_star), attempt(_count), _column)
)


def _items() -> Parser[list[SelectItem]]:
    return _nested_items


_nested = between(char("("), char(")"), lazy(_items))


def _spread(parts: tuple[Any, ...]) -> SelectEmbed:
    (name, (hint, join), _), items = parts
    return SelectEmbed(name, None, hint, join, is_spread=True, items=tuple(items))


def _embed(parts: tuple[Any, ...]) -> SelectEmbed:
    (alias_name, name, (hint, join), _), items = parts
    return SelectEmbed(name, alias_name, hint, join, is_spread=False, items=tuple(items))


def _list_of(plain: Parser[SelectField]) -> Parser[list[SelectItem]]:
    item: Parser[SelectItem] = choice(
        plain,
        mapped(sequence(choice(_plain_spread_head, attempt(_spread_head)), _nested), _spread),
        mapped(sequence(choice(_plain_embed_head, attempt(_embed_head)), _nested), _embed),
        _field,
    )
    return sep_by(item, token(","))


# An unclosed quote reaches to the end: else each escaped one in it would be tried as a beginning
_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[(),]', re.DOTALL)


def widest_level(text: str) -> int:
    """At most how many items a level of the text has, counted before the slow grammar reads it.

    A text that is none of the grammar's may seem to have more.
    """
    widest = 1
    counts = [1]
    for found in _MARK.finditer(text):
        match found[0]:
            case "(":
                counts.append(1)
            case ")" if len(counts) > 1:
                counts.pop()
            case ",":
                counts[-1] += 1
                widest = max(widest, counts[-1])
            case _:
                pass
    return widest


select_items = _list_of(_plain)
_nested_items = _list_of(_plain_nested)
