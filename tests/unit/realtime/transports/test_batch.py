"""A batch of broadcasts is cut into its messages as JSON has them."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime_compat.transports.batch import (
    BatchTooLargeError,
    elements,
    read_batch,
    read_batch_entry,
)

T = TypeVar("T")

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)


def ended(work: Generator[None, None, T]) -> T:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


@given(st.lists(JSON), st.booleans(), st.sampled_from([None, 1]))
def test_the_elements_are_those_of_the_array(values: list[Any], is_ascii: bool, indent: int | None):
    text = json.dumps(values, ensure_ascii=is_ascii, indent=indent)
    assert [json.loads(element) for element in ended(elements(text))] == values


@pytest.mark.parametrize(
    ("array", "rests"),
    [
        ("[" + ",".join(["{}"] * 10_000) + "]", 4),
        ('["' + '\\"' * 100_000 + '"]', 40),
        ("[" + "1" * 8_000_000 + "]", 7),
        ('["' + "\\n" * 4_000_000 + '"]', 1),
    ],
)
def test_a_large_array_is_cut_with_rests(array: str, rests: int):
    assert sum(1 for _ in elements(array)) >= rests


@pytest.mark.parametrize("text", [r'["\\"]', r'["\"", "]"]', r'["\\\"]"]', r'[{"a\\":"}"},"\\"]'])
def test_quotes_after_backslashes_are_read_as_json_reads_them(text: str):
    assert [json.loads(element) for element in ended(elements(text))] == json.loads(text)


@pytest.mark.parametrize("array", ["[" + "1," * 10_000 + "1]", "[[" + "{}," * 1_000_000 + "1]]"])
def test_more_than_one_request_may_bring_is_refused(array: str):
    with pytest.raises(BatchTooLargeError):
        ended(elements(ended(read_batch(f'{{"messages":{array}}}'.encode()))))


@pytest.mark.parametrize("body", [b"{", b"[]", b"5", b"\xff", b'{"messages":[}', b'{"messages":'])
def test_a_body_that_is_no_object_is_refused(body: bytes):
    with pytest.raises(ValueError):
        ended(read_batch(body))


@pytest.mark.parametrize(
    ("body", "messages"),
    [(b"", "null"), (b"{}", "null"), (b'{"messages":5}', "5"), (b' {"messages": [ 1 ] }', "[ 1 ]")],
)
def test_what_stands_for_messages_is_left_as_it_is(body: bytes, messages: str):
    assert ended(read_batch(body)) == messages


@pytest.mark.parametrize("text", ["null", "[1", '["a', "[[1]"])
def test_what_is_no_whole_array_is_refused(text: str):
    with pytest.raises(ValueError):
        ended(elements(text))


def test_a_message_that_is_no_object_is_none_and_a_payload_keeps_its_digits():
    assert [read_batch_entry(text) for text in ("5", "null", "[]", "{")] == [None] * 4
    member = read_batch_entry('{"topic":"t","payload":{"n":1.10}}')
    assert member is not None
    long = read_batch_entry('{"topic":"' + "t" * 20_000 + '","payload":{}}')
    assert long is not None
    assert long.topic == []
    assert (member.topic, member.event, member.payload) == ("t", None, '{"n":1.10}')
