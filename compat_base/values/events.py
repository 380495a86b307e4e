"""Observations (structured log events): code emits them, sinks decide what to show.

An observation has a name, a severity and facts. Facts never hold secrets: tokens, passwords and
keys are not facts.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Any, TextIO

from compat_base.values import jsontext
from compat_base.values.world import Clock


class Severity(IntEnum):
    """How much an observation matters, least first."""

    DEBUG = 10
    INFO = 20
    WARNING = 30
    ERROR = 40
    CRITICAL = 50


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that happened: `name` is stable, `facts` are what a reader needs to act."""

    name: str
    severity: Severity = Severity.INFO
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


Observer = Callable[[Observation], None]

MOST_LINES = 1_000  # a minute, of one name: what a client can bring about must not fill a disk


def silent(_observation: Observation) -> None:
    """An observer that shows nothing."""


def log_sink(
    clock: Clock, *, least: Severity = Severity.INFO, stream: TextIO | None = None
) -> Observer:
    """Write observations as one line each: time, severity, name, facts as JSON.

    A line that cannot be written (its reader is gone) is dropped: a log never fails its service. So
    are warnings and errors of one name beyond 1,000 a minute, which one line reports.
    """
    counted: dict[str, tuple[datetime, int]] = {}

    def write(observation: Observation) -> None:
        if observation.severity < least:
            return
        moment = clock.now()
        if observation.severity >= Severity.WARNING:
            minute = moment.replace(second=0, microsecond=0)
            before, lines = counted.get(observation.name, (minute, 0))
            lines = lines + 1 if before == minute else 1
            counted[observation.name] = minute, lines
            if lines > MOST_LINES + 1:
                return
            if lines > MOST_LINES:
                facts = {"name": observation.name, "effect": "no more of them in this minute"}
                observation = Observation("log_lines_dropped", Severity.WARNING, facts)
        with contextlib.suppress(OSError, ValueError):
            print(log_line(moment, observation), file=stream or sys.stderr, flush=True)

    return write


def log_line(moment: datetime, observation: Observation) -> str:
    """The line of one observation; facts stay on one line because JSON escapes line breaks."""
    facts = f" {jsontext.encode_line(dict(observation.facts))}" if observation.facts else ""
    when = moment.isoformat(timespec="milliseconds")
    return f"{when} {observation.severity.name} {observation.name}{facts}"
