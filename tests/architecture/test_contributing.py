"""docs/CONTRIBUTING.md leads to files that exist, and to names that are in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/CONTRIBUTING.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:[\w.*]+/)+[\w.*]*)`", TEXT)))
COMMANDS = sorted(set(re.findall(r"`make ([a-z-]+)", TEXT)))
HEADINGS = ("operator", "`PGRST_` setting", "`GOTRUE_` setting", "provider", "error", "route")


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_is_named_exists(path: str):
    assert list(ROOT.glob(path.rstrip("/"))) != []


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("OPERATORS", "rest_compat/api_request/operators.py"),
        ("LIMITS", "compat_stack/limit_settings.py"),
        ("Opened", "compat_stack/services/opened.py"),
        ("Route", "gotrue_compat/http/route.py"),
    ],
)
def test_a_table_that_is_named_is_there(name: str, path: str):
    assert f"`{name}`" in TEXT
    assert re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8"))


def test_the_commands_are_those_of_make():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"\n{name}:" not in makefile] == []


@pytest.mark.parametrize(
    "thing", [*HEADINGS, "realtime event", "service", "setting of realtime, storage or the stack"]
)
def test_every_thing_that_is_added_often_has_its_way(thing: str):
    assert re.search(rf"^### .*{re.escape(thing)}", TEXT, re.MULTILINE)
