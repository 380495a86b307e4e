"""The figures of several workers as one text."""

from __future__ import annotations

from compat_stack.observe.fleet_metrics import merged

ONE = b"""\
# HELP answers_total Answers.
# TYPE answers_total counter
answers_total{service="rest"} 3.0
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{le="1.0"} 1.0
seconds_bucket{le="+Inf"} 2.0
seconds_count 2.0
seconds_sum 1.5
# HELP open_sockets Sockets.
# TYPE open_sockets gauge
open_sockets 4.0
"""
TWO = ONE.replace(b'"rest"} 3.0', b'"rest"} 4.0\nanswers_total{service="auth"} 1.0')


def test_what_is_counted_is_added_up_and_what_is_measured_is_labelled():
    lines = merged({0: ONE, 1: TWO}).decode().splitlines()
    assert 'answers_total{service="rest"} 7.0' in lines
    assert 'answers_total{service="auth"} 1.0' in lines
    assert 'seconds_bucket{le="+Inf"} 4.0' in lines
    assert "seconds_count 4.0" in lines
    assert "seconds_sum 3.0" in lines
    assert 'open_sockets{worker="1"} 4.0' in lines
    assert 'open_sockets{worker="2"} 4.0' in lines
    assert lines.count("# TYPE answers_total counter") == 1
