"""CSV bodies: what is read, and where reading stops."""

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rest_compat.http.media_types import CSV
from rest_compat.request.csv_records import WINDOW, CsvProblem
from rest_compat.request.csv_rows import UnlikeRowsError, csv_as_json
from rest_compat.request.payload import BodyProblem, Reading, read_body
from rest_compat.request.slices import LONGEST_NAME, TooLongError, at_once


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
    keys, made = at_once(csv_as_json(text.encode(), 1 << 20))
    assert json.loads(made) == [dict(zip(header, row, strict=True)) for row in rows]
    assert keys == (frozenset(header) if rows else frozenset())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", 'parse error (not enough input) at ""'),
        ("a,b", 'parse error (not enough input) at ""'),
        ('a"b\n', 'parse error (Failed reading: satisfy) at "\\"b\\n"'),
        ('a\n1"2\n', 'parse error (Failed reading: satisfy) at "\\"2\\n"'),
        ('a\n1"2', 'parse error (Failed reading: satisfy) at "\\"2"'),
        ('a\n"1"ñ', 'parse error (Failed reading: satisfy) at "\\195\\177"'),
        (
            'a\n"1"' + "x" * 101,
            f"parse error (Failed reading: satisfy) at {'x' * 100} (truncated)",
        ),
        ('"', 'parse error (Failed reading: trailing double quote) at ""'),
        ('a,b\n1,"', 'parse error (Failed reading: trailing double quote) at ""'),
        ('a\n"1""', 'parse error (Failed reading: insufficient input) at ""'),
        ('a\n"' + "1" * 20_000 + '""', 'parse error (Failed reading: insufficient input) at ""'),
    ],
)
def test_what_cannot_be_read_is_shown(text, problem):
    with pytest.raises(CsvProblem) as refused:
        at_once(csv_as_json(text.encode(), 1 << 20))
    assert str(refused.value) == problem


def body_of(text):
    return at_once(read_body(text.encode(), Reading(CSV, False, False, 1 << 20)))


def test_a_lone_null_is_none_and_fields_beyond_the_header_are_left_out():
    body = body_of("a,b\nNULL,null,9\n")
    assert body.text == b'[{"a":null,"b":"null"}]'
    assert body.payload.keys == {"a", "b"}


def test_rows_must_be_alike_but_may_all_be_short():
    assert body_of("a,b\n1\n2\n").payload.keys == {"a"}
    with pytest.raises(BodyProblem, match="All lines must have same number of fields"):
        body_of("a,b\n1,2\n3\n")


_FIELDS = st.text('ab,"\n\r\\\té\U0001f600%NUL', max_size=6)


def written(record):
    return ",".join('"' + field.replace('"', '""') + '"' for field in record)


@settings(max_examples=50)
@given(st.lists(st.lists(_FIELDS, min_size=2, max_size=2), min_size=1), st.sampled_from("\n\r"))
def test_every_quoted_field_is_read_as_it_was_written(records, line_end):
    text = "a,b" + line_end + "".join(written(record) + line_end for record in records)
    _, made = at_once(csv_as_json(text.encode(), 1 << 20))
    read = [[None if field == "NULL" else field for field in record] for record in records]
    assert json.loads(made) == [{"a": first, "b": second} for first, second in read]


@pytest.mark.parametrize("filler", ["x" * 10, "x" * WINDOW, '"' + "y,\n" * 9 + '"', '"a""b"'])
@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
def test_rows_that_cross_a_window_are_whole(filler, line_end):
    count = 3 * WINDOW // len(filler) + 2
    text = f"id,v{line_end}" + "".join(f"{one},{filler}{line_end}" for one in range(count))
    _, made = at_once(csv_as_json(text.encode(), 1 << 26))
    value = filler[1:-1].replace('""', '"') if filler.startswith('"') else filler
    assert json.loads(made) == [{"id": str(one), "v": value} for one in range(count)]


def test_a_field_of_any_length_is_whole():
    value = 'é"' * WINDOW
    text = "v\n" + '"' + value.replace('"', '""') + '"\n'
    _, made = at_once(csv_as_json(text.encode(), 1 << 26))
    assert json.loads(made) == [{"v": value}]


def test_a_ragged_row_far_from_the_first_is_refused():
    text = "a,b\n" + "1,2\n" * WINDOW + "3\n"
    with pytest.raises(UnlikeRowsError):
        at_once(csv_as_json(text.encode(), 1 << 26))


def test_names_repeated_for_each_row_are_counted():
    text = "n" * 1_000 + "\n" + "1\n" * 2_000
    with pytest.raises(TooLongError):
        at_once(csv_as_json(text.encode(), 1_000_000))


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("length", [LONGEST_NAME + 1, 3 * WINDOW])
def test_a_name_that_no_column_can_have_is_refused(length, quote):
    for header in (f"{quote}{'n' * length}{quote}\n1\n", f"a,{quote}{'n' * length}{quote},b\n1\n"):
        with pytest.raises(BodyProblem, match="A field's name has more than 1024 bytes"):
            body_of(header)


def test_a_long_field_is_read_no_further_than_may_be_made_of_it():
    read = csv_as_json(b'a\n"' + b"\x01" * 100 * WINDOW, 2 * WINDOW)
    with pytest.raises(TooLongError):
        at_once(read)


def test_text_that_ends_within_a_character_is_refused():
    with pytest.raises(BodyProblem, match="Empty or invalid csv"):
        at_once(read_body(b"a\n1\n\xc3", Reading(CSV, False, False, 1 << 20)))


@settings(max_examples=200)
@given(
    st.lists(st.tuples(_FIELDS, st.booleans()), min_size=1),
    st.sampled_from(["\n", "\r", "\r\n"]),
)
def test_a_field_reads_the_same_with_quotes_and_without(fields, line_end):
    marks = set(',"\n\r')
    lines = [
        field if is_bare and not marks & set(field) else written([field])
        for field, is_bare in fields
    ]
    _, made = at_once(
        csv_as_json(("a" + line_end + line_end.join(lines) + line_end).encode(), 1 << 20)
    )
    rows = [{"a": None if field == "NULL" else field} for field, _ in fields if field]
    assert json.loads(made) == rows


@given(
    st.integers(1, 4),
    st.integers(1, 5).flatmap(
        lambda width: st.lists(st.lists(_FIELDS, min_size=width, max_size=width), min_size=1)
    ),
)
def test_rows_of_any_width_are_those_of_pythons_reader(names, records):
    header = "abcd"[:names]
    text = "".join(written(record) + "\n" for record in records)
    read = [
        {
            name: None if field == "NULL" else field
            for name, field in zip(header, record, strict=False)
        }
        for record in csv.reader(io.StringIO(text, newline=""))
        if record != [""]
    ]
    _, made = at_once(csv_as_json(f"{','.join(header)}\n{text}".encode(), 1 << 20))
    assert json.loads(made) == read
