"""The encryption key of the vault's secrets: in DATA_DIR, never in the database.

The server, which may run as another user, gets a copy of the installation's file beside its data;
only functions of the administrator read it.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path

from compat_stack.data_folder.private import make_private_folder, write_private
from compat_stack.embedded.cluster import Cluster
from compat_stack.embedded.programs import PostgresError, server_user
from compat_stack.process import unprivileged

NAME = "vault.key"
_BYTES = 32
_KEY = re.compile(rb"[0-9a-f]{64}")


def lend_vault_key(data_dir: Path, cluster: Cluster) -> None:
    """Give the server the installation's key, generated at the first start. Raises OSError.

    Raises PostgresError where the file is damaged: with another key every secret would be lost. A
    missing file is restored from the server's copy.
    """
    kept, folder = data_dir / NAME, cluster.data.parent
    copy = folder / NAME
    if kept.exists():
        key = _read(kept)
    else:
        key = _read(copy) if copy.exists() else secrets.token_hex(_BYTES)
        write_private(kept, f"{key}\n")
    make_private_folder(folder, server_user())
    unprivileged.hand_over(folder)
    write_private(copy, f"{key}\n")
    unprivileged.hand_over(copy)


def _read(path: Path) -> str:
    text = path.read_bytes().strip()
    if not _KEY.fullmatch(text):
        raise PostgresError(
            f"{path} is damaged: restore it from a backup, or remove it; without any copy the"
            " secrets of the vault are lost"
        )
    return text.decode("ascii")
