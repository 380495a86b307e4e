"""The stack as its clients meet it: one process, four workers, or two nodes asked by turns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.harness_nodes import Nodes, balanced
from tests.harness_programs import free_port, require_valkey, running
from tests.harness_stack import Stack, start_stack

WAYS = ("one", "workers", "nodes")


@contextmanager
def served(way: str, folder: Path, database_url: str = "", **settings: str) -> Iterator[Stack]:
    """A stack that is served in one of the ways; `database_url` is an empty database for nodes."""
    if way == "nodes":
        with _by_nodes(folder, database_url, settings) as stack:
            yield stack
        return
    workers = {"WORKERS": "4"} if way == "workers" else {}
    started = start_stack(folder / "data", **settings, **workers)
    yield started
    started.stop()


@contextmanager
def _by_nodes(folder: Path, database_url: str, settings: dict[str, str]) -> Iterator[Stack]:
    port, redis = free_port(), free_port()
    url = f"http://127.0.0.1:{port}"
    for name in ("redis", "balancer"):
        (folder / name).mkdir()
    command = [require_valkey(), "--port", str(redis), "--save", ""]
    given = {
        **settings,
        "PUBLIC_URL": url,
        "REDIS_URL": f"redis://127.0.0.1:{redis}/0",
        "STORAGE_FILE_BACKEND_PATH": str(folder / "files"),  # which all nodes have
    }
    nodes = Nodes(database_url, folder, **given)
    with running(command, redis, folder / "redis"):
        try:
            nodes.start()
            with balanced(nodes.ports, folder / "balancer", port, balance="roundrobin"):
                yield replace(nodes.stacks[0], url=url)
        finally:
            nodes.stop()
