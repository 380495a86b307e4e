"""A data folder with the planner's database in it: made once a run, copied for each new stack.

initdb and the migrations are half of what a first start takes of the processor. What is an
installation's own is not in a copy: its keys and its folders are made by the stack as it starts.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path

from compat_stack.embedded import postgres
from compat_stack.embedded.vault_key import lend_vault_key
from compat_stack.migrations.apply import migrate
from compat_stack.settings import PLANNER_FOLDER

# With one of these the database is another, or elsewhere.
_OTHER = {"DATABASE_URL", "MIGRATIONS_DIR", "PG_BIN", "SUPABASE_DIR"}
_kept: list[Path] = []


def keep_templates_in(folder: Path) -> None:
    """Where this run's processes share what they made; before that nothing is copied."""
    _kept[:] = [folder]


def give_database(data_dir: Path, values: Collection[str] = ()) -> None:
    """Copy the database into a data folder that has none, if that is what the stack would make.

    `values` are the settings that it will be started with.
    """
    if not _kept or (data_dir / "postgres").exists() or not _OTHER.isdisjoint(values):
        return
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    command = ["cp", "-a", str(_template(_kept[0])), str(data_dir / "postgres")]
    subprocess.run(command, check=True)


def _template(folder: Path) -> Path:
    """The folder of the stopped server; the first process that asks makes it, others wait."""
    made = folder / "planner" / "postgres"
    with (folder / "planner.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(folder / "planner-draft")
            (folder / "planner-draft").rename(made.parent)
    return made


def _make(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    programs = Path(os.environ["PG_BIN"]) if "PG_BIN" in os.environ else None
    cluster = postgres.embedded_cluster(folder / "postgres", programs, durable=False)
    folder.mkdir(mode=0o700)
    lend_vault_key(folder, cluster)
    try:
        postgres.start(cluster)
        asyncio.run(migrate(cluster.url(), PLANNER_FOLDER))
    finally:
        postgres.stop(cluster)
    for name in ("vault.key", "postgres.log"):
        (folder / "postgres" / name).unlink()
