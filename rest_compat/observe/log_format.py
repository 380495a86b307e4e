"""Observations as the original's log lines (rest reference 16.11).

Access lines go to one stream, diagnostics with a timestamp to the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from compat_base.values.events import Observation, Observer, Severity
from compat_base.values.world import Clock
from rest_compat.errors import RENAMED
from rest_compat.observe.access_log import access_line, is_logged
from rest_compat.settings import LogLevel


class CurrentLogLevel:
    """The current log level: the initial one until `of` is set to read it from the settings."""

    def __init__(self, start: LogLevel) -> None:
        self.of: Callable[[], LogLevel] = lambda: start

    def __call__(self) -> LogLevel:
        """The log level at this moment."""
        return self.of()


def log_lines(
    level: Callable[[], LogLevel], clock: Clock, access: TextIO, diagnostics: TextIO
) -> Observer:
    """An observer that writes the lines that the current level shows."""

    def write(observation: Observation) -> None:
        present = level()
        if observation.name == "answered":
            if is_logged(observation.facts["status"], present):
                print(access_line(observation.facts, clock.now()), file=access, flush=True)
            return
        for text in _texts(observation, present):
            when = clock.now().strftime("%d/%b/%Y:%H:%M:%S %z")
            print(f"{when}: {text}", file=diagnostics, flush=True)

    return write


def _texts(observation: Observation, level: LogLevel) -> tuple[str, ...]:
    facts = observation.facts
    match observation.name:
        case "failed":
            return () if level is LogLevel.CRIT else (facts["error"],)
        case "old_embed_name":
            return _renames(observation)
        case "debug" if level is not LogLevel.DEBUG:
            return ()
        case "query" if not is_logged(facts["status"], level):
            return ()
        case _ if "text" in facts:
            return (facts["text"],)
        case name if observation.severity >= Severity.ERROR:
            return (f"{name} {dict(facts)}",)
        case _:
            return ()


def _renames(observation: Observation) -> tuple[str, ...]:
    facts = observation.facts
    renames = ", ".join(f"`{old}` to `{new}`" for old, new in facts["renames"])
    where = f"`{facts['method']} {facts['target']}`"
    return (
        f"WARNING: {RENAMED}",
        f"Update filters, orders or limits that use {renames} in {where}",
    )
