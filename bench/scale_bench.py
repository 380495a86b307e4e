"""Several workers and several nodes: what they cost, how they grow, and what their deaths lose.

All parts take some thirty minutes; `make bench ARGS=scale/PART` runs one of them: before, deaths,
http, messages, outages, placing, realtime.
"""

from __future__ import annotations

from bench import (
    scale_before,
    scale_deaths,
    scale_http,
    scale_messages,
    scale_outages,
    scale_placing,
    scale_realtime,
)

PARTS = (
    scale_placing, scale_before, scale_http, scale_messages, scale_realtime, scale_deaths,
    scale_outages,
)  # fmt: skip


def main() -> None:
    """Print the figures."""
    for part in PARTS:
        part.main()
        print()


if __name__ == "__main__":
    main()
