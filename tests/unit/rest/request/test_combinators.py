"""Parsers made of parsers: what they read, and what they say was expected."""

import pytest

from rest_compat.request.combinators import (
    attempt,
    choice,
    many1,
    mapped,
    not_followed_by,
    sep_by,
    sequence,
)
from rest_compat.request.parsec import char, digit, eof, run, string
from rest_compat.request.syntax_failures import ParseError

number = mapped(many1(digit), "".join)
listed = mapped(sequence(sep_by(number, char(",")), eof), lambda parts: parts[0])


def failure(parser, text):
    with pytest.raises(ParseError) as raised:
        run(parser, text)
    return raised.value.column, raised.value.details


def test_a_list_may_be_empty():
    assert run(listed, "") == []
    assert run(listed, "1,23") == ["1", "23"]


def test_everything_that_could_have_come_is_told():
    assert failure(listed, "1x") == (2, "unexpected 'x' expecting digit, \",\" or end of input")
    assert failure(listed, "1,") == (3, "unexpected end of input expecting digit")


def test_an_alternative_is_tried_where_nothing_was_consumed():
    assert failure(choice(string("ab"), string("ac")), "ac")[0] == 1
    assert run(choice(attempt(string("ab")), string("ac")), "ac") == "ac"


def test_what_must_not_follow_is_among_what_was_expected():
    dash = sequence(char("-"), not_followed_by(char(">")), digit)
    assert failure(dash, "-x") == (2, 'unexpected "x" expecting ">" or digit')
    assert failure(dash, "->") == (3, "unexpected '>'")
