"""The data folder of a new cluster, and the name of the superuser of an older one."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from compat_stack.data_folder.private import make_private_folder, write_private
from compat_stack.embedded.cluster import SUPERUSER, Cluster
from compat_stack.embedded.programs import PostgresError, failure_in, run_program, server_user
from compat_stack.process import unprivileged

_SUPERUSER_RECORD = "compat.superuser"
# A role that has the name already keeps what it owns, under another one.
_RENAMING = (
    (
        "do $$ begin if exists (select from pg_roles where rolname = 'supabase_admin'"
        " and oid <> 10) then alter role supabase_admin rename to supabase_admin_earlier;"
        " end if; end $$"
    ),
    "drop role if exists compat_renaming",
    "create role compat_renaming superuser",
    "set session authorization compat_renaming",
    (
        "do $$ begin if exists (select from pg_roles where rolname = 'postgres' and oid = 10)"
        " then alter role postgres rename to supabase_admin; end if; end $$"
    ),
    "set session authorization supabase_admin",
    "drop role compat_renaming",
)


def initialise(cluster: Cluster) -> None:
    """Make the data folder by initdb; it gets its name once it is complete."""
    parent = cluster.data.parent
    make_private_folder(parent, server_user())
    unprivileged.hand_over(parent)
    for left in parent.glob("draft-*"):
        shutil.rmtree(left, ignore_errors=True)
    draft = Path(tempfile.mkdtemp(prefix="draft-", dir=parent))
    unprivileged.hand_over(draft)
    run_program(
        str(cluster.programs / "initdb"), "-D", str(draft), "-U", SUPERUSER, "-A", "trust",
        "-E", "UTF8", *_locale(cluster), *([] if cluster.durable else ["--no-sync"]),
        failure=f"PostgreSQL could not make its data folder {cluster.data}",
    )  # fmt: skip
    with (draft / "postgresql.conf").open("a", encoding="utf-8") as configuration:
        configuration.write("\ninclude = 'compat.conf'\n")
    write_private(draft / _SUPERUSER_RECORD, SUPERUSER)
    unprivileged.hand_over(draft / _SUPERUSER_RECORD)
    draft.rename(cluster.data)


def superuser_record(cluster: Cluster) -> Path:
    """The file with the name of this cluster's superuser."""
    return cluster.data / _SUPERUSER_RECORD


def rename_superuser(cluster: Cluster) -> None:
    """Rename the superuser of a cluster made by an earlier version, so that `postgres` is free.

    In single-user mode, because a session cannot rename its own user.
    """
    record = superuser_record(cluster)
    if record.exists():
        return
    statements = "".join(f"{line}\n" for line in _RENAMING)
    output = run_program(
        str(cluster.programs / "postgres"), "--single", "-D", str(cluster.data), "postgres",
        failure=f"the superuser of {cluster.data} could not be renamed", script=statements,
    )  # fmt: skip
    if "ERROR" in output:
        raise PostgresError(
            f"the superuser of {cluster.data} was not renamed: {failure_in(output)}"
        )
    write_private(record, SUPERUSER)
    unprivileged.hand_over(record)


def _locale(cluster: Cluster) -> tuple[str, ...]:
    """Code point order with Unicode case rules, the same on every machine."""
    words = subprocess.run(
        [cluster.programs / "postgres", "--version"], capture_output=True, text=True, check=True
    ).stdout.split()
    major = int(words[2].partition(".")[0])
    if major >= 17:  # noqa: PLR2004 — the builtin provider is from PostgreSQL 17 on
        return ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
    return ("--locale=C.UTF-8",)
