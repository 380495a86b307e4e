"""A PostgreSQL that trusts nobody."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_stack.embedded import postgres
from compat_stack.services.manifest import SERVICES
from tests.conftest import Server
from tests.harness_template import copy_cluster


@pytest.fixture(scope="module")
def strict_server() -> Iterator[Server]:
    """A PostgreSQL that asks the login roles for their passwords."""
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        copy_cluster(Path(folder), "empty")
        cluster = postgres.embedded_cluster(Path(folder), durable=False)
        postgres.start(cluster)
        rules = cluster.data / "pg_hba.conf"
        roles = ",".join(("postgres", *(service.role for service in SERVICES)))
        rules.write_text(f"local all {roles} scram-sha-256\n{rules.read_text()}")
        running = Server(cluster)
        running.run("select pg_reload_conf()")
        try:
            yield running
        finally:
            postgres.stop(cluster)
