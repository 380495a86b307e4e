"""The server's own settings, written at every start: compat.conf, and who may connect by TCP."""

from __future__ import annotations

from pathlib import Path

from compat_stack.data_folder.private import make_private_folder, write_private
from compat_stack.embedded.cluster import Cluster, socket_record
from compat_stack.embedded.extension_paths import extension_settings, has_library
from compat_stack.embedded.programs import PostgresError, server_user
from compat_stack.process import unprivileged

_CONFIGURATION = """\
# Written at every start; a change here is lost. Put yours into postgresql.conf, behind the include.
listen_addresses = '{addresses}'
port = {port}
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
wal_level = logical
max_wal_senders = 10
max_replication_slots = 10
timezone = 'UTC'
log_timezone = 'UTC'
shared_buffers = 64MB
max_connections = {connections}
"""
_STATEMENTS = "pg_stat_statements"  # counts from the server's start on, or not at all
_AUTHENTICATION = """\
# Written at every start; a change here is lost.
local all all trust
local replication all trust
host all all 127.0.0.1/32 scram-sha-256
host replication all 127.0.0.1/32 scram-sha-256
"""


def configure(cluster: Cluster) -> None:
    """Write the server's configuration, and make the folder of its socket."""
    folder = cluster.data.parent
    make_private_folder(folder, server_user())
    make_private_folder(cluster.sockets, server_user())
    unprivileged.hand_over(cluster.sockets)
    if cluster.sockets.parent != folder:
        write_private(socket_record(folder), str(cluster.sockets))
    text = _CONFIGURATION.format(
        sockets=_quoted(cluster.sockets),
        connections=cluster.connections,
        addresses="127.0.0.1" if cluster.has_tcp else "",
        port=cluster.port,
    )
    if cluster.has_tcp:
        hba = cluster.data / "compat_hba.conf"
        write_private(hba, _AUTHENTICATION)
        unprivileged.hand_over(hba)
        text += f"hba_file = '{_quoted(hba)}'\n"
    if _major_version(cluster) >= 18:  # noqa: PLR2004 — the first that has it
        text += extension_settings(cluster.programs, folder, server_user())
    if has_library(cluster.programs, _STATEMENTS):
        text += f"shared_preload_libraries = '{_STATEMENTS}'\n"
    if not cluster.durable:
        text += "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"
    path = cluster.data / "compat.conf"
    write_private(path, text)
    unprivileged.hand_over(path)


def _major_version(cluster: Cluster) -> int:
    path = cluster.data / "PG_VERSION"
    try:
        return int(path.read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError) as error:
        raise PostgresError(f"{path} is damaged: restore DATA_DIR from a backup") from error


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
