"""`python -m compat_stack`: the whole stack in one process."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from compat_base.process import leave, outlive_readers
from compat_stack.cli import run


def main() -> NoReturn:
    """Run the command line on this process's arguments and environment."""
    outlive_readers()
    leave(run(sys.argv[1:], os.environ))


if __name__ == "__main__":
    main()
