"""Attacks on a running stack: what they cost it, and what honest callers see meanwhile.

Each part also runs alone: `make bench ARGS=abuse/bodies`, `heads`, `sockets`, `filters`, `sign_ins`
and `memory`.
"""

from __future__ import annotations

from bench.abuse import attacked, print_honest
from bench.abuse_bodies import large_bodies, measure_parsing
from bench.abuse_filters import measure_filters
from bench.abuse_heads import head_attacks, measure_heads
from bench.abuse_memory import measure_memory
from bench.abuse_sign_ins import measure_sign_ins, sign_in_attacks
from bench.abuse_sockets import measure_sockets


def main() -> None:
    """Print the figures."""
    measure_filters()
    with attacked() as target:
        for measure in (measure_parsing, measure_sockets, measure_heads, measure_sign_ins):
            measure(target)
        print_honest(target, (*large_bodies(), *head_attacks(), *sign_in_attacks()))
        measure_memory(target)


if __name__ == "__main__":
    main()
