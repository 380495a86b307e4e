"""Every citation of a reference leads to a section or row of docs/reference."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("auth", "realtime", "rest", "storage")
NUMBER = r"\d+(?:\.\d+)*"
SECTION = re.compile(rf"^(?:#+ |\| )({NUMBER})\.?(?= )", re.MULTILINE)
CITATION = re.compile(
    rf"\b({'|'.join(SERVICES)})\s+reference\s+"
    rf"({NUMBER}(?:(?:,(?:\s+and)?|\s+and|\s+to)\s+{NUMBER})*)",
    re.IGNORECASE,
)
ROWS = re.compile(rf"^\| ((?:{NUMBER}[–, ]+)*{NUMBER})(?= )")
PLACES = ("*_compat/**/*", "compat_*/**/*", "sql/**/*", "tests/**/*", "docs/*", "*")


@cache
def citing() -> list[tuple[str, str]]:
    """Every file that may cite a reference, by its name and text."""
    return sorted(
        (path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for place in PLACES
        for path in ROOT.glob(place)
        if path.suffix in {".py", ".sql", ".md"} and path.is_file() and path != Path(__file__)
    )


def sections(service: str) -> set[str]:
    text = (ROOT / "docs" / "reference" / f"{service}.md").read_text(encoding="utf-8")
    return set(SECTION.findall(text))


KNOWN = {service: sections(service) for service in SERVICES}


def missing(service: str, numbers: str) -> list[str]:
    return [number for number in re.findall(NUMBER, numbers) if number not in KNOWN[service]]


def test_every_citation_in_code_and_documents_resolves():
    lost = [
        (name, found.group(0))
        for name, text in citing()
        for found in CITATION.finditer(text)
        if missing(found.group(1).lower(), found.group(2))
    ]
    assert lost == []


def test_no_citation_leaves_out_its_reference():
    """`reference, 2.7` and `Reference 2.7` without a service lead nowhere."""
    bare = re.compile(r"(?<!-)\breference,?\s+(?:section\s+)?\d", re.IGNORECASE)
    lost = [
        (name, text[found.start() - 20 : found.end()])
        for name, text in citing()
        for found in bare.finditer(text)
        if not any(cited.start() < found.start() < cited.end() for cited in CITATION.finditer(text))
    ]
    assert lost == []


def test_no_number_in_code_stands_for_a_citation():
    """A bare `(2.7)` or, at a docstring's end, `(6)`."""
    bare = re.compile(rf"(?<=[\w`\"] )\({NUMBER}\.\d+(?:, \d[\d.]*)*\)|\(\d+\)\.\"\"\"")
    code = [(name, text) for name, text in citing() if "compat" in name.partition("/")[0]]
    assert len(code) > 700
    assert [(name, found) for name, text in code for found in bare.findall(text)] == []


@pytest.mark.parametrize("service", ["auth", "realtime", "rest", "storage"])
def test_the_rows_of_a_compatibility_table_are_the_references(service: str):
    path = ROOT / "docs" / "compatibility" / f"{service}.md"
    header, lost, seen = "", [], 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            header = ""
        elif not header:
            header = line.split("|")[1].strip()
        elif header in {"Row", "§"} and (found := ROWS.match(line)):
            seen += 1
            lost += missing(service, found.group(1))
    assert seen > 10
    assert lost == []
