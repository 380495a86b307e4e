"""Functions of Go's templates."""

from __future__ import annotations

from typing import Any

import pytest

from gotrue_compat.mail.gofunctions import FUNCTIONS, Safe, plain


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), ("", ""), (True, "true"), ([1, "a"], "[1 a]"), ({"b": 2, "a": [1]}, "map[a:[1] b:2]"),
     (Safe("<b>"), "<b>")],
)  # fmt: skip
def test_values_are_written_as_go_writes_them(value: Any, text: str):
    assert plain(value) == text


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (("printf", "%-4s|%4s|%04d", "a", "b", 7), "a   |   b|0007"),
        (("printf", "%x %x %.1f", 255, "az", 1.25), "ff 617a 1.2"),
        (("printf", "%s" ), "%!s(MISSING)"),
        (("print", "a", "b", 1, 2), "ab1 2"),
        (("and", 1, 0, 2), 0), (("or", 0, "", 2), 2), (("eq", 1, 2, 1), True),
        (("index", {"a": [5, 6]}, "a", 1), 6), (("index", {}, "a"), ""),
        (("slice", "abc", 1), "bc"), (("js", '"</'), '\\"</'),
    ],
)  # fmt: skip
def test_functions_do_what_gos_do(call: tuple[Any, ...], result: object):
    assert FUNCTIONS[call[0]](*call[1:]) == result


@pytest.mark.parametrize("call", [("eq", 1), ("index", [1], -1), ("index", [1], "a"), ("len", 5)])
def test_wrong_arguments_fail(call: tuple[Any, ...]):
    with pytest.raises((TypeError, IndexError)):
        FUNCTIONS[call[0]](*call[1:])


def test_a_width_does_not_fill_the_memory():
    assert len(FUNCTIONS["printf"]("%999999999s", "a")) == 10_000
