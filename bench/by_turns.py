"""Several servers under the same load by wrk, by turns.

Each round asks every server the same, so that what else the machine does falls on all of them;
ratios are of one round.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.figures import Figure, keep

ROUNDS = 5
_MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True)
class Load:
    """What wrk counted: requests a second, and the milliseconds that one in a hundred exceeds."""

    rate: float
    p99: float


def load(url: str, script: str, *, seconds: float, connections: int, threads: int = 1) -> Load:
    """What wrk counts with a script of Lua; RuntimeError where any answer was no success."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        amount = [f"-t{threads}", f"-c{connections}", f"-d{seconds:g}s", "--latency"]
        done = subprocess.run(
            ["wrk", *amount, "-s", file.name, url], capture_output=True, check=True, text=True
        )
    rate = re.search(r"Requests/sec: *([0-9.]+)", done.stdout)
    p99 = re.search(r"99% *([0-9.]+)(us|ms|s)", done.stdout)
    if "Non-2xx" in done.stdout or rate is None or p99 is None:
        raise RuntimeError(done.stdout)
    return Load(float(rate.group(1)), float(p99.group(1)) * _MILLISECONDS[p99.group(2)])


def compare(
    what: str,
    servers: Mapping[str, Callable[[], Load]],
    rate_targets: Mapping[str, float],
    p99_targets: Mapping[str, float],
) -> None:
    """Print the medians of every server, and the first one's share of each other's.

    `rate_targets`: what its share of a server's requests a second should be at least, by that
    one's name; `p99_targets`: its share of that one's p99 at most.
    """
    found: dict[str, list[Load]] = {name: [] for name in servers}
    for _ in range(ROUNDS):
        for name, measure in servers.items():
            found[name].append(measure())
    print(f"\n{what}")
    ours, *others = found
    for name, loads in found.items():
        rate = statistics.median(one.rate for one in loads)
        p99 = statistics.median(one.p99 for one in loads)
        print(f"  {name:14} {rate:8.0f} /s   p99 {p99:7.1f} ms")
    for name in others:
        pairs = list(zip(found[ours], found[name], strict=True))
        rates = sorted(one.rate / other.rate for one, other in pairs)
        p99s = sorted(one.p99 / other.p99 for one, other in pairs)
        print(f"  {ours} x {name}: {_spread(rates)}, p99 {_spread(p99s)}", flush=True)
        if name in rate_targets:
            _keep_ratio(f"{what}, requests a second beside {name}", rates, rate_targets[name])
        if name in p99_targets:
            _keep_ratio(f"{what}, p99 beside {name}", p99s, p99_targets[name], at_least=False)


def _keep_ratio(title: str, ratios: list[float], target: float, *, at_least: bool = True) -> None:
    """Keep the median of sorted ratios, with their extremes."""
    low, high = ratios[0], ratios[-1]
    keep(Figure(title, statistics.median(ratios), "x", target, at_least, low, high))


def _spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
