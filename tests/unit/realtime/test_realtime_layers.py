"""Who may know whom inside the service (the laws of the architecture)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "realtime_compat"

# What a folder must not import, directly or by way of its own modules.
FORBIDDEN = {
    "protocol": {"changes", "wal", "access", "nodes", "hub", "socket", "feed", "replication"},
    "changes": {"protocol", "wal", "access", "nodes", "hub", "socket", "feed", "replication"},
    "wal": {"protocol", "access", "nodes", "hub", "socket", "feed", "replication"},
    "access": {"wal", "nodes", "hub", "socket", "feed", "replication"},
    "nodes": {"changes", "wal", "access", "socket", "feed", "replication"},
}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("realtime_compat.")}


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_a_folder_knows_nothing_of_what_stands_above_or_beside_it(folder: str):
    known = set[str]().union(*(imported(path) for path in (PACKAGE / folder).glob("*.py")))
    assert known & FORBIDDEN[folder] == set()


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
