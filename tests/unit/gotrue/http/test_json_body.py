"""JSON bodies are read as Go's decoder reads them, and refused in its words (auth reference 1.2)."""

from __future__ import annotations

import json

import pytest

from compat_base.values import jsontext
from gotrue_compat.http.json_body import (
    DEEPEST,
    MOST_CONTAINERS,
    MOST_MEMBERS,
    NotJsonError,
    decode_body,
    decode_first,
)


def reason_of(body: bytes) -> str:
    with pytest.raises(NotJsonError) as caught:
        decode_body(body)
    return str(caught.value)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "unexpected end of JSON input"),
        (b" \n", "unexpected end of JSON input"),
        (b"{", "unexpected end of JSON input"),
        (b'{"email": "a', "unexpected end of JSON input"),
        (b"{'", r"invalid character '\'' looking for beginning of object key string"),
        (b'{"email": x}', "invalid character 'x' looking for beginning of value"),
        (b'{"email" 5}', "invalid character '5' after object key"),
        (b"{} {", "invalid character '{' after top-level value"),
        (b'{"a": 1 "b": 2}', "invalid character '\"' after object key:value pair"),
        (b'{"a": [1 2]}', "invalid character '2' after array element"),
        (b'{"a": "x]", "b": [{"c": "}"} 2]}', "invalid character '2' after array element"),
        (b'{"a": "\n"}', r"invalid character '\n' in string"),
        (b'{"a": "\x01"}', r"invalid character '\x01' in string"),
        (rb'{"a": "\x"}', r"invalid escape sequence `\x` in string"),
        (b'{"a": "\\`"}', r'invalid escape sequence "\\`" in string'),
        (b'{"a": "\\\xff"}', r'invalid escape sequence "\\\xff" in string'),
        ('{"a": "\\ñ"}'.encode(), r'invalid escape sequence "\\\xc3" in string'),
        (rb'{"a": "\u12z4"}', r"invalid escape sequence `\u12z4` in string"),
        (rb'{"a": "\u0"}', r'invalid escape sequence `\u0"}` in string'),
        (b'{"a": "\\u0\n\'4"}', r"""invalid escape sequence "\\u0\n'4" in string"""),
        (b"\xff", r"invalid character '\xff' looking for beginning of value"),
        (b"\xef\xbb\xbf{}", r"invalid character '\ufeff' looking for beginning of value"),
        ("{ñ}".encode(), "invalid character 'ñ' looking for beginning of object key string"),
        ("{}".encode("utf-16"), r"invalid character '\xff' looking for beginning of value"),
        (b"[1]", "json: cannot unmarshal array into Go value of type object"),
        (b'"x"', "json: cannot unmarshal string into Go value of type object"),
        (b'{"a": [1e400]}', "json: cannot unmarshal number into Go value of type float64"),
        (b'{"a": ' + b"9" * 5000 + b"}", "json: cannot unmarshal number into Go value of type float64"),
        (b'{"a": ["\\u0000"]}', "invalid character '\\x00' in string"),
        (b'{"a": 1.}', "invalid character '}' in numeric literal"),
        (b'{"a": -}', "invalid character '}' in numeric literal"),
        (b'{"a": 2e+}', "invalid character '}' in numeric literal"),
        (b'{"a": -', "unexpected end of JSON input"),
        (b"1e", "unexpected end of JSON input"),
        (b"nul", "unexpected end of JSON input"),
        (b'{"a": NaN}', "invalid character 'N' looking for beginning of value"),
        (b'{"a": [Infinity]}', "invalid character 'I' looking for beginning of value"),
        (b'{"a": -Infinity}', "invalid character 'I' in numeric literal"),
    ],
)  # fmt: skip
def test_a_body_that_is_refused(body: bytes, reason: str):
    assert reason_of(body) == reason


@pytest.mark.parametrize("opening", [b'{"a":', b'{"\\u0061":'])
def test_values_lie_so_deep_inside_one_another_and_no_deeper(opening: bytes):
    def nested(depth: int) -> bytes:
        return opening * depth + b"1" + b"}" * depth

    assert decode_body(nested(DEEPEST))
    for depth in (DEEPEST + 1, 900, 5_000, 40_000):
        assert reason_of(nested(depth)) == "exceeded max depth"


