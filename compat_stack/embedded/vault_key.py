"""The key that the vault's secrets are encrypted under: in DATA_DIR, never in the database.

The installation's file is lent to the server, which may run as another user, as a copy beside its
data; only functions of the administrator read that.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from compat_stack.data_folder.private import make_private_folder, write_private
from compat_stack.embedded.cluster import Cluster
from compat_stack.embedded.programs import server_user
from compat_stack.process import unprivileged

NAME = "vault.key"
_BYTES = 32


def lend_vault_key(data_dir: Path, cluster: Cluster) -> None:
    """Give the server the installation's key, made at the first time. Raises OSError."""
    kept = data_dir / NAME
    if not kept.exists():
        write_private(kept, f"{secrets.token_hex(_BYTES)}\n")
    folder = cluster.data.parent
    make_private_folder(folder, server_user())
    unprivileged.hand_over(folder)
    copy = folder / NAME
    write_private(copy, kept.read_text(encoding="ascii"))
    unprivileged.hand_over(copy)
