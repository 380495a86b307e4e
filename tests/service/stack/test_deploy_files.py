"""The files of `deploy/` for several nodes say what the programs take: each is read as they read it.

No container runs here. PgBouncer is started with its file; of the compose file each command and
variable is judged by what it is for.
"""

from __future__ import annotations

import http.client
import re
import socket
import subprocess
import threading
from contextlib import suppress
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from compat_base.process import CLOSING_SECONDS, DATABASE_SECONDS
from compat_stack.process import unprivileged
from compat_stack.services.budget import most_connections
from compat_stack.settings import read_settings, rows
from tests.conftest import Server
from tests.harness_auth import AUTO, PASSWORD, open_auth
from tests.harness_deploy import PROXIES, running_proxy
from tests.harness_nodes import balanced
from tests.harness_programs import free_port, require_program, running
from tests.harness_stack import ROOT

DEPLOY = ROOT / "deploy"
WORKERS = 8
"""Of a machine that `WORKERS: auto` may find."""


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def environment_of(service: dict[str, Any]) -> dict[str, str]:
    """The variables of a service, with what the file takes from outside."""
    text = {"POSTGRES_PASSWORD": "secret", "JWT_SECRET": "of a test" * 4}

    def given(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        return default if default is not None else text[name]

    pattern = re.compile(r"\$\{(\w+)(?::\?|:-([^}]*))\}")
    return {name: pattern.sub(given, str(value)) for name, value in service["environment"].items()}


@pytest.mark.parametrize("node", ["node1", "node2"])
def test_the_nodes_of_the_compose_file_have_settings_that_the_stack_takes(
    compose: dict[str, Any], node: str
):
    variables = environment_of(compose["services"][node])
    known = {setting.variable for setting in rows().values()}
    assert set(variables) - known == {"REDIS_URL"}  # realtime's
    settings = read_settings(variables)
    assert settings.database_url
    networks = compose["networks"]["default"]["ipam"]["config"]
    assert [str(network) for network in settings.trusted_proxies] == [
        config["subnet"] for config in networks
    ]


def test_the_server_of_the_compose_file_takes_its_command_and_has_room_for_both_nodes(
    compose: dict[str, Any], server: Server
):
    program, *arguments = compose["services"]["postgres"]["command"]
    assert program == "postgres"

    def value_of(name: str) -> str:
        command = [
            *unprivileged.prefix(), str(server.cluster.programs / program),
            "-D", str(server.cluster.data), *arguments, "-C", name,
        ]  # fmt: skip
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    assert value_of("wal_level") == "logical"
    assert int(value_of("max_replication_slots")) >= 2 * 2
    variables = environment_of(compose["services"]["node1"]) | {"WORKERS": str(WORKERS)}
    one = sum(most_connections(read_settings(variables)).values())
    reserved = int(value_of("superuser_reserved_connections"))
    assert 2 * one + reserved <= int(value_of("max_connections"))


def test_the_nodes_of_the_compose_file_have_the_images_own_command_and_time_to_end(
    compose: dict[str, Any],
):
    image = (DEPLOY / "Containerfile").read_text()
    assert re.search(r'^CMD \["(\S+)", "serve"\]', image, re.MULTILINE)
    for name in ("node1", "node2"):
        node = compose["services"][name]
        assert "command" not in node
        settings = read_settings(environment_of(node))
        assert settings.jwt_secret
        grace = int(node["stop_grace_period"].removesuffix("s"))
        assert settings.drain_seconds + CLOSING_SECONDS + DATABASE_SECONDS < grace
    balancer = compose["services"]["balancer"]["volumes"][0]
    assert (DEPLOY / balancer.split(":")[0]).is_file()


def test_neither_keys_nor_what_is_installed_here_is_copied_into_the_image():
    assert "COPY . ." in (DEPLOY / "Containerfile").read_text()
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".data*", ".git", ".venv", "**/node_modules", "web/dist"} <= set(ignored)


