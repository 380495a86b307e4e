"""Several workers and several nodes: what they cost, how they grow, and what their deaths lose.

`make bench ARGS=scale` runs all of it. `ARGS=scale/timed` runs what needs a machine without other
work, in twelve minutes at most; `ARGS=scale/rounds` fifty rounds of each death, whose correctness
needs none (`python -m bench.scale_rounds ROUNDS` another number). `ARGS=scale/PART` runs one part:
before, deaths, http, messages, outages, placing, realtime. Each part is a process of its own, so
that one that fails costs no other its figures.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import TypeAlias

from tests.harness_stack import ROOT

Part: TypeAlias = tuple[str, ...]  # a module of this folder, and its arguments

COSTS: tuple[Part, ...] = (
    ("scale_placing",),
    ("scale_before",),
    ("scale_http",),
    ("scale_messages",),
    ("scale_realtime",),
    ("realtime_filters",),
)
TIMED: tuple[Part, ...] = (*COSTS, ("scale_deaths", "10"))
DEATHS: tuple[Part, ...] = (("scale_deaths",), ("scale_outages",))
MOST_SECONDS, END_SECONDS = 3 * 3600.0, 60.0  # fifty deaths of a node take an hour at a load of 30


def run(parts: Sequence[Part]) -> int:
    """Print the figures of some parts; the number of parts that failed."""
    failed: list[str] = []
    for module, *arguments in parts:
        print(f"## {module}", flush=True)
        began = time.monotonic()
        if not _run([sys.executable, "-m", f"bench.{module}", *arguments]):
            failed.append(module)
        print(f"{module} took {time.monotonic() - began:.0f} s\n", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return len(failed)


def _run(command: list[str]) -> bool:
    """Run a part; whether it ended well. One that hangs is told to end what it has started."""
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        try:
            return process.wait(MOST_SECONDS) == 0
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait(END_SECONDS)
            return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


if __name__ == "__main__":
    sys.exit(run((*COSTS, *DEATHS)))
