"""One process beside the project as it was before there were workers: start, memory, requests.

A part of `make bench ARGS=scale`; alone by `python -m bench.scale_before [COMMIT]`. Both are asked
by turns, so that what else the machine does falls on both; the older one is checked out into a
folder of its own, and runs with today's libraries. It had no storage service.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.figures import Figure, keep
from bench.scale_http import PATH
from bench.scale_messages import private_memory, seconds_of
from tests.harness_stack import BY_ITSELF, ROOT, Stack, start_stack
from tests.harness_workers import Client, connect

BEFORE = "fc1aa527^"  # WORKERS came with that commit
STARTS = 7
ROUNDS = 40
REQUESTS = 100  # of a round
WARM = 800
ALLOWED = 1.03


def main(commit: str = BEFORE) -> None:
    """Print the figures."""
    with (
        tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as made,
        ExitStack() as opened,
    ):
        folder = Path(made)
        try:
            before = opened.enter_context(_checked_out(commit, folder / "tree"))
        except subprocess.CalledProcessError:
            print(f"{commit} is not in this clone: nothing to compare with")
            return
        trees = {"now": ROOT, "before": before}
        _compare_starts(trees, folder)
        stacks = {name: _start(tree, folder / name) for name, tree in trees.items()}
        for stack in stacks.values():
            opened.callback(stack.stop, signal.SIGINT)
        memory = {name: private_memory(stack.process.pid) for name, stack in stacks.items()}
        _report("memory of one process", "MB", [(memory["now"], memory["before"])])
        _compare_requests(stacks)


@contextmanager
def _checked_out(commit: str, folder: Path) -> Generator[Path]:
    """The files of a commit. Raises CalledProcessError where there is none."""
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "-q", "--detach", folder, commit], check=True, capture_output=True)
    try:
        (folder / "web/dist").symlink_to(ROOT / "web/dist")
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", folder], check=True)


def _start(tree: Path, data: Path) -> Stack:
    return start_stack(
        data, program=BY_ITSELF, cwd=tree, is_database_given=False, DATABASE_PORT="0"
    )


def _compare_starts(trees: dict[str, Path], folder: Path) -> None:
    for name, tree in trees.items():
        _start(tree, folder / name).stop(signal.SIGINT)  # makes the database
    times: list[tuple[float, float]] = []
    for _ in range(STARTS):
        took = {name: _seconds(tree, folder / name) for name, tree in trees.items()}
        times.append((took["now"], took["before"]))
    _report("start of one process", "s", times)


def _seconds(tree: Path, data: Path) -> float:
    began = time.perf_counter()
    stack = _start(tree, data)
    took = time.perf_counter() - began
    stack.stop(signal.SIGINT)
    return took


def _compare_requests(stacks: dict[str, Stack]) -> None:
    senders = {name: _requester(stack) for name, stack in stacks.items()}
    for send in senders.values():
        send(WARM)
    costs: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        spent = {name: send(REQUESTS) for name, send in senders.items()}
        costs.append((spent["now"] * 1e6, spent["before"] * 1e6))
    _report("CPU a request of one process", "µs", costs)


def _requester(stack: Stack) -> Callable[[int], float]:
    """A function that sends so many requests and gives the processor seconds of one."""
    client = Client(connect(stack), stack.keys["SUPABASE_SECRET_KEY"])

    def send(times: int) -> float:
        before = seconds_of(stack.process.pid)
        for _ in range(times):
            status, body, _ = client.request("GET", PATH)
            assert status == 200, body
        return (seconds_of(stack.process.pid) - before) / times

    return send


def _report(what: str, unit: str, pairs: list[tuple[float, float]]) -> None:
    ratios = sorted(now / before for now, before in pairs)
    now, before = (statistics.median(each) for each in zip(*pairs, strict=True))
    middle = statistics.median(ratios)
    print(f"{what}: {now:.2f} {unit}, {before:.2f} before workers came: {middle:.3f} (1.03)")
    name = f"{what}, beside before there were workers"
    keep(Figure(name, middle, "x", ALLOWED, low=ratios[0], high=ratios[-1]))


if __name__ == "__main__":
    os.chdir(ROOT)
    main(*sys.argv[1:])
