"""How root runs programs that refuse root, as PostgreSQL's do.

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
    """What goes before a command so that it runs in a namespace; nothing where none is needed."""
    if os.geteuid() != 0 or not _may_use_namespaces():
        return ()
    nobody = pwd.getpwnam(_NOBODY)
    return ("unshare", "--user", f"--map-user={nobody.pw_uid}", f"--map-group={nobody.pw_gid}")


def other_user() -> pwd.struct_passwd | None:
    """The user that programs must run as instead of this one; None where they need not."""
    if os.geteuid() != 0 or _may_use_namespaces():
        return None
    return pwd.getpwnam(_NOBODY)


def hand_over(path: Path) -> None:
    """Give a file or a folder to the user that programs run as."""
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
