"""The stock client behind a round-robin balancer: each request is at the other node of two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.conftest import SETTINGS
from tests.conformance.test_javascript import run_file
from tests.conftest import Server
from tests.harness_nodes import Nodes, balanced
from tests.harness_programs import free_port


@pytest.fixture(scope="module")
def addresses(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What clients are told: the balancer's address, and keys that both nodes know."""
    name, port, folder = "nodes_of_clients", free_port(), tmp_path_factory.mktemp("nodes")
    server.run(f'create database "{name}"')
    url = f"http://127.0.0.1:{port}"
    nodes = Nodes(server.url(name), folder, **SETTINGS, PUBLIC_URL=url)
    try:
        nodes.start()
        with balanced(nodes, folder, port, balance="roundrobin"):
            yield {**nodes.stacks[0].keys, "SUPABASE_URL": url}
    finally:
        nodes.stop()
        server.drop(name)


@pytest.mark.parametrize("file", ["project/auth_flows.mjs", "project/auth_sessions.mjs"])
def test_what_is_begun_at_one_node_goes_on_at_the_other(file: str, addresses: dict[str, str]):
    outcomes, output = run_file(Path(file), addresses)
    failed = {name: outcome.error for name, outcome in outcomes.items() if not outcome.passed}
    assert outcomes, output
    assert failed == {}, output
