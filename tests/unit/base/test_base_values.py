"""JSON text, HTTP values, errors, queries and log lines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest

from compat_base.values import jsontext
from compat_base.values.errors import ApiError, Row
from compat_base.values.events import Observation, Severity, log_line
from compat_base.values.http import HttpRequest, HttpResponse, bearer
from compat_base.values.world import real_world

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


def test_an_error_row_fills_its_templates():
    row = Row("PGRST205", 404, "Could not find {name}", hint="Perhaps {other}")
    problem = ApiError.of(row, name="api.a", other="api.b").problem
    assert (problem.message, problem.hint, problem.status) == (
        "Could not find api.a",
        "Perhaps api.b",
        404,
    )


def test_a_template_without_facts_keeps_its_braces():
    assert Row("X", 400, "{a}").problem().message == "{a}"


@pytest.mark.parametrize(
    ("value", "token"), [("Bearer x", "x"), ("bearer  x ", "x"), ("Basic x", None), ("Bearer", "")]
)
def test_the_bearer_token_is_read_with_the_scheme_in_any_case(value: str, token: str | None):
    assert bearer((("authorization", value),)) == token


def test_headers_are_found_by_name():
    request = HttpRequest("GET", "/", "/", "", (("a", "1"), ("b", "2"), ("a", "3")))
    assert (request.header("a"), request.header_values("a"), request.header("c")) == (
        "1", ("1", "3"), None,
    )  # fmt: skip
    assert HttpResponse(200, (("Vary", "x"),)).header("vary") == "x"


@pytest.mark.parametrize("code", [0x0A, 0x1B, 0x7F, 0x85, 0x9B, 0x2028, 0x2029, 0x202E, 0x2066])
def test_a_log_line_holds_nothing_that_ends_a_line_or_steers_a_terminal(code: int):
    facts = {f"a{chr(code)}b": f"ñ{chr(code)}€"}
    line = log_line(MOMENT, Observation("lost", Severity.ERROR, facts))
    assert chr(code) not in line
    assert jsontext.decode(line.partition("lost ")[2]) == facts


def test_a_log_line_stays_on_one_line():
    line = log_line(MOMENT, Observation("lost", Severity.ERROR, {"why": "a\nb"}))
    assert line == '2026-11-21T10:00:00.500+00:00 ERROR lost {"why":"a\\nb"}'


@pytest.mark.parametrize("alphabet", ["01", "abcdefghijklmnopqrstuvwxyz0123456789", "x"])
def test_random_text_draws_every_symbol_alike(alphabet: str):
    """Of 36 symbols in 36,000 each comes 1,000 times, give or take a fifth (six deviations)."""
    count = 1000 * len(alphabet)
    drawn = real_world().entropy.text(count, alphabet)
    assert len(drawn) == count
    assert set(drawn) == set(alphabet)
    assert all(800 < drawn.count(symbol) < 1200 for symbol in alphabet)


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
