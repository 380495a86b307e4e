"""How a variable is read, kind by kind."""

from __future__ import annotations

import pytest

from compat_base.values import setting_kinds as kinds
from compat_base.values.settings import Reader, Secret


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (kinds.text("usual"), "", "usual"),
        (kinds.text("usual"), "own", "own"),
        (kinds.secret, "s", Secret("s")),
        (kinds.boolean(default=False), "yes", True),
        (kinds.integer(1), "7", 7),
        (kinds.integer_or_none, "", None),
        (kinds.number(1), "0.5", 0.5),
        (kinds.seconds(1), "1m", 60.0),
        (kinds.words(), "a, b", ("a", "b")),
        (kinds.choice("a", "b"), "b", "b"),
    ],
)
def test_a_value_is_read(kind: kinds.Read[object], text: str, value: object):
    assert kind(Reader({"X": text}), "X") == value


def test_nothing_stands_for_the_default():
    read = kinds.nonzero(kinds.integer(5), 5)
    assert [read(Reader({"A": text}), "A") for text in ("0", "", "7")] == [5, 5, 7]
