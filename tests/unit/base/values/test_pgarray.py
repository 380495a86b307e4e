"""Arrays in PostgreSQL's text form, as its own reader takes them."""

from __future__ import annotations

import pytest

from compat_base.values.pgarray import array_text, listed_text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((), "{}"),
        (("a", "b"), '{"a","b"}'),
        (("",), '{""}'),
        (("NULL", None), '{"NULL",NULL}'),
        ((True, False, None), "{true,false,NULL}"),
        (('a"b', "c\\d"), '{"a\\"b","c\\\\d"}'),
        (("a,b", "{c}", " d "), '{"a,b","{c}"," d "}'),
        (('","', "x"), '{"\\",\\"","x"}'),
    ],
)
def test_an_array_is_written_so_that_it_reads_back(
    values: tuple[str | bool | None, ...], text: str
):
    assert array_text(values) == text


def test_an_in_list_of_one_empty_element_has_none_and_no_element_has_a_nul():
    assert listed_text([""]) == "{}"
    assert listed_text(["", ""]) == '{"",""}'
    assert listed_text(["a\0b"]) == '{"a"}'
