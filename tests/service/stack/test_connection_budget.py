"""check-config adds up the connections that one process may open, and asks what the server gives."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Server
from tests.harness_stack import run_stack

SIZES = {
    "GOTRUE_DB_MAX_POOL_SIZE": "7", "PGRST_DB_POOL": "5", "DB_POOL_SIZE": "3",
    "DATABASE_MAX_CONNECTIONS": "4",
}  # fmt: skip
PARTS = "(auth 7, rest 7, realtime 12, storage 4, monitor 1, background 8)"
SHARED = PARTS.replace("auth 7", "auth 10")
"""Of a server that counts the limits too, as other nodes may share it."""


def line_of(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("database connections"))


def test_the_pools_of_every_service_are_added_up(tmp_path: Path):
    done = run_stack(tmp_path, "check-config", **SIZES)
    assert (done.returncode, done.stderr) == (0, "")
    assert line_of(done.stdout) == f"database connections: at most 39 {PARTS}"


def test_the_server_is_asked_what_it_gives(server: Server, tmp_path: Path):
    done = run_stack(tmp_path, "check-config", DATABASE_URL=server.url(), **SIZES)
    assert line_of(done.stdout) == f"database connections: at most 42 of 97 {SHARED}"


def test_more_than_the_server_gives_is_refused_with_the_remedy(server: Server, tmp_path: Path):
    values = SIZES | {"PGRST_DB_POOL": "90"}
    done = run_stack(tmp_path, "check-config", DATABASE_URL=server.url(), **values)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "error: one process opens 127 connections at most and the server gives 97: lower "
    )
    assert done.stderr.count("\n") == 1


def test_what_goes_by_the_pooler_is_not_the_servers(server: Server, tmp_path: Path):
    urls = {"DATABASE_URL": server.url(), "DATABASE_POOLED_URL": "postgresql://pooler/db"}
    done = run_stack(tmp_path, "check-config", **urls, **(SIZES | {"PGRST_DB_POOL": "90"}))
    assert line_of(done.stdout).endswith("(realtime 12, storage 4, monitor 1, background 8)")


def test_a_server_that_is_away_is_no_error_of_the_configuration(tmp_path: Path):
    url = "postgresql://postgres@127.0.0.1:1/postgres"
    done = run_stack(tmp_path, "check-config", DATABASE_URL=url, **SIZES)
    assert line_of(done.stdout) == f"database connections: at most 42 {SHARED}"
