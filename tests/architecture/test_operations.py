"""docs/operations.md tells the operator what the code does: settings, limits, metrics, files."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from compat_base.values.world import real_world
from compat_stack.archive.format import FILES, FOLDERS
from compat_stack.keys.installation import make_keys
from compat_stack.services.manifest import REST
from compat_stack.services.service import Deployment, variables_of
from compat_stack.settings import Settings, read_settings
from realtime_compat.settings import read_settings as read_realtime_settings
from rest_compat import settings as rest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("*_*/**/*.py"))
NAMED = re.findall(r"`([A-Z][A-Z_]+)` \(default `([^`]+)`\)", TEXT)
ROW = re.compile(r"^\| ([^|]+) \| `([^`]+)` \| (?:`([A-Z_]+)`|fixed \(`(\w+)`\)) \|", re.MULTILINE)
ROWS = [found.groups() for found in ROW.finditer(TEXT)]
REQUIRED = {"API_JWT_SECRET": "x" * 32}


def stack_settings(**values: str) -> Settings:
    return replace(read_settings(values), environment={})


def all_limits(**values: str) -> dict[tuple[str, str], Any]:
    """Every limit of the server and of realtime by the names of its record and its field."""
    records = read_realtime_settings(REQUIRED | values).limits, read_settings(values).server_limits
    return {
        (type(record).__name__, name): value
        for record in records
        for name, value in asdict(record).items()
    }


def fixed_limit(name: str) -> tuple[str, str]:
    """The limit of a field that only one of the records has."""
    [found] = [limit for limit in all_limits() if limit[1] == name]
    return found


def limit_of(setting: str) -> tuple[str, str]:
    """The limit that a setting changes."""
    usual, changed = all_limits(), all_limits(**{setting: "2345"})
    [name] = [name for name, value in changed.items() if value != usual[name]]
    return name


@pytest.mark.parametrize(("name", "default"), NAMED)
def test_a_default_that_is_told_is_what_holds_without_it(name: str, default: str):
    if name.startswith("PGRST_"):
        deployment, keys = (
            Deployment("http://h", "postgresql://postgres@/x", None),
            make_keys(real_world()),
        )
        found = rest.read_settings(variables_of(REST, stack_settings(), deployment, keys))
        fields = {row.key: field for field, row in rest.rows_of(type(found)).items()}
        assert str(getattr(found, fields[_dashed(name)])) == default
    elif name == "DATA_DIR":
        assert stack_settings().data_dir == Path(default).absolute()
    else:
        assert stack_settings(**{name: default}) == stack_settings()
        assert f'"{name}"' in SOURCES


@pytest.mark.parametrize(("limit", "setting", "fixed"), [row[1:] for row in ROWS])
def test_a_limit_of_the_tables_is_the_codes(limit: str, setting: str | None, fixed: str | None):
    if setting is not None:
        assert all_limits(**{setting: limit}) == all_limits()
        limit_of(setting)
    else:
        assert float(limit) == all_limits()[fixed_limit(fixed or "")]


def test_the_tables_have_every_limit():
    named = {
        fixed_limit(fixed) if fixed else limit_of(setting or "") for _, _, setting, fixed in ROWS
    }
    assert all_limits().keys() - named == set()


def test_every_setting_that_is_named_is_read_somewhere():
    named = set(re.findall(r"`([A-Z]+_[A-Z_]+)(?:=[^`]*)?`", TEXT))
    read = named & set(re.findall(r"\w+", SOURCES))
    plain = {
        name
        for name in named - read
        if name.partition("_")[2] in SOURCES or f'"{_dashed(name)}"' in SOURCES
    }
    assert named - read - plain == set()


def test_every_figure_that_is_to_be_watched_is_shown():
    named = set(re.findall(r"\b((?:compat|realtime)_[a-z_]+)[`{]", TEXT))
    shown = {name for name in named if _bare(name) in SOURCES}
    assert named
    assert named - shown == set()


def _dashed(name: str) -> str:
    """The key of a variable of PostgREST's."""
    return name.removeprefix("PGRST_").lower().replace("_", "-")


def _bare(name: str) -> str:
    """A metric's name as the source has it: a counter's `_total` and realtime's prefix are added."""
    return name.removesuffix("_total").removeprefix("realtime_").removeprefix("compat_pool_")


def test_every_kept_file_of_the_data_folder_is_listed():
    kept = [*FILES, *(f"{folder}/" for folder, _ in FOLDERS), "postgres/"]
    assert [name for name in kept if f"| `{name}` |" not in TEXT] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "make room and start again",
        "restore it from a backup, or remove it for new keys, which end the old ones",
        "restore it from a backup, or remove it for a new key, which signs everybody out",
        "restore it, or remove it to end every replaced key",
        "this database goes with another JWT_SECRET than the variable or keys.env in DATA_DIR",
        "check DATABASE_URL and the server",
        "PostgreSQL ended: it is started again",
        "exists: choose another name, or remove it",
        "is not empty (", "set DATA_DIR to a new folder, or",
        "Everything is back: start it with `serve`.",
        "too many unfinished messages", "too many fragments", "too many control frames",
        "Client reads too slowly", "Too many connected users", "Too many connections.",
        "Too many connections from one address.", "Too many new connections from one address.",
        "Too many requests at once from one address.",
        "Sessions go on: tokens of the old signing key count",
        "another process works on", "proxy_not_trusted",
    ],
)  # fmt: skip
def test_a_sentence_that_is_quoted_is_one_that_the_code_says(sentence: str):
    assert sentence in TEXT
    assert sentence in SOURCES
