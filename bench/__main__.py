"""`make bench [ARGS=name …]`: run every `*_bench.py`, or those whose names are given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main(wanted: list[str]) -> int:
    """Run the benches one after another and give the number that failed."""
    failed = 0
    for path in sorted(FOLDER.glob("*_bench.py")):
        name = path.stem.removesuffix("_bench")
        if wanted and name not in wanted:
            continue
        print(f"\n# {name}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", f"bench.{path.stem}"], cwd=FOLDER.parent, check=False
        )
        failed += done.returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
