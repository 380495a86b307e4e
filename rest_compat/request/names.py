"""Names, JSON paths and type names: what every grammar of the query string shares.

Source: rest reference 2.1.
"""

from __future__ import annotations

import re
from itertools import chain

from rest_compat.api_request.model import FieldText, Step
from rest_compat.http.ranges import BLANKS
from rest_compat.request.combinators import (
    after,
    attempt,
    before,
    between,
    choice,
    look_ahead,
    many,
    many1,
    mapped,
    not_followed_by,
    option,
    sep_by1,
    sequence,
)
from rest_compat.request.parsec import (
    Parser,
    Reply,
    Span,
    char,
    digit,
    eof,
    label,
    regex,
    run_of,
    satisfy,
    span_of,
    string,
)

_any_character = satisfy(lambda _: True)
_blanks = run_of(span_of(r"[ \t]"))


def lexeme(parser: Parser[FieldText]) -> Parser[FieldText]:
    """A parser with blanks around it."""
    return between(_blanks, _blanks, parser)


def token(wanted: str) -> Parser[str]:
    """A character with blanks around it."""
    return between(_blanks, _blanks, char(wanted))


blanks = _blanks

# Fast paths: regular expressions in front of the grammars for what most requests contain, and long
# ones repeat. They accept only what the grammar behind them reads in the same way.
PLAIN_NAME = "[A-Za-z0-9_]+"
# Digits in front of a closing parenthesis are a key (see `_step_end`).
PLAIN_PATH = r"(?:->>?(?:[0-9]++(?!\))|[A-Za-z_][A-Za-z0-9_]*))+"
_PLAIN_STEP = re.compile("(->>?)(?:([0-9]+)|([A-Za-z0-9_]+))")


def plain_steps(path: str) -> tuple[Step, ...]:
    """The steps of what PLAIN_PATH matches."""
    return tuple(
        Step(arrow == "->>", f"+{index}" if index else key, bool(index))
        for arrow, index, key in _PLAIN_STEP.findall(path)
    )


_quoted: Parser[str] = mapped(
    between(
        char('"'),
        char('"'),
        many(choice(run_of(span_of(r'[^\\"]'), least=1), after(char("\\"), _any_character))),
    ),
    "".join,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
quoted: Parser[str] = choice(
    regex(r'(?s:"((?:[^\\"]++|\\.)*+)")', lambda found: _ESCAPED.sub(r"\1", found[1])), _quoted
)

_ascii_name = span_of("[A-Za-z0-9_ $]")


def _name(text: str, offset: int) -> int:
    """Letters are those of any script, digits those of ASCII."""
    end = _ascii_name(text, offset)
    while end < len(text) and text[end].isalpha():
        end = _ascii_name(text, end + 1)
    return end


identifier: Parser[str] = mapped(
    run_of(_name, "letter", "digit", least=1), lambda name: name.strip()
)


def dashed(parser: Parser[str], span: Span) -> Parser[str]:
    """Parts of a span joined by single dashes, which an arrow is not.

    Only what comes behind the last two parts can be wrong: those before them are passed over at
    once.
    """
    dash = attempt(sequence(char("-"), not_followed_by(char(">"))))
    further = many(mapped(sequence(dash, parser), lambda pair: pair[1]))
    parts = mapped(sequence(parser, further), lambda pair: "-".join((pair[0], *pair[1])))

    def parse(text: str, offset: int) -> Reply[str]:
        last_dash = _last_dash(span, text, offset)
        if last_dash is None:
            return parts(text, offset)
        ok, last, end, _, failure = further(text, last_dash)
        if not ok:
            return Reply(False, "", end, True, failure)
        first = [part.strip(BLANKS) for part in text[offset:last_dash].split("-")]
        return Reply(True, "-".join((*first, *last)), end, True, failure)

    return parse


def _last_dash(span: Span, text: str, offset: int) -> int | None:
    """The last dash between two parts that are not empty, where there is any."""
    found = None
    end = span(text, offset)
    while end > offset and text.startswith("-", end) and not text.startswith(">", end + 1):
        following = span(text, end + 1)
        if following == end + 1:
            break
        found, offset, end = end, end + 1, following
    return found


field_name: Parser[str] = label(
    choice(quoted, dashed(identifier, _name)), "field name (* or [a..z0..9_$])"
)

_key_span = span_of(r"[^(\-:.,>)]")
_key_part = mapped(run_of(_key_span, least=1), lambda key: key.strip(BLANKS))
_key = mapped(
    label(
        choice(quoted, dashed(_key_part, _key_span)),
        "any non reserved character different from: .,>()",
    ),
    lambda name: (name, False),
)
_step_end = choice(
    *(attempt(look_ahead(string(mark))) for mark in ("->", "::", ".", ",")), attempt(eof)
)
_index = mapped(
    before(sequence(option("+", char("-")), many1(digit)), _step_end),
    lambda parts: (parts[0] + "".join(parts[1]), True),
)
_arrow = choice(
    mapped(attempt(string("->>")), lambda _: True), mapped(attempt(string("->")), lambda _: False)
)
_step = mapped(
    sequence(_arrow, choice(attempt(_index), attempt(_key))),
    lambda parts: (Step(parts[0], parts[1][0], parts[1][1]),),
)
json_path: Parser[tuple[Step, ...]] = mapped(
    many(
        choice(regex(f"{PLAIN_PATH}(?=->)", lambda found: plain_steps(found.group())), _step),
        merges=True,
    ),
    lambda runs: tuple(chain.from_iterable(runs)),
)

field: Parser[FieldText] = lexeme(
    mapped(sequence(field_name, option((), json_path)), lambda parts: FieldText(parts[0], parts[1]))
)

delimiter: Parser[str] = label(char("."), "delimiter (.)")
alias_separator = sequence(char(":"), not_followed_by(char(":")))
alias: Parser[str] = attempt(before(field_name, alias_separator))

columns: Parser[list[str]] = sep_by1(
    choice(regex(f"{PLAIN_NAME}(?=,)", lambda found: found.group()), field_name), token(",")
)

_PLAIN_NAMES = rf"{PLAIN_NAME}(?:\.{PLAIN_NAME})*\Z"


def _plain_tree_path(found: re.Match[str]) -> tuple[tuple[str, ...], FieldText]:
    *path, name = found[0].split(".")
    return tuple(path), FieldText(name)


tree_path: Parser[tuple[tuple[str, ...], FieldText]] = choice(
    regex(_PLAIN_NAMES, _plain_tree_path),
    mapped(
        sequence(sep_by1(field_name, delimiter), option((), json_path)),
        lambda parts: (tuple(parts[0][:-1]), FieldText(parts[0][-1], parts[1])),
    ),
)
logic_path: Parser[list[str]] = choice(
    regex(_PLAIN_NAMES, lambda found: found[0].split(".")), sep_by1(field_name, delimiter)
)
