"""Errors are rows of one table."""

from __future__ import annotations

import ast
from pathlib import Path

from realtime_compat import errors

PACKAGE = Path(__file__).resolve().parents[3] / "realtime_compat"


def test_every_row_of_the_error_table_is_used():
    names = [
        target.id
        for node in ast.parse((PACKAGE / "errors.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    sources = [
        p.read_text(encoding="utf-8") for p in PACKAGE.rglob("*.py") if p.name != "errors.py"
    ]
    unused = [name for name in names if not any(name in source for source in sources)]
    assert unused == []


def test_a_refused_join_says_its_code_and_its_reason():
    problem = errors.UNAUTHORIZED_TOPIC.problem(topic="a")
    assert errors.join_reason(problem) == (
        "Unauthorized: You do not have permissions to read from this Channel topic: a"
    )
