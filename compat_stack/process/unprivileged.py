"""Programs that refuse root, such as PostgreSQL's, run by root.

They run in a user namespace in which root appears as `nobody`: files keep their owner and mode.
Where the kernel forbids that, they run as the system's user `nobody`, who then owns their folder.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from functools import cache
from pathlib import Path

_NOBODY = "nobody"


def prefix() -> tuple[str, ...]:
    """The command prefix that enters a namespace; empty where none is needed."""
    if os.geteuid() != 0 or not _may_use_namespaces():
        return ()
    nobody = pwd.getpwnam(_NOBODY)
    return ("unshare", "--user", f"--map-user={nobody.pw_uid}", f"--map-group={nobody.pw_gid}")


def other_user() -> pwd.struct_passwd | None:
    """The user that programs must run as; None where it is this process's."""
    if os.geteuid() != 0 or _may_use_namespaces():
        return None
    return pwd.getpwnam(_NOBODY)


def hand_over(path: Path) -> None:
    """Make a file or folder the property of that user."""
    user = other_user()
    if user is not None:
        os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)


@cache
def _may_use_namespaces() -> bool:
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    tried = subprocess.run(
        [unshare, "--user", "--map-user=65534", "true"], capture_output=True, check=False
    )
    return tried.returncode == 0
