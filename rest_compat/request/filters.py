"""The grammars of filters and logic trees (rest reference 2.5 and 2.6)."""

from __future__ import annotations

from typing import Any

from rest_compat.api_request.model import (
    Binary,
    FieldText,
    Filter,
    FullText,
    InList,
    Is,
    LogicGroup,
    LogicTree,
    Operation,
    Quantifier,
)
from rest_compat.api_request.operators import IS_VALUES, Family, names_of, pattern_of
from rest_compat.request.combinators import (
    after,
    attempt,
    before,
    between,
    choice,
    lazy,
    mapped,
    not_followed_by,
    option_maybe,
    sep_by1,
    sequence,
)
from rest_compat.request.names import blanks, delimiter, field, identifier, quoted, token
from rest_compat.request.parsec import (
    Parser,
    char,
    label,
    none_of,
    regex,
    run_of,
    span_of,
    string,
    succeed,
)

_QUANTIFIED = names_of(Family.QUANTIFIED)
_UNKNOWN_OPERATOR = "unknown single value operator"


def _words(names: tuple[str, ...]) -> Parser[str]:
    return choice(*(attempt(string(name)) for name in names))


def _in_any_case(text: str) -> Parser[str]:
    letters = (choice(char(letter), char(letter.upper())) for letter in text)
    return mapped(sequence(*letters), lambda _: text)


_bare = run_of(span_of("[^,)]"))
_list_element = choice(
    attempt(before(quoted, not_followed_by(none_of(",)")))),
    _bare,
)
_list: Parser[InList] = mapped(
    between(token("("), token(")"), sep_by1(_list_element, char(","))),
    lambda values: InList(tuple(values)),
)
_is_word = label(
    choice(*(attempt(_in_any_case(text)) for text in IS_VALUES)),
    "isVal: (null, not_null, true, false, unknown)",
)
_quantifier = option_maybe(
    attempt(
        between(
            char("("),
            char(")"),
            choice(
                mapped(attempt(string("any")), lambda _: Quantifier.ANY),
                mapped(string("all"), lambda _: Quantifier.ALL),
            ),
        )
    )
)
_language = option_maybe(attempt(between(char("("), char(")"), identifier)))


def _operation(value: Parser[str]) -> Parser[Operation]:
    in_list = after(attempt(sequence(string("in"), delimiter)), _list)
    is_word = mapped(after(attempt(sequence(string("is"), delimiter)), _is_word), Is)
    distinct = mapped(
        sequence(attempt(before(_words(names_of(Family.DISTINCT)), delimiter)), value),
        lambda parts: Binary(parts[0], parts[1]),
    )
    full_text = mapped(
        sequence(_words(names_of(Family.FULL_TEXT)), _language, delimiter, value),
        lambda parts: FullText(parts[0], parts[1], parts[3]),
    )
    simple = mapped(
        sequence(label(_words(names_of(Family.SIMPLE)), _UNKNOWN_OPERATOR), delimiter, value),
        lambda parts: Binary(parts[0], parts[2]),
    )
    quantified = mapped(
        sequence(
            label(_words(_QUANTIFIED), _UNKNOWN_OPERATOR),
            _quantifier,
            delimiter,
            value,
        ),
        lambda parts: Binary(parts[0], parts[3], parts[1]),
    )
    return label(
        choice(
            in_list, is_word, distinct, attempt(full_text), attempt(simple), attempt(quantified)
        ),
        "operator (eq, gt, ...)",
    )


def _condition(value: Parser[str]) -> Parser[tuple[bool, Operation]]:
    """`[not.]operator.value` as (negated, operation)."""
    negation = choice(
        mapped(attempt(sequence(string("not"), delimiter)), lambda _: True), succeed(value=False)
    )
    return mapped(sequence(negation, _operation(value)), lambda pair: (pair[0], pair[1]))


_rest: Parser[str] = run_of(lambda text, _: len(text))

condition: Parser[tuple[bool, Operation]] = _condition(_rest)

_array = mapped(sequence(string("{"), run_of(span_of("[^{}]")), string("}")), "".join)
_tree_value: Parser[str] = choice(
    attempt(before(quoted, not_followed_by(none_of(",)")))),
    attempt(_array),
    _bare,
)
_tree_filter: Parser[LogicTree] = mapped(
    sequence(field, delimiter, _condition(_tree_value)),
    lambda parts: Filter(parts[0], parts[2][0], parts[2][1]),
)
_negation = label(
    choice(
        mapped(attempt(sequence(string("not"), delimiter)), lambda _: True), succeed(value=False)
    ),
    "negation operator (not)",
)
_operator = label(choice(attempt(string("and")), string("or")), "logic operator (and, or)")


def _tree() -> Parser[LogicTree]:
    return logic_tree


def _group(parts: tuple[Any, ...]) -> LogicGroup:
    negated, operator, members = parts
    return LogicGroup(negated, operator, tuple(members))


_plain: Parser[LogicTree] = regex(
    rf"([A-Za-z0-9_]+)\.({pattern_of(_QUANTIFIED)})\.((?:[^,)\"{{][^,)]*)?)(?=[,)])",
    lambda found: Filter(FieldText(found.group(1)), False, Binary(found.group(2), found.group(3))),
)
logic_tree: Parser[LogicTree] = choice(
    _plain,
    attempt(_tree_filter),
    mapped(
        sequence(
            _negation,
            _operator,
            between(
                between(blanks, blanks, char("(")),
                between(blanks, blanks, char(")")),
                sep_by1(lazy(_tree), token(",")),
            ),
        ),
        _group,
    ),
)
