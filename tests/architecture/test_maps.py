"""A package's docstring is its map: it names exactly its modules, in import order where it says so."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.architecture.test_laws import SOURCES, imports_of, name_of

PACKAGES = [path.parent for path in SOURCES if path.name == "__init__.py"]


def modules_of(package: Path) -> set[str]:
    files = {path.stem for path in package.glob("*.py") if not path.name.startswith("__")}
    return files | {path.parent.name for path in package.glob("*/__init__.py")}


def map_of(package: Path) -> str:
    return ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""


def named_by(package: Path) -> list[str]:
    """The names before the colon of each item of the docstring's list."""
    items = re.split(r"(?m)^- ", map_of(package))[1:]
    return [name for item in items for name in re.findall(r"`(\w+)/?`", item.partition(": ")[0])]


def imported_by(package: Path, module: str) -> set[str]:
    """The modules of a package that one of them imports, or a module within it."""
    files = [*package.glob(f"{module}.py"), *(package / module).rglob("*.py")]
    dotted = f"{name_of(package).replace('/', '.')}."
    names = {name for file in files for name in imports_of(file) if name.startswith(dotted)}
    return {name.removeprefix(dotted).partition(".")[0] for name in names}


def test_the_docstring_of_a_package_names_its_modules():
    assert len(PACKAGES) > 50
    wrong = {
        name_of(package / "__init__.py"): sorted(modules_of(package) ^ set(named_by(package)))
        for package in PACKAGES
        if modules_of(package) != set(named_by(package))
    }
    assert wrong == {}


def test_a_map_in_import_order_names_each_module_after_those_that_it_imports():
    ordered = [package for package in PACKAGES if "n import order" in map_of(package)]
    assert len(ordered) > 40
    maps = {package: named_by(package) for package in ordered}
    early = [
        f"{name_of(package)}: {module} before {', '.join(sorted(later))}"
        for package, names in maps.items()
        for at, module in enumerate(names)
        if (later := imported_by(package, module) & set(names[at + 1 :]))
    ]
    assert early == []
