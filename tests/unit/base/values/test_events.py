"""Log lines: one line each, written to nobody's harm."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from compat_base.values import jsontext
from compat_base.values.events import Observation, Severity, log_line, log_sink
from compat_base.values.world import real_world

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
