"""`python -m rest_compat`: the service alone, with the original's variables and flags."""

from __future__ import annotations

import os
import sys

from rest_compat.cli import run


def main() -> None:
    """Run the command line and exit with its status."""
    sys.exit(run(sys.argv[1:], os.environ))


if __name__ == "__main__":
    main()
