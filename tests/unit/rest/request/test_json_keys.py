"""Keys of large JSON bodies, found in slices."""

import json
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_base.values.jsontext import InvalidJsonError
from rest_compat.request import json_windows
from rest_compat.request.json_keys import MOST_KEYS, keys_of, small_keys
from rest_compat.request.slices import LONGEST_NAME, WINDOW, at_once

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('a"\\\\{}[],:é\n', max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab}", max_size=2), inner),
    max_leaves=12,
)
ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), min_size=1, max_size=12)


@pytest.fixture(params=[WINDOW, 64, 17])
def window(request, monkeypatch):
    monkeypatch.setattr(json_windows, "WINDOW", request.param)


def found(value, **options):
    return at_once(keys_of(json.dumps(value, **options).encode()))


@pytest.mark.usefixtures("window")
class TestWindowsOfEverySize:
    @settings(max_examples=40)
    @given(ROWS)
    def test_rows_are_alike_where_their_keys_are(self, rows):
        keys = found(rows)
        assert keys.alike == (len({frozenset(row) for row in rows}) == 1)
        assert keys.found == frozenset(rows[0])

    @settings(max_examples=40)
    @given(st.dictionaries(st.text('ab}"', max_size=3), VALUES), st.sampled_from([None, 1]))
    def test_an_object_has_its_keys(self, row, indent):
        keys = found(row, indent=indent, ensure_ascii=False)
        assert (keys.found, keys.is_object, keys.alike) == (frozenset(row), True, True)

    @settings(max_examples=40)
    @given(st.lists(VALUES))
    def test_other_values_are_not_alike(self, values):
        keys = found(values)
        are_rows = all(isinstance(one, dict) for one in values)
        assert keys.is_empty == (not values)
        assert not values or are_rows or not keys.alike

    @pytest.mark.parametrize(
        "text",
        ["[", "{", '[{"a":1}', '[{"a":1}]]', '[{"a":1},]', '{"a":1,}', '{"a"}', "[{]", '"a', "", "[1 2]",
         '{"a" 1}', "{1:2}", '["\\"]', "[,1]"],
    )  # fmt: skip
    def test_what_is_no_json_is_refused(self, text):
        with pytest.raises(InvalidJsonError):
            at_once(keys_of(text.encode()))


