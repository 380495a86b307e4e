"""The stock client behind a round-robin balancer: each request is at the other node of two.

All suites run so by `make test-scale`; these are the files whose flows span several requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.conftest import SETTINGS
from tests.conformance.test_javascript import run_file
from tests.conftest import Server
from tests.harness_served import served
from tests.harness_stack import Stack


@pytest.fixture(scope="module")
def nodes(
    request: pytest.FixtureRequest, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    if request.config.getoption("--served-by") == "nodes":  # one pair more has no walsenders left
        yield request.getfixturevalue("project_stack")
        return
    name = server.clone("template0")
    folder = tmp_path_factory.mktemp("nodes")
    try:
        with served("nodes", folder, server.url(name), **SETTINGS) as stack:
            yield stack
    finally:
        server.drop(name)


@pytest.mark.parametrize(
    "file", ["auth_flows.mjs", "auth_sessions.mjs", "realtime_rooms.mjs"], ids=lambda file: file
)
def test_what_is_begun_at_one_node_goes_on_at_the_other(file: str, nodes: Stack):
    outcomes, output = run_file(Path("project") / file, nodes.keys)
    failed = {name: outcome.error for name, outcome in outcomes.items() if not outcome.passed}
    assert outcomes, output
    assert failed == {}, output
