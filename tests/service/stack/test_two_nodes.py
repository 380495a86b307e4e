"""Two nodes on one database behind the balancer of `deploy/`: asked by turns, restarted under load.

The clock of one is ten minutes fast, that of the other ten minutes slow.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import itertools
import json
import re
import shutil
import signal
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from tests.conftest import Server
from tests.harness_fork import Program, start_program
from tests.harness_nodes import SECRET, Nodes, balanced
from tests.harness_programs import free_port
from tests.harness_stack import Stack, environment
from tests.harness_states import PAUSE
from tests.harness_workers import Client, connect, get, until

CLOCKS = (600, -600)  # seconds by which they are fast
BALANCERS = ("haproxy", "caddy", "nginx")
TABLE = "/rest/v1/pasos?limit=1"


@pytest.fixture(scope="module")
def database(server: Server) -> Iterator[str]:
    name = "two_nodes"
    server.run(f'create database "{name}"')
    yield name
    server.drop(name)


@pytest.fixture(scope="module")
def nodes(
    server: Server, database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Nodes]:
    folder = tmp_path_factory.mktemp("nodes")
    made = Nodes(
        server.url(database), folder, clocks=CLOCKS,
        GOTRUE_MFA_TOTP_ENROLL_ENABLED="true", GOTRUE_RATE_LIMIT_AUTHORIZE="30/1h",
    )  # fmt: skip
    made.start()
    yield made
    made.stop()


@pytest.fixture
def pair(nodes: Nodes) -> Iterator[tuple[Client, Client]]:
    """A connection to each node."""
    one, other = nodes.stacks
    key = one.keys["SUPABASE_ANON_KEY"]
    assert other.keys["SUPABASE_ANON_KEY"] == key
    clients = Client(connect(one), key), Client(connect(other), key)
    yield clients
    for client in clients:
        client.connection.close()


def signed_up(client: Client, email: str) -> dict[str, object]:
    status, body, _ = client.request(
        "POST", "/auth/v1/signup", {"email": email, "password": "una larga contraseña"}
    )
    assert status == 200, body
    return json.loads(body)


def link_of_mail(client: Client, secret: str) -> str:
    """The link of the newest mail, by the page that any node shows."""
    key = {"authorization": f"Bearer {secret}"}
    found: list[str] = []

    def is_there() -> bool:
        page = client.request("GET", "/mailbox", **key)[1].decode()
        found[:] = re.findall(r'href="(/mailbox\?mail=[^"]+)"', page)
        return bool(found)

    until(is_there, "the mail")
    text = client.request("GET", found[0], **key)[1].decode()
    link = re.search(r'https?://[^"<\s]+/verify\?[^"<\s]+', text)
    assert link is not None
    return link[0].replace("&amp;", "&")


def clock_offset(node: Stack) -> float:
    """What a node adds to its clock, by `/metrics`."""
    client = Client(connect(node), "")
    secret = f"Bearer {node.keys['SUPABASE_SECRET_KEY']}"
    text = client.request("GET", "/metrics", authorization=secret)[1].decode()
    client.connection.close()
    found = re.search(r"^compat_clock_offset_seconds\S* (\S+)$", text, re.MULTILINE)
    assert found is not None, text
    return float(found[1])


def test_a_flow_by_mail_and_pkce_goes_on_at_the_other_node(
    nodes: Nodes, pair: tuple[Client, Client]
):
    one, other = pair
    email, verifier = "ana@example.com", "v" * 50
    signed_up(one, email)
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    requested = {"email": email, "code_challenge": challenge, "code_challenge_method": "s256"}
    status, body, _ = other.request("POST", "/auth/v1/recover", requested)
    assert status == 200, body
    address = urlsplit(link_of_mail(one, nodes.stacks[0].keys["SUPABASE_SECRET_KEY"]))
    status, _, headers = one.request("GET", f"{address.path}?{address.query}")
    assert status == 303
    code = parse_qs(urlsplit(headers["location"]).query)["code"][0]
    sent = {"auth_code": code, "code_verifier": verifier}
    status, body, _ = other.request("POST", "/auth/v1/token?grant_type=pkce", sent)
    assert status == 200, body
    session = json.loads(body)
    bearer = f"Bearer {session['access_token']}"
    assert one.request("GET", "/auth/v1/user", authorization=bearer)[0] == 200
    refreshed = {"refresh_token": session["refresh_token"]}
    assert one.request("POST", "/auth/v1/token?grant_type=refresh_token", refreshed)[0] == 200


def totp(secret: str, at: float) -> str:
    """The code of an authenticator app (RFC 6238)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(at) // 30), "sha1").digest()
    start = digest[-1] & 15
    number = int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def test_a_factor_is_enrolled_challenged_and_verified_by_turns(pair: tuple[Client, Client]):
    one, other = pair
    bearer = f"Bearer {signed_up(one, 'bea@example.com')['access_token']}"
    requested = {"factor_type": "totp", "friendly_name": "app"}
    status, body, _ = other.request("POST", "/auth/v1/factors", requested, authorization=bearer)
    assert status == 200, body
    factor = json.loads(body)
    path = f"/auth/v1/factors/{factor['id']}"
    status, body, _ = one.request("POST", f"{path}/challenge", {}, authorization=bearer)
    assert status == 200, body
    sent = {
        "challenge_id": json.loads(body)["id"],
        "code": totp(factor["totp"]["secret"], time.time()),
    }
    status, body, _ = other.request("POST", f"{path}/verify", sent, authorization=bearer)
    assert status == 200, body
    bearer = f"Bearer {json.loads(body)['access_token']}"
    assert one.request("GET", "/auth/v1/user", authorization=bearer)[0] == 200


