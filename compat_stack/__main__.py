"""`python -m compat_stack`: the whole stack in one process."""

from __future__ import annotations

import os
import sys

from compat_stack.cli import run


def main() -> None:
    """Run the command line on this process's arguments and environment."""
    sys.exit(run(sys.argv[1:], os.environ))


if __name__ == "__main__":
    main()
