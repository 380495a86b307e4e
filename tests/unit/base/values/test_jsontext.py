"""The one policy of JSON: compact, moments in UTC, decimals as numbers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values import jsontext

MOMENT = datetime(2026, 11, 21, 10, 0, 0, 500_000, tzinfo=UTC)


def test_json_is_compact_and_keeps_letters():
    assert jsontext.encode({"año": [1, None]}) == '{"año":[1,null]}'


def test_json_writes_moments_identifiers_and_decimals():
    value = [MOMENT, UUID(int=1), Decimal("1.10"), Decimal(2)]
    assert jsontext.encode(value) == (
        '["2026-11-21T10:00:00.5Z","00000000-0000-0000-0000-000000000001",1.1,2]'
    )


@pytest.mark.parametrize("text", ["", "{", "NaN", "[1,]", b"\xff", "[" * 100_000])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(jsontext.InvalidJsonError):
        jsontext.decode(text)


TOKENS = [
    r"{",
    r"}",
    r"[",
    r"]",
    r",",
    r":",
    r'"a"',
    r'"\ud83d\ude00"',
    r'"\ud800"',
    r"1",
    r"-0",
    r"-0.0",
    r"01",
    r"1e400",
    r"0.1",
    r"NaN",
    r"null",
    r"999999999999999999999999999999",
    r"1.7976931348623157e308",
    r"5e-324",
]
PIECES = st.lists(st.sampled_from([*TOKENS, " ", "\f"]), max_size=7)


@given(PIECES.map("".join))
def test_what_is_read_quickly_is_what_is_read(text: str):
    try:
        found = jsontext.decode_finite(text)
    except jsontext.InvalidJsonError:
        return
    assert repr(found) == repr(json.loads(text))


@pytest.mark.parametrize("text", ["1e400", r'"\ud800"', "NaN", b"\xff", "[" * 100_000, "1" * 5000])
def test_what_has_no_finite_form_is_refused(text: str | bytes):
    with pytest.raises(jsontext.InvalidJsonError):
        jsontext.decode_finite(text)


@pytest.mark.parametrize(
    "decode", [jsontext.decode_object, lambda text: {"a": jsontext.ObjectText(text)["a"]}]
)
def test_of_many_numbers_each_is_read_by_itself(decode: Callable[[str], Any]):
    """Other threads run between them: a number near the ends of a double's range takes long."""
    calls = list[str]()
    sys.setprofile(lambda _frame, event, _argument: calls.append(event))
    try:
        found = decode(f'{{"a":[{",".join(["1e-323"] * 1_000)}]}}')
    finally:
        sys.setprofile(None)
    assert found == {"a": [1e-323] * 1_000}
    assert calls.count("call") >= 1_000


@pytest.mark.parametrize("end", ["", ",1e999", r',"\ud800"'])
def test_a_value_that_is_kept_has_so_many_digits_and_no_more(end: str):
    numbers = "1e300," * (jsontext.MOST_DIGITS // 350)
    assert jsontext.decode_bounded(f"[{numbers}1{end}]")[0] == 1e300
    with pytest.raises(jsontext.TooManyDigitsError, match="1048576"):
        jsontext.decode_bounded(f"[{numbers}{numbers}1{end}]")


@pytest.mark.parametrize("text", ["[" * 20_000, "1" * 20_000, " " * 20_000, b"\xff" * 20_000])
def test_a_long_value_that_is_no_json_is_refused(text: str | bytes):
    with pytest.raises(jsontext.InvalidJsonError):
        jsontext.decode_bounded(text)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (MOMENT, "2026-11-21T10:00:00.5Z"),
        (MOMENT.replace(microsecond=0), "2026-11-21T10:00:00Z"),
        (MOMENT.replace(microsecond=120), "2026-11-21T10:00:00.00012Z"),
        (MOMENT.replace(tzinfo=None), "2026-11-21T10:00:00.5Z"),
        (MOMENT.replace(tzinfo=timezone(timedelta(hours=-5))), "2026-11-21T15:00:00.5Z"),
        (MOMENT.replace(year=33, second=10, microsecond=0), "0033-11-21T10:00:10Z"),
    ],
)
def test_times_are_in_utc_without_trailing_zeros(moment: datetime, text: str):
    assert jsontext.time_text(moment) == text


def test_an_object_kept_as_text_is_written_as_that_text_wherever_it_stands():
    kept = jsontext.ObjectText('{"b": "ñ", "a": {"": 1}}')
    value = {'{"":NaN}': [kept, '"{"":NaN}"'], "at": MOMENT, "more": {"x": kept}}
    written = jsontext.encode(value)
    assert written.count('{"b": "ñ", "a": {"": 1}}') == 2
    plain = {"b": "ñ", "a": {"": 1}}
    assert json.loads(written) == {
        '{"":NaN}': [plain, '"{"":NaN}"'], "at": "2026-11-21T10:00:00.5Z", "more": {"x": plain},
    }  # fmt: skip
    assert jsontext.encode_bytes(kept) == kept.text.encode()


def test_an_object_kept_as_text_is_read_as_an_object():
    kept = jsontext.ObjectText('{"a": [1], "b": null}')
    assert kept == {"a": [1], "b": None}
    assert {**kept, "b": 2} == {"a": [1], "b": 2}
    assert kept
    assert len(kept) == 2
    with pytest.raises(jsontext.InvalidJsonError):
        jsontext.ObjectText("[]")["a"]


def test_a_member_of_an_object_kept_as_text_is_read_without_the_others():
    kept = jsontext.ObjectText('{"a": [1], "b": "x", "a": null, "c\\u0064": 2}')

    assert (kept["a"], kept.get("b"), kept["cd"]) == (None, "x", 2)
    assert ("a" in kept, "c" in kept) == (True, False)