def test_who_signs_out_at_one_node_is_out_at_the_other(pair: tuple[Client, Client]):
    one, other = pair
    session = signed_up(one, "carla@example.com")
    bearer = f"Bearer {session['access_token']}"
    assert other.request("GET", "/auth/v1/user", authorization=bearer)[0] == 200
    assert one.request("POST", "/auth/v1/logout", authorization=bearer)[0] == 204
    assert other.request("GET", "/auth/v1/user", authorization=bearer)[0] == 403
    refreshed = {"refresh_token": session["refresh_token"]}
    assert other.request("POST", "/auth/v1/token?grant_type=refresh_token", refreshed)[0] == 400


def test_a_token_counts_at_once_at_a_node_whose_clock_is_twenty_minutes_behind(
    nodes: Nodes, pair: tuple[Client, Client]
):
    if shutil.which("cc") is None:
        pytest.skip("no compiler on this machine: the clocks are right")
    bearer = f"Bearer {signed_up(pair[0], 'dora@example.com')['access_token']}"
    for client in pair:
        for path in ("/auth/v1/user", "/rest/v1/", "/storage/v1/bucket"):
            status, body, _ = client.request("GET", path, authorization=bearer)
            assert status == 200, (path, body)
    assert [round(clock_offset(node), -1) for node in nodes.stacks] == [-600, 600]


def test_of_a_limit_of_thirty_thirty_pass_at_both_nodes_together(pair: tuple[Client, Client]):
    path, caller = "/auth/v1/authorize?provider=nadie", {"x-forwarded-for": "203.0.113.9"}
    requested = [each for _ in range(25) for each in pair]
    statuses = [each.request("GET", path, **caller)[0] for each in requested]
    assert sum(status != 429 for status in statuses) == 30


@contextmanager
def unready(server: Server, database: str, nodes: Nodes) -> Iterator[None]:
    """Both nodes say so, as neither may read the log; they serve on."""
    role = "supabase_realtime_admin"
    server.run(f"alter role {role} noreplication")
    try:
        server.run(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            f"where usename = '{role}' and datname = '{database}'"
        )
        for node in nodes.stacks:
            until(lambda at=node: get(at, "/readyz")[0] == 503, "it is not ready")
        yield
    finally:
        server.run(f"alter role {role} replication")
        for node in nodes.stacks:
            until(lambda at=node: get(at, "/readyz")[0] == 200, "it is ready again")


@pytest.mark.parametrize("program", ["haproxy", "caddy"])
def test_where_no_node_is_ready_a_balancer_asks_them_all_the_same(
    server: Server, database: str, nodes: Nodes, tmp_path: Path, program: str
):
    port = free_port()
    with (
        balanced(nodes.ports, tmp_path, port, program=program) as balancer,
        unready(server, database, nodes),
    ):
        for node in range(2):
            until(lambda at=node: balancer.has_left(at), "the balancer has noticed")
        client = SteadyClient(program, port, nodes.stacks[0].keys["SUPABASE_SECRET_KEY"])
        assert client.request("GET", "/auth/v1/settings")[0] == 200
        requested = {"email": f"{program}@example.com", "password": "una larga contraseña"}
        assert client.request("POST", "/auth/v1/signup", json.dumps(requested))[0] == 200


