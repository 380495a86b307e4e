"""`python -m compat_stack`: the whole stack in one process."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from compat_base.process import exit_process, survive_broken_pipes
from compat_stack.cli import run


def main() -> NoReturn:
    """Run the command line on this process's arguments and environment."""
    survive_broken_pipes()
    exit_process(run(sys.argv[1:], os.environ))


if __name__ == "__main__":
    main()
