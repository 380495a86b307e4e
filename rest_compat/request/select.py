"""The grammar of `select=` (rest reference 2.2 to 2.4)."""

from __future__ import annotations

from typing import Any

from rest_compat.request.cursor import (
    Parser,
    after,
    attempt,
    between,
    char,
    either,
    end_of_input,
    fail,
    lazily,
    look_ahead,
    mapped,
    optional,
    separated,
    sequence,
    succeed,
    then,
    whole,
    word,
)
from rest_compat.request.model import (
    Aggregate,
    FieldText,
    Join,
    SelectEmbed,
    SelectField,
    SelectItem,
)
from rest_compat.request.names import alias, blanks, field, field_name, identifier, token

_STAR = FieldText("*")

_opening = attempt(look_ahead(word("(")))
_item_end = either(
    attempt(look_ahead(word(")"))), attempt(look_ahead(word(","))), attempt(end_of_input)
)
_cast = optional(after(word("::"), identifier))


def _constant(text: str, value: Any) -> Parser[Any]:
    return mapped(word(text), lambda _: value)


_embed_parameter: Parser[Any] = after(
    char("!"),
    either(
        attempt(_constant("left", Join.LEFT)),
        attempt(_constant("inner", Join.INNER)),
        attempt(field_name),
    ),
)
_embed_parameters = mapped(
    sequence(optional(_embed_parameter), optional(_embed_parameter)),
    lambda pair: (
        next((part for part in pair if isinstance(part, str)), None),
        next((part for part in pair if isinstance(part, Join)), None),
    ),
)

# `count` can only be the aggregate, so no relation of that name is embedded.
_target = then(field_name, lambda name: fail if name == "count" else succeed(name))

_embed_head: Parser[Any] = between(
    blanks, blanks, sequence(optional(alias), _target, _embed_parameters, _opening)
)
_spread_head: Parser[Any] = between(
    blanks, blanks, sequence(after(word("..."), field_name), _embed_parameters, _opening)
)

_aggregate = either(
    _constant("sum", Aggregate.SUM),
    _constant("avg", Aggregate.AVG),
    _constant("count", Aggregate.COUNT),
    attempt(_constant("max", Aggregate.MAX)),
    attempt(_constant("min", Aggregate.MIN)),
)
_star: Parser[SelectField] = mapped(sequence(word("*"), _item_end), lambda _: SelectField(_STAR))
_count: Parser[SelectField] = mapped(
    sequence(optional(alias), word("count()"), _cast, _item_end),
    lambda parts: SelectField(
        _STAR, alias=parts[0], aggregate=Aggregate.COUNT, aggregate_cast=parts[2]
    ),
)
_aggregated = optional(attempt(sequence(char("."), _aggregate, word("()"))))
_column: Parser[SelectField] = mapped(
    sequence(optional(alias), field, _cast, _aggregated, _cast, _item_end),
    lambda parts: SelectField(
        parts[1],
        alias=parts[0],
        cast=parts[2],
        aggregate=parts[3][1] if parts[3] else None,
        aggregate_cast=parts[4],
    ),
)
_plain: Parser[SelectItem] = whole(
    "[A-Za-z0-9_]+(?=,)", lambda found: SelectField(FieldText(found.group()))
)
_field: Parser[SelectItem] = between(
    blanks, blanks, either(attempt(_star), attempt(_count), _column)
)


def _items() -> Parser[list[SelectItem]]:
    return select_items


_nested = between(char("("), char(")"), lazily(_items))


def _spread(parts: tuple[Any, ...]) -> SelectEmbed:
    (name, (hint, join), _), items = parts
    return SelectEmbed(name, None, hint, join, is_spread=True, items=tuple(items))


def _embed(parts: tuple[Any, ...]) -> SelectEmbed:
    (alias_name, name, (hint, join), _), items = parts
    return SelectEmbed(name, alias_name, hint, join, is_spread=False, items=tuple(items))


select_items: Parser[list[SelectItem]] = separated(
    either(
        _plain,
        mapped(sequence(attempt(_spread_head), _nested), _spread),
        mapped(sequence(attempt(_embed_head), _nested), _embed),
        _field,
    ),
    token(","),
)
