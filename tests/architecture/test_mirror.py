"""Tests mirror the tree: what decides without waiting is imported by a unit test in its place."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.test_laws import IMPURE_MODULES, ROOT, SOURCES, imports_of, name_of, tree_of

# Not yet: gotrue_compat, realtime_compat, rest_compat and storage_compat, whose pure modules are
# tested through their services for the most part.
MIRRORED = {"compat_base": "base", "compat_stack": "stack"}
ELSEWHERE = (
    "compat_base/postgres/",  # tests/db
    "compat_stack/operate/",  # it prints what other modules find: tests/service/stack
    "compat_stack/process/output.py",
)
IMPURE = IMPURE_MODULES - {"starlette"}  # of which the types alone are no input or output


def decides(path: Path) -> bool:
    """Whether a module has functions, none of which waits, and imports no input or output."""
    kinds = {type(node) for node in ast.walk(tree_of(path))}
    return (
        ast.FunctionDef in kinds
        and kinds.isdisjoint({ast.AsyncFunctionDef, ast.Await})
        and IMPURE.isdisjoint(name.partition(".")[0] for name in imports_of(tree_of(path)))
    )


def pure_modules() -> list[Path]:
    return [
        path
        for path in SOURCES
        if name_of(path).partition("/")[0] in MIRRORED
        and not path.name.startswith("__")
        and not name_of(path).startswith(ELSEWHERE)
        and decides(path)
    ]


@cache
def imported_by(test: Path) -> frozenset[str]:
    return frozenset(imports_of(ast.parse(test.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("path", pure_modules(), ids=name_of)
def test_a_pure_module_has_a_unit_test_in_the_mirrored_place(path: Path):
    package, *folders = path.relative_to(ROOT).parent.parts
    mirror = ROOT / "tests/unit" / MIRRORED[package]
    tests = [*mirror.glob("*.py"), *mirror.joinpath(*folders).glob("*.py")]
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    assert any(module in imported_by(test) for test in tests)


def test_enough_of_the_tree_is_looked_at():
    assert len(pure_modules()) > 25
