"""`make bench [ARGS=name …]`: run every `*_bench.py`, or those whose names are given.

Each prints its figures, at its end all those that have a target beside it; these are drawn into
`docs/figures/NAME.svg`, which docs/figures.md then shows. `NAME/PART` runs `NAME_PART.py` alone,
and draws its figures anew in the picture that there is; what follows a further slash are its
arguments: `scale/outages/50/postgres`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.figures import draw, drawn, kept, renewed, show

FOLDER = Path(__file__).resolve().parent
PICTURES = FOLDER.parent / "docs" / "figures"
DOCUMENT = FOLDER.parent / "docs" / "figures.md"


def main(wanted: list[str]) -> int:
    """Run the benches one after another and give the number that failed."""
    benches = [path.stem.removesuffix("_bench") for path in sorted(FOLDER.glob("*_bench.py"))]
    parts = [
        f"{name}/{path.stem.removeprefix(f'{name}_')}"
        for name in benches
        for path in sorted(FOLDER.glob(f"{name}_*.py"))
        if not path.stem.endswith("_bench")
    ]
    if unknown := {"/".join(each.split("/")[:2]) for each in wanted} - {*benches, *parts}:
        print(f"no bench is called {', '.join(sorted(unknown))}; there are {', '.join(benches)}")
        return len(unknown)
    failed = 0
    for name in wanted or benches:
        print(f"\n# {name}", flush=True)
        failed += not _run(name)
    DOCUMENT.write_text(show(DOCUMENT.read_text(encoding="utf-8"), PICTURES), encoding="utf-8")
    return failed


def _run(name: str) -> bool:
    """Run a bench or a part of one and draw what it measured; whether it ended well.

    One that failed, as a part, renews in the picture what it has measured.
    """
    bench, *rest = name.split("/")
    part, *arguments = rest or [""]
    picture = PICTURES / f"{bench}.svg"
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        done = subprocess.run(
            [sys.executable, "-m", f"bench.{bench}_{part or 'bench'}", *arguments],
            cwd=FOLDER.parent,
            env={**os.environ, "BENCH_FIGURES": file.name},
            check=False,
        )
        figures = kept(Path(file.name))
    for figure in figures:
        print(f"{'holds ' if figure.holds else 'MISSED'} {figure.name}: {figure.worded()}")
    if figures:
        is_whole = done.returncode == 0 and not part
        draw(figures if is_whole else renewed(drawn(picture), figures), picture)
        print(f"drawn: {picture.relative_to(FOLDER.parent)}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
