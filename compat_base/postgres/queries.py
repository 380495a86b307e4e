"""Static SQL from `.sql` files, each statement under a name.

A file holds blocks that start with `-- name: find_user_by_email`; further comment lines say what
the statement is for. The functions beside the file call the statements by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

_NAME = re.compile(r"^-- name: *([a-z_0-9]+)", re.MULTILINE)


def load_queries(package: str, filename: str) -> Mapping[str, str]:
    """Read a package's SQL file into name → statement; ValueError for a name given twice."""
    text = files(package).joinpath(filename).read_text(encoding="utf-8")
    return parse_queries(text)


def parse_queries(text: str) -> Mapping[str, str]:
    """Split SQL text at its `-- name:` lines."""
    marks = list(_NAME.finditer(text))
    statements: dict[str, str] = {}
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):
        name = mark.group(1)
        if name in statements:
            message = f"two statements are named {name}"
            raise ValueError(message)
        statements[name] = text[mark.end() : end].partition("\n")[2].strip().removesuffix(";")
    return statements