def test_a_body_has_so_many_members_itself_and_no_more():
    members = {str(number): number for number in range(MOST_MEMBERS)}
    assert decode_body(json.dumps(members).encode()) == members
    inside = {"data": members | {"one": "more"}}
    assert decode_body(json.dumps(inside).encode()) == inside
    beyond = json.dumps(inside["data"]).encode()
    assert reason_of(beyond) == "too many members (max 1000)"


def test_a_body_has_so_many_objects_and_arrays_and_no_more():
    most = b'{"data": [' + b"[]," * (MOST_CONTAINERS - 3) + b"[]]}"
    assert len(decode_body(most)["data"]) == MOST_CONTAINERS - 2
    assert reason_of(most + b" [") == "too many objects and arrays (max 50000)"


@pytest.mark.parametrize("number", ["1e300", "-1.5E-300"])
def test_numbers_that_a_database_writes_out_are_bounded(number: str):
    most = jsontext.MOST_DIGITS // 332
    assert decode_body(f'{{"a":[{",".join([number] * (most - 1))}]}}'.encode())["a"][0] == float(
        number
    )
    beyond = ",".join([number] * most * 2)
    reason = "too many digits of numbers (max 1048576)"
    assert reason_of(f'{{"a":[{beyond}]}}'.encode()) == reason
    assert reason_of(f'{{"a":1e999,"b":[{beyond}]}}'.encode()) == reason


def test_a_megabyte_of_numbers_without_exponents_is_taken():
    for number in ("123456789.25", "0.000123456789", "1234567890123456.5"):
        numbers = ",".join([number] * (1_048_000 // (len(number) + 1)))
        assert decode_body(f'{{"a":[{numbers}]}}'.encode())["a"][-1] == float(number)


def test_members_that_nobody_knows_may_be_what_cannot_be_stored():
    assert decode_body(b'{"a": 1e400, "b": "\\u0000", "c": "d"}') == {"a": 0, "b": "\0", "c": "d"}


def test_null_is_an_object_without_members():
    assert decode_body(b" null ") == {}


@pytest.mark.parametrize("body", [b'{"a": "x\xff"}', rb'{"a": "x\ud800"}'])
def test_what_is_no_character_is_replaced(body: bytes):
    assert decode_body(body) == {"a": "x\ufffd"}


def test_each_half_of_a_pair_is_replaced_by_itself_also_beside_a_byte_that_is_no_character():
    assert decode_body(b'{"a": "\\ud83d\xb8\xff", "\xff": 1}') == {"a": "\ufffd" * 3, "\ufffd": 1}
    assert decode_body(b'{"a": "' + b"\xff" * 70_000 + b'"}') == {"a": "\ufffd" * 70_000}


def test_other_letters_and_pairs_of_surrogates_stay():
    assert decode_body('{"ñ": "ü", "b": "\\ud83d\\ude00"}'.encode()) == {"ñ": "ü", "b": "😀"}


@pytest.mark.parametrize(
    "text",
    [
        r'{"a": "[[[\"[[", "b\\": [{}, [[]]], "[": "\\\\\"{"}',
        '{"a":' + "[" * 60 + '"' + "{[" * 200 + '"' + "]" * 60 + "}",
        '{"a": [' + "[]," * 300 + "{}]}",
    ],
)
def test_brackets_in_texts_and_beside_one_another_are_not_depth(text):
    assert decode_body(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "EOF"),
        (b"  ", "EOF"),
        (b'{"email":', "unexpected EOF"),
        (b"nul", "unexpected EOF"),
        (b"nul ", "invalid character ' ' in literal null (expecting 'l')"),
        (b"]", "invalid character ']' looking for beginning of value"),
        (b"[]", "json: cannot unmarshal array into Go value of type object"),
    ],
)
def test_a_stream_whose_first_value_is_refused(body: bytes, reason: str):
    with pytest.raises(NotJsonError) as caught:
        decode_first(body)
    assert str(caught.value) == reason


def test_what_follows_the_first_value_of_a_stream_is_not_looked_at():
    assert decode_first(b' {"a": "\xc3\xb1"} nonsense') == {"a": "ñ"}
