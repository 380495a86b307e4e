"""Log lines: one line each, written to nobody's harm."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import pytest

from compat_base.values import jsontext
from compat_base.values.events import MOST_LINES, Observation, Severity, log_line, log_sink
from compat_base.values.world import SystemClock, real_world

MOMENT = datetime(2026, 11, 21, 10, 0, 0, 500_000, tzinfo=UTC)


@pytest.mark.parametrize("code", [0x0A, 0x1B, 0x7F, 0x85, 0x9B, 0x2028, 0x2029, 0x202E, 0x2066])
def test_a_log_line_holds_nothing_that_ends_a_line_or_steers_a_terminal(code: int):
    facts = {f"a{chr(code)}b": f"ñ{chr(code)}€"}
    line = log_line(MOMENT, Observation("lost", Severity.ERROR, facts))
    assert chr(code) not in line
    assert jsontext.decode(line.partition("lost ")[2]) == facts


def test_a_log_line_stays_on_one_line():
    line = log_line(MOMENT, Observation("lost", Severity.ERROR, {"why": "a\nb"}))
    assert line == '2026-11-21T10:00:00.500+00:00 ERROR lost {"why":"a\\nb"}'


def test_a_log_whose_reader_is_gone_fails_nobody():
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    closed = io.StringIO()
    closed.close()
    for stream in (Gone(), closed):
        log_sink(real_world().clock, stream=stream)(Observation("seen", Severity.ERROR))


def test_of_one_name_a_minute_has_so_many_warnings_and_a_line_that_says_so():
    moments, stream = [MOMENT], io.StringIO()

    class Still(SystemClock):
        def now(self) -> datetime:
            return moments[-1]

    write = log_sink(Still(), stream=stream)
    for _ in range(2):
        for _ in range(2 * MOST_LINES):
            write(Observation("odd", Severity.WARNING))
        moments.append(moments[-1] + timedelta(minutes=1))
    write(Observation("lost", Severity.ERROR))
    names = [line.split()[2] for line in stream.getvalue().splitlines()]
    assert names == [*[*["odd"] * MOST_LINES, "log_lines_dropped"] * 2, "lost"]


def test_a_minute_has_any_number_of_lines_that_only_inform():
    stream = io.StringIO()
    write = log_sink(real_world().clock, stream=stream)
    for _ in range(2 * MOST_LINES):
        write(Observation("seen"))
    assert len(stream.getvalue().splitlines()) == 2 * MOST_LINES