@pytest.mark.parametrize("program", BALANCERS)
def test_a_head_that_a_node_takes_passes_its_balancer(nodes: Nodes, tmp_path: Path, program: str):
    port = free_port()
    with balanced(nodes.ports, tmp_path, port, program=program):
        client = SteadyClient(program, port, nodes.stacks[0].keys["SUPABASE_SECRET_KEY"])
        assert client.request("GET", f"/auth/v1/settings?long={'x' * 60_000}")[0] == 200


def test_a_rolling_restart_behind_each_balancer_fails_no_request_and_loses_no_row(
    server: Server, database: str, nodes: Nodes, tmp_path: Path
):
    with psycopg.connect(server.url(database), autocommit=True) as connection:
        connection.execute(
            "create table public.pasos (id text primary key); grant all on public.pasos to service_role;"
            "notify pgrst, 'reload schema'"
        )
    for node in nodes.stacks:
        until(lambda at=node: get(at, TABLE)[0] == 200, "the table is known")
    with ExitStack() as opened:
        clients: list[SteadyClient] = []
        for program in BALANCERS:
            folder, port = tmp_path / program, free_port()
            folder.mkdir()
            opened.enter_context(balanced(nodes.ports, folder, port, program=program))
            key = nodes.stacks[0].keys["SUPABASE_SECRET_KEY"]
            clients.append(opened.enter_context(steady_client(program, port, key)))
        for number in range(2):
            nodes.restart(number)
            until(lambda n=number: all(each.reaches(n) for each in clients), "sent there again")
    assert [(each.name, each.failures) for each in clients if each.failures] == []
    with psycopg.connect(server.url(database)) as connection:
        rows = {row[0] for row in connection.execute("select id from public.pasos")}
    for each in clients:
        assert each.written
        assert each.written <= rows


@dataclass
class SteadyClient:
    """A client that reads and writes behind a balancer, one request after the other."""

    name: str
    port: int
    key: str
    failures: list[object] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    is_over: threading.Event = field(default_factory=threading.Event)

    def request(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = {"apikey": self.key, "authorization": f"Bearer {self.key}"}
            connection.request(method, path, body, headers | {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def reaches(self, node: int) -> bool:
        """Whether this request came to a node: the second alone has several workers."""
        status, metrics = self.request("GET", "/metrics")
        assert status == 200
        return (b'worker="2"' in metrics) == (node == 1)

    def read(self) -> None:
        while not self.is_over.wait(PAUSE):
            try:
                status, _ = self.request("GET", TABLE)
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(error)
            else:
                self.failures.extend([("GET", status)] if status != 200 else [])

    def write(self) -> None:
        for number in itertools.count():
            if self.is_over.wait(PAUSE):
                return
            row = f"{self.name} {number}"
            try:
                status, _ = self.request("POST", "/rest/v1/pasos", json.dumps({"id": row}))
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(error)
            else:
                self.failures.extend([("POST", status)] if status != 201 else [])
                self.written.add(row)


@contextmanager
def steady_client(name: str, port: int, key: str) -> Iterator[SteadyClient]:
    client = SteadyClient(name, port, key)
    threads = [threading.Thread(target=each) for each in (client.read, client.write)]
    for thread in threads:
        thread.start()
    try:
        yield client
    finally:
        client.is_over.set()
        for thread in threads:
            thread.join()


def test_a_node_that_is_told_to_end_serves_on_until_the_balancer_knows(nodes: Nodes):
    node = nodes.stacks[1]
    node.process.send_signal(signal.SIGTERM)
    until(lambda: get(node, "/readyz")[0] == 503, "the balancer is told")
    assert get(node, "/auth/v1/settings")[0] == 200
    assert json.loads(get(node, "/readyz")[1])["not_ready"] == {"node": "is about to end"}
    nodes.restart(1)


def test_eight_that_start_at_once_on_one_database_all_migrate_it(server: Server, tmp_path: Path):
    server.run("create database eight_starts")
    try:
        url = server.url("eight_starts")
        values = environment(PORT="0", DATABASE_URL=url, JWT_SECRET=SECRET)
        for process in [_migrating(tmp_path / str(number), values) for number in range(8)]:
            _done(process)
    finally:
        server.drop("eight_starts")


def _migrating(folder: Path, values: dict[str, str]) -> Program:
    return start_program(["compat_stack", "migrate"], env=values | {"DATA_DIR": str(folder)})


def _done(process: Program) -> None:
    assert process.stdout is not None
    with process.stdout as output:
        printed = output.read()
    assert process.wait(timeout=300) == 0, printed
