"""A package's docstring is its map: it names every module of the package, and none that is not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.architecture.test_laws import SOURCES, name_of

PACKAGES = [path.parent for path in SOURCES if path.name == "__init__.py"]


def modules_of(package: Path) -> set[str]:
    files = {path.stem for path in package.glob("*.py") if not path.name.startswith("__")}
    return files | {path.parent.name for path in package.glob("*/__init__.py")}


def named_by(package: Path) -> set[str]:
    """The names before the colon of each item of the docstring's list."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    items = re.split(r"(?m)^- ", text)[1:]
    return {name for item in items for name in re.findall(r"`(\w+)/?`", item.partition(": ")[0])}


def test_the_docstring_of_a_package_names_its_modules():
    assert len(PACKAGES) > 50
    wrong = {
        name_of(package / "__init__.py"): sorted(modules_of(package) ^ named_by(package))
        for package in PACKAGES
        if modules_of(package) != named_by(package)
    }
    assert wrong == {}
