"""CSV bodies: what is read, and where reading stops."""

import pytest

from rest_compat.media_types import CSV
from rest_compat.request.csv_rows import CsvProblem, csv_rows
from rest_compat.request.payload import BodyProblem, read_body


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        ("a,b\n", ["a", "b"], []),
        ("a,b\n1,2", ["a", "b"], [["1", "2"]]),
        ("a\r\n1\r2\n", ["a"], [["1"], ["2"]]),
        ('a,b\n"x ""y"", z","1\n2"\n', ["a", "b"], [['x "y", z', "1\n2"]]),
        ('a\n\n""\n1\n', ["a"], [["1"]]),
        ("\na\n", [""], [["a"]]),
        ("a,b\n,\n", ["a", "b"], [["", ""]]),
        ('a\n"never closed', ["a"], [["never close"]]),
    ],
)
def test_rows_are_read(text, header, rows):
    assert csv_rows(text) == (header, rows)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", 'parse error (not enough input) at ""'),
        ("a,b", 'parse error (not enough input) at ""'),
        ('a"b\n', 'parse error (Failed reading: satisfy) at "\\"b\\n"'),
        ('a\n1"2\n', 'parse error (endOfInput) at "\\"2\\n"'),
        ('a\n"1"ñ', 'parse error (endOfInput) at "\\195\\177"'),
        ('a\n"1"' + "x" * 101, f"parse error (endOfInput) at {'x' * 100} (truncated)"),
    ],
)
def test_what_cannot_be_read_is_shown(text, problem):
    with pytest.raises(CsvProblem) as refused:
        csv_rows(text)
    assert str(refused.value) == problem


def body_of(text):
    return read_body(text.encode(), CSV, for_routine=False, given=False)


def test_a_lone_null_is_none_and_fields_beyond_the_header_are_left_out():
    body = body_of("a,b\nNULL,null,9\n")
    assert body.text == b'[{"a":null,"b":"null"}]'
    assert body.payload.keys == {"a", "b"}


def test_rows_must_be_alike_but_may_all_be_short():
    assert body_of("a,b\n1\n2\n").payload.keys == {"a"}
    with pytest.raises(BodyProblem, match="All lines must have same number of fields"):
        body_of("a,b\n1,2\n3\n")
