"""Rows of scalars as an array for each column."""

import pytest

from rest_compat.request.json_keys import small_keys
from rest_compat.request.rows import flat_rows

ROWS = b'[{"id":1,"name":"a,b"},{"name":null,"id":2}]'


def flat(body):
    return flat_rows(small_keys(body), body)


def test_each_key_has_an_array_of_its_values():
    found = flat(ROWS)
    assert (found.count, found.array("id"), found.array("name")) == (
        2, b'{"1","2"}', b'{"a,b",NULL}',
    )  # fmt: skip
    assert found.array("other") == b"{NULL,NULL}"


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'[{"a":1}]',
        b'[{"a":["long enough to be worth it"]}]',
        rb'[{"a":"a NUL that only JSON refuses \u0000"}]',
        b'[{"a":"different keys"},{"b":"of other rows"}]',
    ],
)
def test_what_is_short_nested_or_uneven_stays_json(body):
    assert flat(body) is None
