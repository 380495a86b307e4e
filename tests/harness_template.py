"""Clusters of PostgreSQL made once a run, and copied by whatever starts one.

initdb and the migrations are half of what a stack's first start takes of the processor. What is an
installation's own is not in a copy: its keys and its folders are made by the stack as it starts.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from compat_stack.embedded import postgres
from compat_stack.embedded.vault_key import lend_vault_key
from compat_stack.migrations.apply import migrate
from compat_stack.settings import PLANNER_FOLDER

# The databases that the tests' own server has, to be cloned.
SERVICES, PLANNER = "services_template", "planner_template"
_ELSEWHERE = {"DATABASE_URL", "PG_BIN"}
_OTHER_PROJECT = {"MIGRATIONS_DIR", "SUPABASE_DIR"}
_kept: list[Path] = []


def keep_templates_in(folder: Path) -> None:
    """Where this run's processes share what they made; before that nothing is copied."""
    _kept[:] = [folder]


def give_database(data_dir: Path, values: Collection[str] = ()) -> None:
    """Copy into a data folder without a database the one that the stack would make.

    `values` are the settings that it will be started with; for another project than the planner
    it is an empty cluster.
    """
    if not _kept or (data_dir / "postgres").exists() or not _ELSEWHERE.isdisjoint(values):
        return
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    is_planner = _OTHER_PROJECT.isdisjoint(values)
    copy_cluster(data_dir / "postgres", "planner" if is_planner else "empty")


def copy_cluster(folder: Path, name: str) -> None:
    """Copy a stopped cluster; of `server` each database named above is a template."""
    subprocess.run(["cp", "-a", f"{_template(name)}/.", str(folder)], check=True)


def _template(name: str) -> Path:
    """The cluster's folder; the first process that asks makes it, others wait."""
    made, draft = (_kept[0] / f"cluster-{name}{ending}" for ending in ("", "-draft"))
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(draft, _FILLED[name])
            draft.rename(made)
    return made / "postgres"


def _make(folder: Path, fill: Callable[[postgres.Cluster], None]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    cluster = postgres.embedded_cluster(folder / "postgres", programs(), durable=False)
    lend_vault_key(folder, cluster)
    try:
        postgres.start(cluster)
        fill(cluster)
    finally:
        postgres.stop(cluster)
    for name in ("vault.key", "postgres.log"):
        (folder / "postgres" / name).unlink()


def programs() -> Path | None:
    """PostgreSQL's programs where they are not the wheel's."""
    return Path(os.environ["PG_BIN"]) if "PG_BIN" in os.environ else None


def _fill_planner(cluster: postgres.Cluster) -> None:
    asyncio.run(migrate(cluster.url(), PLANNER_FOLDER))


def _fill_server(cluster: postgres.Cluster) -> None:
    psql = [cluster.programs / "psql", "-XqAt", cluster.url()]
    with tempfile.TemporaryDirectory() as empty:
        for name, project in ((SERVICES, Path(empty)), (PLANNER, PLANNER_FOLDER)):
            subprocess.run([*psql, "-c", f"create database {name}"], check=True)
            asyncio.run(migrate(cluster.url(name), project))


_FILLED: dict[str, Callable[[postgres.Cluster], None]] = {
    "empty": lambda _cluster: None,
    "planner": _fill_planner,
    "server": _fill_server,
}
