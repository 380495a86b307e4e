"""`python -m rest_compat`: the service alone, with the original's variables and flags."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from compat_base.process import exit_process, import_uncollected, survive_broken_pipes


def main() -> NoReturn:
    """Run the command line and exit with its status."""
    survive_broken_pipes()
    cli = import_uncollected("rest_compat.process.cli")
    exit_process(cli.run(sys.argv[1:], os.environ))


if __name__ == "__main__":
    main()
