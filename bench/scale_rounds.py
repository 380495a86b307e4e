"""Every death in rounds: each change once and in order, nothing lost untold, on any machine.

`make bench ARGS=scale/rounds`, or `python -m bench.scale_rounds [ROUNDS]`, which only prints; 50
rounds of each kind unless given.
"""

from __future__ import annotations

import sys

from bench.scale_bench import DEATHS, run

if __name__ == "__main__":
    sys.exit(run([(*part, *sys.argv[1:2]) for part in DEATHS]))
