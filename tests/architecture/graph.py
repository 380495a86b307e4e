"""`make graph`: what each module imports of ours, and the outliers of size, as text."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONG_FILE, LONG_FUNCTION = 250, 40


def main(packages: list[str]) -> None:
    paths = sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    for path, tree in trees.items():
        print(f"{module_of(path):<44} {' '.join(imports_of(tree, packages))}")
    print(f"\nfiles over {LONG_FILE} lines")
    for path in paths:
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONG_FILE:
            print(f"  {lines:5} {module_of(path)}")
    print(f"\nfunctions over {LONG_FUNCTION} lines")
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONG_FUNCTION:
                    print(f"  {lines:5} {module_of(path)}.{node.name}")


def module_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")


def imports_of(tree: ast.Module, packages: list[str]) -> list[str]:
    return sorted(
        {
            node.module
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.partition(".")[0] in packages
        }
    )


if __name__ == "__main__":
    main(sys.argv[1:])
