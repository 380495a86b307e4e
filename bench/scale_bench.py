"""Several workers and several nodes: what they cost, how they grow, and what their deaths lose.

Each part is a process of its own, so that one that fails costs no other its figures, and is given
up after an hour. `make bench ARGS=scale/PART` runs one of them: before, deaths, http, messages,
outages, placing, realtime; `python -m bench.scale_bench ROUNDS` all of them, with other than 50
rounds of each death.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from tests.harness_stack import ROOT

PARTS = ("placing", "before", "http", "messages", "realtime", "deaths", "outages")
DEATHS = frozenset({"deaths", "outages"})  # take a number of rounds
MOST_SECONDS, END_SECONDS = 3600.0, 60.0


def main(rounds: list[str]) -> int:
    """Print the figures; the number of parts that failed."""
    failed: list[str] = []
    for part in PARTS:
        print(f"## {part}", flush=True)
        began = time.monotonic()
        command = [sys.executable, "-m", f"bench.scale_{part}", *(rounds if part in DEATHS else ())]
        if not _run(command):
            failed.append(part)
        print(f"{part} took {time.monotonic() - began:.0f} s\n", flush=True)
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
    sys.exit(main(sys.argv[1:]))
