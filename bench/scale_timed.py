"""What several workers cost and how late they are: what needs a machine without other work.

`make bench ARGS=scale/timed`, or `python -m bench.scale_timed`, which only prints. It takes some
ten minutes; the deaths are ten of each kind, for how late the changes are that follow.
"""

from __future__ import annotations

import sys

from bench.scale_bench import TIMED, run

if __name__ == "__main__":
    sys.exit(run(TIMED))
