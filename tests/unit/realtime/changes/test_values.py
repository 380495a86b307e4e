"""PostgreSQL's text of a value as the JSON that clients get."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.changes.model import JsonForm, PgType
from realtime_compat.changes.values import array_members, to_json

TEXT = PgType(25, "text", "text")

NUMERIC = PgType(1700, "numeric", "numeric", JsonForm.NUMBER)


@given(st.one_of(st.integers(), st.decimals(allow_nan=False, allow_infinity=False)))
def test_numbers_keep_their_value_as_json(number: object):
    text = to_json(str(number), NUMERIC)
    assert re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", text)
    assert type(number)(text) == number


@given(st.lists(st.one_of(st.none(), st.text()), max_size=5))
def test_arrays_of_texts_come_out_as_they_went_in(values: list[str | None]):
    quoted = [
        "NULL" if v is None else '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"'
        for v in values
    ]
    array = PgType(1009, "_text", "_text", JsonForm.ARRAY, TEXT)
    assert json.loads(to_json("{" + ",".join(quoted) + "}", array)) == values


@given(st.lists(st.one_of(st.none(), st.text(min_size=1)), min_size=2, max_size=4))
def test_composites_come_out_as_they_went_in(values: list[str | None]):
    quoted = [
        "" if v is None else '"' + v.replace("\\", "\\\\").replace('"', '""') + '"' for v in values
    ]
    fields = tuple((f"f{n}", TEXT) for n in range(len(values)))
    pair = PgType(1, "pair", "pair", JsonForm.COMPOSITE, fields=fields)
    shown = json.loads(to_json("(" + ",".join(quoted) + ")", pair))
    assert list(shown.values()) == values


@given(st.text(), st.sampled_from(list(JsonForm)))
def test_no_text_breaks_a_conversion(text: str, json_form: JsonForm):
    shown = to_json(text, PgType(1, "x", "x", json_form, TEXT, fields=(("a", TEXT),)))
    if json_form not in {
        JsonForm.JSON,
        JsonForm.ARRAY,
    }:  # what PostgreSQL prints for these is well formed
        json.loads(shown)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("{a,b}", ["a", "b"]),
        ('{"a,b", c }', ["a,b", "c"]),
        ("{NULL}", [None]),
        ("{}", None),
        ("a", None),
        ("{{a}}", None),
        ("{a,}", None),
    ],
)
def test_the_members_of_an_array_are_read(text: str, members: list[str | None] | None):
    assert array_members(text) == members
