"""Tests mirror the tree: what decides without waiting has a unit test in its place.

That is a file of the module's name, or one that imports it, in the mirrored folder.
"""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatch
from pathlib import Path

from tests.architecture.test_laws import (
    IMPURE_MODULES,
    PACKAGES,
    ROOT,
    SOURCES,
    imports_of,
    name_of,
    nodes_of,
)

MIRRORED = {name: name.removeprefix("compat_").removesuffix("_compat") for name in PACKAGES}
ELSEWHERE = (
    "compat_stack/archive/restore.py",  # database and folder together: tests/service/stack
    "compat_stack/operate/",  # it prints what other modules find: tests/service/stack
    "compat_stack/process/output.py",
    "gotrue_compat/features/*/routes.py",  # rows, walked by tests/unit/gotrue/web/test_routes
    "realtime_compat/admin/metrics.py",  # it reads a running service: tests/service/realtime
    "realtime_compat/cluster/bridge.py",  # between two real lines: tests/service
    "realtime_compat/transports/service.py",
    "storage_compat/files/image_worker.py",  # a process of its own: tests/service/storage
    "storage_compat/web/s3_access.py",  # it reads a call: tests/service/storage
)
IMPURE = IMPURE_MODULES - {"starlette"}  # of which the types alone are no input or output


def decides(path: Path) -> bool:
    """Whether a module has functions, none of which waits, and imports no input or output."""
    kinds = {type(node) for node in nodes_of(path)}
    return (
        ast.FunctionDef in kinds
        and kinds.isdisjoint({ast.AsyncFunctionDef, ast.Await})
        and IMPURE.isdisjoint(name.partition(".")[0] for name in imports_of(path))
    )


def pure_modules() -> list[Path]:
    return [
        path
        for path in SOURCES
        if name_of(path).partition("/")[0] in MIRRORED
        and not path.name.startswith("__")
        and not any(fnmatch(name_of(path), f"{place}*") for place in ELSEWHERE)
        and decides(path)
    ]


def has_unit_test(path: Path) -> bool:
    package, *folders = path.relative_to(ROOT).parent.parts
    mirror = ROOT / "tests/unit" / MIRRORED[package]
    tests = [*mirror.glob("*.py"), *mirror.joinpath(*folders).glob("*.py")]
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    name = f"test_{path.stem}.py"
    return any(test.name == name or module in imports_of(test) for test in tests)


def test_a_pure_module_has_a_unit_test_in_the_mirrored_place():
    pure = pure_modules()
    assert len(pure) > 150
    assert [name_of(path) for path in pure if not has_unit_test(path)] == []


def test_the_map_of_the_tests_names_every_harness():
    table = (ROOT / "tests/README.md").read_text(encoding="utf-8")
    harnesses = {path.stem for path in ROOT.glob("tests/harness_*.py")}
    assert set(re.findall(r"`(harness_\w+)`", table)) == harnesses
