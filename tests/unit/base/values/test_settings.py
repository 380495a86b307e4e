"""Settings: every problem at once, secrets masked."""

from __future__ import annotations

import pytest

from compat_base.values.settings import Reader, Secret, SettingsError, duration_seconds


def test_all_problems_are_reported_together():
    reader = Reader({"A": "x", "B": "maybe", "C": "soon"})
    reader.integer("A", 1)
    reader.boolean("B", default=True)
    reader.seconds("C", 1.0)
    reader.required("D")
    with pytest.raises(SettingsError) as raised:
        reader.finish(None)
    assert raised.value.problems == (
        "A must be a whole number",
        "B must be a boolean such as true or false",
        "C must be a duration such as 90s or 1h30m",
        "D must be set",
    )


def test_a_whole_number_is_written_in_ascii_digits():
    reader = Reader({"PORT": "８０", "SIZE": " +5 "})
    assert (reader.integer("PORT", 1), reader.integer("SIZE", 1)) == (1, 5)
    with pytest.raises(SettingsError, match="PORT must be a whole number"):
        reader.finish(None)


def test_an_empty_value_is_an_unset_one():
    assert Reader({"A": ""}).integer("A", 7) == 7


def test_a_secret_is_never_shown():
    secret = Secret("hunter2")
    assert "hunter2" not in f"{secret!r} {secret}"
    assert secret.reveal() == "hunter2"


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("1h30m", 5400), ("250ms", 0.25), ("15", 15), ("0", 0)]
)
def test_a_duration_is_read_as_seconds(text: str, seconds: float):
    assert duration_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "1x", "1h x", "h1"])
def test_what_is_no_duration_is_refused(text: str):
    with pytest.raises(ValueError, match=r".*"):
        duration_seconds(text)
