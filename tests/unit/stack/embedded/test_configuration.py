"""What the embedded server reads at its start."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_stack.embedded.cluster import Cluster
from compat_stack.embedded.configuration import configure
from compat_stack.embedded.programs import PostgresError


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    folder = tmp_path / "postgres"
    data = folder / "data"
    data.mkdir(parents=True, mode=0o700)
    (data / "PG_VERSION").write_text("17\n")
    return Cluster(tmp_path / "bin", data, folder / "it's sockets")


def written(cluster: Cluster, **changes: object) -> str:
    configure(Cluster(cluster.programs, cluster.data, cluster.sockets, **changes))  # pyright: ignore[reportArgumentType]
    return (cluster.data / "compat.conf").read_text()


def test_without_a_port_the_server_listens_at_its_socket_alone(cluster: Cluster):
    text = written(cluster)
    assert "listen_addresses = ''\n" in text
    assert "hba_file" not in text
    assert cluster.sockets.is_dir()


def test_a_quote_in_a_path_is_doubled(cluster: Cluster):
    assert "it''s sockets'\n" in written(cluster)


def test_at_a_port_whoever_connects_needs_a_password(cluster: Cluster):
    text = written(cluster, port=6543, has_tcp=True)
    assert "listen_addresses = '127.0.0.1'\nport = 6543\n" in text
    assert "hba_file = " in text
    rules = (cluster.data / "compat_hba.conf").read_text()
    assert "host all all 127.0.0.1/32 scram-sha-256" in rules


def test_only_a_cluster_that_need_not_last_leaves_fsync_off(cluster: Cluster):
    assert "fsync" not in written(cluster)
    assert "fsync = off" in written(cluster, durable=False)


def test_a_data_folder_without_its_version_is_named(cluster: Cluster):
    (cluster.data / "PG_VERSION").unlink()
    with pytest.raises(PostgresError, match="PG_VERSION is damaged"):
        written(cluster)
