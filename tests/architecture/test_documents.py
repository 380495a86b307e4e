"""Documentation is tested: settings, commands, links and the tests that it names exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from bench.figures import TITLES, show
from tests.architecture import tables

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "sql/README.md"])
# The references name the originals' own tests.
OURS = [path for path in DOCUMENTS if path.parent.name != "reference"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_lists_every_setting_of_the_stack():
    assert tables.readme() == README
    assert len(tables.setting_rows()) > 15


def test_realtimes_page_lists_every_client_event():
    assert tables.realtime_document() == tables.REALTIME.read_text(encoding="utf-8")


def test_make_help_lists_every_command():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = " ".join(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)).split()
    printed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [name for name in phony if f"make {name} " not in printed.stdout] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_inside_the_project_lead_somewhere(path: Path):
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_tests_a_document_names_exist():
    files = list(ROOT.glob("tests/**/*.py"))
    known = {file.stem for file in files}
    for file in files:
        known.update(re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8")))
    lost = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in OURS
        for name in re.findall(r"\btest_[a-z0-9_]+\b", path.read_text("utf-8"))
        if name not in known
    }
    assert lost == set()


def test_no_tracked_file_names_a_registry_host_or_a_path_of_a_machine():
    pattern = r"pypi\.org|pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org"
    found = subprocess.run(
        ["git", "grep", "-nIE", pattern, "--", ".", ":!tests/architecture/test_documents.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.stdout == ""


def test_settings_and_errors_are_those_of_the_code():
    assert tables.SETTINGS.read_text(encoding="utf-8") == tables.settings_document()
    assert tables.ERRORS.read_text(encoding="utf-8") == tables.errors_document()


def test_the_figures_show_every_picture_that_was_drawn():
    document = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    assert show(document, ROOT / "docs/figures") == document


def test_every_bench_has_a_picture_and_a_row_of_the_figures():
    benches = {path.stem.removesuffix("_bench") for path in ROOT.glob("bench/*_bench.py")}
    document = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    assert benches == set(TITLES) == set(re.findall(r"make bench ARGS=(\w+)`", document))


def test_what_is_home_made_stands_where_the_architecture_says():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition("## Home-made, and why")[2].partition("\n## ")[0]
    named = re.findall(r"`((?:\w+/)+[\w.]*)`", table)
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []
