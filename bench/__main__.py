"""`make bench [ARGS=name …]`: run every `*_bench.py`, or those whose names are given.

Each prints its figures; those that have a target are drawn into `docs/figures/NAME.svg`, which
docs/figures.md then shows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.figures import draw, kept, show

FOLDER = Path(__file__).resolve().parent
PICTURES = FOLDER.parent / "docs" / "figures"
DOCUMENT = FOLDER.parent / "docs" / "figures.md"


def main(wanted: list[str]) -> int:
    """Run the benches one after another and give the number that failed."""
    names = [path.stem.removesuffix("_bench") for path in sorted(FOLDER.glob("*_bench.py"))]
    if unknown := set(wanted) - set(names):
        print(f"no bench is called {', '.join(sorted(unknown))}; there are {', '.join(names)}")
        return len(unknown)
    failed = 0
    for name in [each for each in names if not wanted or each in wanted]:
        print(f"\n# {name}", flush=True)
        failed += not _run(f"{name}_bench", PICTURES / f"{name}.svg")
    DOCUMENT.write_text(show(DOCUMENT.read_text(encoding="utf-8"), PICTURES), encoding="utf-8")
    return failed


def _run(module: str, picture: Path) -> bool:
    """Run a bench and draw what it measured; whether it ended well."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        done = subprocess.run(
            [sys.executable, "-m", f"bench.{module}"],
            cwd=FOLDER.parent,
            env={**os.environ, "BENCH_FIGURES": file.name},
            check=False,
        )
        figures = kept(Path(file.name))
    if done.returncode == 0 and figures:
        draw(figures, picture)
        print(f"drawn: {picture.relative_to(FOLDER.parent)}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
