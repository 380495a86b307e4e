"""Figures of a bench as values, and the picture that `make bench` draws of them.

`keep` writes a figure where `BENCH_FIGURES` names a file, which `python -m bench` sets for each
bench; a bench that runs by itself only prints. `draw` makes one SVG of them: how each figure
stands to its target, the target being the line. The picture holds its figures (`drawn`), so that a
part of a bench can renew its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

import matplotlib as mpl
from matplotlib.figure import Figure as Canvas

WIDEST = 3.0  # times the target; what is longer ends there and says its number
TITLES = {
    "abuse": "Under attack",
    "auth": "Auth: sign-ins, and beside GoTrue",
    "gateway": "Server and gateway: processor time of a request",
    "realtime": "Realtime: delays, fan-out, memory",
    "rest": "REST, beside PostgREST and a bare loop",
    "scale": "Several workers, and their deaths",
    "stack": "Start, memory, a partner's page",
    "storage": "Storage: lists, thumbnails, transfers",
    "web": "The web app in a slow browser",
}
_BEGIN, _END = "<!-- pictures: written by `make bench` -->", "<!-- /pictures -->"
_GOOD, _BAD, _TEXT = "#2f81c4", "#c4532f", "#7d8590"  # legible on white and on black
_DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"
_ROW_INCHES, _FRAME_INCHES, _WIDTH_INCHES = 0.34, 0.75, 8.0


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, in a unit (`x` for a ratio), beside what is wanted.

    `at_least` says that more is better; `low` and `high` are the extremes of several rounds.
    """

    name: str
    value: float
    unit: str
    target: float
    at_least: bool = False
    low: float | None = None
    high: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the target is reached."""
        return self.value >= self.target if self.at_least else self.value <= self.target

    def share(self, value: float) -> float:
        """A value as a share of the target, as far as a bar goes; of a target 0 all or nothing."""
        if self.target == 0:
            return WIDEST if value > 0 else 0.0
        return min(value / self.target, WIDEST)

    def worded(self) -> str:
        """The figure and its target, as the picture says them."""
        bound = "at least" if self.at_least else "at most"
        return f"{self.value:.3g} {self.unit} ({bound} {self.target:g})"


def keep(figure: Figure) -> None:
    """Add a figure to those of this run, where they are kept."""
    path = os.environ.get("BENCH_FIGURES")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(_line(figure) + "\n")


def kept(path: Path) -> list[Figure]:
    """The figures that were kept in a file, in their order."""
    return _figures(path.read_text("utf-8"))


def drawn(picture: Path) -> list[Figure]:
    """The figures of a picture, in their order; none where there is no picture."""
    found = ET.parse(picture).find(f".//{_DESCRIPTION}") if picture.exists() else None
    return _figures(found.text or "") if found is not None else []


def renewed(before: Iterable[Figure], now: Iterable[Figure]) -> list[Figure]:
    """Figures with those of a later run in the places of their names, new names at the end."""
    return list({each.name: each for each in (*before, *now)}.values())


def _line(figure: Figure) -> str:
    return json.dumps(asdict(figure))


def _figures(lines: str) -> list[Figure]:
    return [Figure(**json.loads(line)) for line in lines.splitlines()]


def draw(figures: list[Figure], path: Path) -> None:
    """Write the SVG: a bar for each figure, as a share of its target."""
    settings = {"svg.fonttype": "none", "svg.hashsalt": path.stem, "font.size": 9}
    with cast("Any", mpl).rc_context(settings):
        height = _FRAME_INCHES + _ROW_INCHES * len(figures)
        canvas: Any = Canvas(figsize=(_WIDTH_INCHES, height), layout="constrained")
        axes: Any = canvas.add_subplot()
        for row, figure in enumerate(figures):
            axes.barh(
                row, figure.share(figure.value), color=_GOOD if figure.holds else _BAD, height=0.55
            )
            if figure.low is not None and figure.high is not None:
                ends = [figure.share(end) for end in (figure.low, figure.high)]
                axes.plot(ends, [row, row], color=_TEXT, linewidth=1.2)
            axes.text(
                figure.share(figure.value) + 0.04,
                row,
                figure.worded(),
                color=_TEXT,
                va="bottom",
                fontsize=8,
            )
        axes.axvline(1, color=_TEXT, linewidth=1, linestyle="--")
        axes.set_yticks(range(len(figures)), [figure.name for figure in figures], color=_TEXT)
        axes.invert_yaxis()
        axes.set_xlim(0, max(1.6, *(each.share(each.value) + 0.9 for each in figures)))
        axes.set_xticks([0, 1], ["0", "target"], color=_TEXT)
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)
        path.parent.mkdir(parents=True, exist_ok=True)
        metadata = {"Date": None, "Description": "\n".join(map(_line, figures))}
        canvas.savefig(path, transparent=True, metadata=metadata)


def show(document: str, pictures: Path) -> str:
    """A document with every picture of the folder between its marks, in the titles' order."""
    before, _, rest = document.partition(_BEGIN)
    sections = [
        f"### {title}\n\n`make bench ARGS={name}`\n\n![{title}]({pictures.name}/{name}.svg)\n"
        for name, title in TITLES.items()
        if (pictures / f"{name}.svg").exists()
    ]
    return "\n".join([f"{before}{_BEGIN}", "", *sections, f"{_END}{rest.partition(_END)[2]}"])