def test_an_entry_longer_than_a_window_has_its_keys():
    long_one = {"id": 1, "doc": {str(one): [one, {"k": "]}"}] for one in range(WINDOW // 8)}}
    keys = found([{"id": 0, "doc": None}, long_one, {"id": 2, "doc": None}])
    assert (keys.found, keys.alike) == ({"id", "doc"}, True)


LONG_SCALARS = [
    b'"' + b"x" * 2 * WINDOW + b'"',
    b'"' + rb"\ud83d\ude00" * WINDOW + b'"',
    b'"' + rb"[\\" * WINDOW + b'"',
    b"1" * 2 * WINDOW,
    b"-0." + b"1" * 2 * WINDOW + b"e+5",
]
NO_SCALARS = [
    b"x" * 2 * WINDOW,
    b'"' + b"x" * 2 * WINDOW + b'\n"',
    b'"' + b"x" * 2 * WINDOW + rb'\q"',
    b'"' + b"x" * 2 * WINDOW + rb'\ud83d"',
    b"0" * 2 * WINDOW,
    b"1" * 2 * WINDOW + b".",
    b"1" * 2 * WINDOW + b".5.5",
    b"1" * 2 * WINDOW + b"e",
    b"1" * 2 * WINDOW + b"e5e5",
    b"1" * 2 * WINDOW + b" 1",
    b'"' + b"x" * 2 * WINDOW + b'""x"',
]


@pytest.mark.parametrize("scalar", LONG_SCALARS, ids=range(len(LONG_SCALARS)))
def test_a_value_longer_than_a_window_is_read(scalar):
    assert at_once(keys_of(scalar)).is_empty
    keys = at_once(keys_of(b'[{"id":0,"doc":%b},{"id":1,"doc":2}]' % scalar))
    assert (keys.found, keys.alike) == ({"id", "doc"}, True)


@pytest.mark.parametrize("scalar", NO_SCALARS, ids=range(len(NO_SCALARS)))
@pytest.mark.parametrize("around", [b"%b", b'[{"id":%b},{"id":2}]', b'{"id":[%b]}'])
def test_what_is_no_value_is_refused_however_long_it_is(scalar, around):
    with pytest.raises(InvalidJsonError):
        at_once(keys_of(around % scalar))


@pytest.mark.parametrize("unit", ["x", '"],{', "\\", "é", "\U0001f600", "\x01"])
@pytest.mark.parametrize("size", [LONGEST_NAME, WINDOW, 3 * WINDOW])
@pytest.mark.parametrize("shift", range(3))
def test_of_a_key_longer_than_a_name_the_beginning_is_found(unit, size, shift):
    name = "x" * shift + unit * size
    for escaped in (True, False):
        body = json.dumps([{name: 1, "a": [2]}] * 2, ensure_ascii=escaped).encode()
        keys = at_once(keys_of(body))
        [key] = keys.found - {"a"}
        assert (name.startswith(key), len(key) <= LONGEST_NAME, keys.alike) == (True, True, True)


@pytest.mark.parametrize("blanks", [WINDOW, 3 * WINDOW + 1])
def test_blanks_longer_than_a_window_are_passed_over(blanks):
    gap = b" " * blanks
    parts = (
        b"[",
        b"{",
        b'"a"',
        b":",
        b"1",
        b",",
        b'"b"',
        b":",
        b"[",
        b"]",
        b"}",
        b",",
        b'{"a":2,"b":3}',
        b"]",
    )
    keys = at_once(keys_of(gap + gap.join(parts) + gap))
    assert (keys.found, keys.alike) == ({"a", "b"}, True)


def test_an_entry_longer_than_a_window_may_be_unlike():
    assert not found([{"id": 0}, {"id": 1, "more": "x" * WINDOW}]).alike


def test_more_keys_than_a_table_can_have_are_cut_to_the_first():
    names = [f"k{one:06}" for one in range(50_000)]
    assert found(dict.fromkeys(names, 1)).found == frozenset(names[:MOST_KEYS])


def test_what_no_decoder_would_nest_is_refused():
    with pytest.raises(InvalidJsonError):
        at_once(keys_of(b"[" * 10_000 + b"]" * 10_000))


@pytest.mark.parametrize(
    "text", ["x" * 2 * WINDOW, " " * 5 * WINDOW + "ÿ", '"\\q' + "x" * WINDOW + '"']
)
def test_a_large_body_that_is_neither_is_still_json(text):
    with pytest.raises(InvalidJsonError):
        at_once(keys_of(text.encode()))


def test_text_that_ends_within_a_character_is_refused():
    with pytest.raises(UnicodeDecodeError):
        at_once(keys_of(b'[{"a":"' + b"x" * WINDOW + b"\xff"))


def test_a_slice_reads_a_window_at_most():
    rows = [{"id": one, "name": "x" * 50} for one in range(20_000)]
    body = json.dumps(rows).encode()
    assert sum(1 for _ in keys_of(body)) >= len(body) // WINDOW


@settings(max_examples=60)
@given(st.text('[]{}",:10.-\\aeu \n', max_size=24), st.sampled_from([2, 3, 7]))
def test_what_is_json_is_decided_alike_in_windows_and_at_once(text, size):
    body = text.encode()
    try:
        whole = small_keys(body)
    except InvalidJsonError:
        whole = None
    with mock.patch.object(json_windows, "WINDOW", size):
        try:
            pieces = at_once(keys_of(body))
        except InvalidJsonError:
            pieces = None
    if whole is None:
        assert pieces is None
    else:
        assert pieces is not None
        assert (pieces.found, pieces.alike, pieces.is_empty, pieces.is_object) == (
            whole.found, whole.alike, whole.is_empty, whole.is_object,
        )  # fmt: skip


@pytest.mark.parametrize(
    "half", [r"\ud800", r"\udc00", r"\ud800x", r"\ud83d\ud83d\ude00", r"\ude00\\ud83d"]
)
def test_half_a_character_is_no_json(half):
    body = ('[{"a":"' + half + '"},{"a":1}]').encode()
    for read in (small_keys, lambda given: at_once(keys_of(given))):
        with pytest.raises(InvalidJsonError):
            read(body)


def test_two_halves_in_a_key_are_a_character():
    assert small_keys(rb'{"\ud83d\ude00":1}').found == {"\U0001f600"}


@pytest.mark.parametrize(("end", "is_empty"), [(b"]", True), (b"1]", False)])
def test_megabytes_of_blanks_are_passed_over_in_slices(end, is_empty):
    work = json_windows.JsonWindows(b"[" + b" " * 5 * WINDOW + end).is_empty_array()
    for _ in range(5):
        next(work)
    with pytest.raises(StopIteration) as ended:
        next(work)
    assert ended.value.value is is_empty