def test_what_is_uploaded_at_one_node_of_the_compose_file_is_found_at_the_other(
    compose: dict[str, Any],
):
    image = (DEPLOY / "Containerfile").read_text()
    data = re.search(r"^ENV DATA_DIR=(\S+)", image, re.MULTILINE)
    assert data is not None
    files = f"{data[1]}/storage"
    assert files in image  # it is made there, or the volume would be root's
    one, other = (
        dict(reversed(mount.split(":")) for mount in compose["services"][name]["volumes"])
        for name in ("node1", "node2")
    )
    assert one[files] == other[files]
    assert one[data[1]] != other[data[1]]
    assert {*one.values(), *other.values()} <= set(compose["volumes"])


def test_a_node_of_the_compose_file_that_is_made_anew_has_the_address_that_it_had(
    compose: dict[str, Any],
):
    [config] = compose["networks"]["default"]["ipam"]["config"]
    addresses = {
        compose["services"][name]["networks"]["default"]["ipv4_address"]
        for name in ("node1", "node2")
    }
    assert len(addresses) == 2
    assert all(ip_address(each) in ip_network(config["subnet"]) for each in addresses)


class Dying:
    """A node that says that it is ready, and ends in the midst of any other request."""

    def __init__(self) -> None:
        self.taken = 0
        self._bound = socket.create_server(("127.0.0.1", 0))
        self.port = self._bound.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._bound.accept()
            with connection, suppress(OSError):
                received = connection.recv(65_536)
                if received.startswith(b"GET /readyz "):
                    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                elif received:
                    self.taken += 1


@pytest.mark.parametrize("program", ["haproxy", "caddy", "nginx"])
def test_a_write_that_a_node_took_and_did_not_answer_is_sent_to_no_other(
    program: str, tmp_path: Path
):
    nodes, port = [Dying(), Dying()], free_port()
    with balanced([node.port for node in nodes], tmp_path, port, program=program):
        for body in (None, b"{}"):
            before = sum(node.taken for node in nodes)
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("POST", "/rest/v1/pasos", body)
            assert connection.getresponse().status == 502
            connection.close()
            assert sum(node.taken for node in nodes) == before + 1


@pytest.mark.parametrize("program", PROXIES)
def test_a_write_that_the_only_node_took_and_did_not_answer_is_sent_once(
    program: str, tmp_path: Path
):
    node, port = Dying(), free_port()
    with running_proxy(program, tmp_path, node.port, https_port=port) as proxy:
        for body in (None, b"{}"):
            before = node.taken
            answer = httpx2.post(
                f"{proxy.url}/rest/v1/pasos", content=body, verify=proxy.tls, timeout=60
            )
            assert (answer.status_code, node.taken) == (502, before + 1)


async def test_pgbouncer_serves_auth_with_its_file(
    server: Server, services_database: str, tmp_path: Path
):
    port, role = free_port(), "supabase_auth_admin"
    users = tmp_path / "users.txt"
    users.write_text(f'"{role}" "a password"\n')
    text = (DEPLOY / "pgbouncer.ini").read_text()
    for original, here in {
        "host=postgres port=5432": f"host={server.cluster.sockets} dbname={services_database}",
        "listen_addr = 0.0.0.0": "listen_addr = 127.0.0.1\nunix_socket_dir =",
        "listen_port = 6432": f"listen_port = {port}",
        "/etc/pgbouncer/users.txt": str(users),
    }.items():
        assert original in text
        text = text.replace(original, here)
    (tmp_path / "pgbouncer.ini").write_text(text)
    for path in (users, tmp_path / "pgbouncer.ini", tmp_path):
        unprivileged.hand_over(path)
    command = [
        *unprivileged.prefix(),
        require_program("pgbouncer"),
        str(tmp_path / "pgbouncer.ini"),
    ]
    with running(command, port, tmp_path):
        pooled = f"postgresql://{role}:a%20password@127.0.0.1:{port}/postgres"
        async with open_auth(pooled, server.url(services_database), **AUTO) as auth:
            email = "pooled@example.com"
            up = await auth.post("/signup", {"email": email, "password": PASSWORD})
            assert up.status_code == 200, up.text
            assert (await auth.sign_in(email)).status_code == 200
