"""Figures of a bench: kept between processes, judged by their targets, drawn as one picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.figures import Figure, draw, drawn, keep, kept, renewed, show

MEMORY = Figure("idle memory", 103, "MB", 150)
RATIO = Figure("GET /user beside another", 0.8, "x", 1, at_least=True, low=0.7, high=0.9)


def test_figures_are_kept_in_their_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("BENCH_FIGURES", str(tmp_path / "kept"))
    keep(MEMORY)
    keep(RATIO)
    assert kept(tmp_path / "kept") == [MEMORY, RATIO]


def test_a_limit_is_not_exceeded_and_a_ratio_is_reached():
    assert MEMORY.holds
    assert not RATIO.holds


def test_the_picture_says_each_figure_and_its_target(tmp_path: Path):
    draw([MEMORY, RATIO], tmp_path / "one.svg")
    text = (tmp_path / "one.svg").read_text()
    assert "103 MB (at most 150)" in text
    assert "0.8 x (at least 1)" in text


def test_the_same_figures_are_the_same_picture(tmp_path: Path):
    for folder in ("a", "b"):
        draw([MEMORY, RATIO], tmp_path / folder / "one.svg")
    assert (tmp_path / "a/one.svg").read_bytes() == (tmp_path / "b/one.svg").read_bytes()


def test_a_part_renews_its_figures_in_the_picture_that_is_there(tmp_path: Path):
    assert drawn(tmp_path / "one.svg") == []
    draw([MEMORY, RATIO], tmp_path / "one.svg")
    assert drawn(tmp_path / "one.svg") == [MEMORY, RATIO]
    less, new = Figure("idle memory", 90, "MB", 150), Figure("<lost>", 0, "rows", 0)
    draw(renewed(drawn(tmp_path / "one.svg"), [less, new]), tmp_path / "one.svg")
    assert drawn(tmp_path / "one.svg") == [less, RATIO, new]


def test_a_target_of_nothing_is_reached_by_nothing_and_drawn(tmp_path: Path):
    none, some = Figure("lost", 0, "rows", 0), Figure("lost", 2, "rows", 0)
    assert (none.share(0), some.share(2) > 1) == (0, True)
    draw([none, some], tmp_path / "one.svg")
    assert "2 rows (at most 0)" in (tmp_path / "one.svg").read_text()


def test_a_document_shows_the_pictures_that_are_there(tmp_path: Path):
    draw([RATIO], tmp_path / "auth.svg")
    empty = "# Figures\n\n<!-- pictures: written by `make bench` -->\n<!-- /pictures -->\n"
    shown = show(empty, tmp_path)
    assert f"({tmp_path.name}/auth.svg)" in shown
    assert "rest.svg" not in shown
    assert show(shown, tmp_path) == shown
