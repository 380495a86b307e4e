"""Observations, and the lines they are in the log."""

import io
from datetime import UTC, datetime

import pytest

from compat_base.values.events import Observation, Severity
from compat_base.values.http import HttpRequest, HttpResponse
from rest_compat.errors import BODY, CONNECTION_LOST, NO_SECRET
from rest_compat.observe.log_format import CurrentLogLevel, log_lines
from rest_compat.observe.reporter import Reporter
from rest_compat.observe.server_timing import ServerTiming
from rest_compat.settings import LogLevel

REQUEST = HttpRequest("GET", "/emp", "/emp", "id=eq.1", ())


class Clock:
    """A clock that stands still unless it is moved."""

    seconds = 0.0

    def now(self):
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def monotonic(self):
        return self.seconds


def lines(level, *observations):
    access, diagnostics = io.StringIO(), io.StringIO()
    write = log_lines(CurrentLogLevel(level), Clock(), access, diagnostics)
    for one in observations:
        write(one)
    return access.getvalue(), diagnostics.getvalue()


def observed(report):
    seen = []
    report(Reporter(seen.append))
    return seen


def test_a_diagnostic_has_its_time_before_it():
    event = Observation("message", Severity.INFO, {"text": "Config reloaded"})
    assert lines(LogLevel.ERROR, event) == ("", "02/Jan/2026:03:04:05 +0000: Config reloaded\n")


@pytest.mark.parametrize(("level", "count"), [(LogLevel.ERROR, 0), (LogLevel.INFO, 1)])
def test_an_answer_is_a_line_of_the_access_log_where_the_level_asks(level, count):
    seen = observed(lambda to: to.answered(REQUEST, level, None, HttpResponse(200)))
    access, _ = lines(level, *seen)
    assert access.count('"GET /emp?id=eq.1 HTTP/1.1" 200') == count


@pytest.mark.parametrize(("row", "count"), [(CONNECTION_LOST, 1), (BODY, 0), (NO_SECRET, 0)])
def test_the_failures_of_the_database_are_told(row, count):
    seen = observed(lambda to: to.failed(row.problem(message="m")))
    assert [one.name for one in seen] == ["failed"] * count


def test_a_statement_is_one_line():
    (query,) = observed(lambda to: to.queried(["SELECT\n1"], 200))
    assert query.facts == {"text": "SELECT 1", "status": 200}


def test_each_stage_is_timed_from_the_end_of_the_one_before():
    clock = Clock()
    timing = ServerTiming(clock, wanted=True)
    clock.seconds = 0.25
    timing.mark("jwt")
    clock.seconds = 0.375
    assert timing.header() == "jwt;dur=250.0, response;dur=125.0"
