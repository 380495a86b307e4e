"""Two nodes on one database behind the balancer of `deploy/`: asked by turns, restarted under load.

The clock of one is ten minutes fast, that of the other ten minutes slow.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import re
import shutil
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from tests.conftest import Server
from tests.harness_fork import Program, start_program
from tests.harness_nodes import SHARED, Nodes, balanced
from tests.harness_programs import free_port
from tests.harness_stack import Stack, environment
from tests.harness_workers import Client, connect, get, until

CLOCKS = (600, -600)  # seconds by which they are fast


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
    made = Nodes(server.url(database), folder, clocks=CLOCKS, GOTRUE_MFA_TOTP_ENROLL_ENABLED="true")
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


@pytest.fixture
def balancer(nodes: Nodes, tmp_path: Path) -> Iterator[int]:
    """HAProxy with the file of `deploy/`; gives its port."""
    port = free_port()
    with balanced(nodes, tmp_path, port):
        yield port


def signed_up(client: Client, email: str) -> dict[str, object]:
    status, body, _ = client.ask(
        "POST", "/auth/v1/signup", {"email": email, "password": "una larga contraseña"}
    )
    assert status == 200, body
    return json.loads(body)


def link_of_mail(client: Client, secret: str) -> str:
    """The link of the newest mail, by the page that any node shows."""
    key = {"authorization": f"Bearer {secret}"}
    found: list[str] = []

    def is_there() -> bool:
        page = client.ask("GET", "/mailbox", **key)[1].decode()
        found[:] = re.findall(r'href="(/mailbox\?mail=[^"]+)"', page)
        return bool(found)

    until(is_there, "the mail")
    text = client.ask("GET", found[0], **key)[1].decode()
    link = re.search(r'https?://[^"<\s]+/verify\?[^"<\s]+', text)
    assert link is not None
    return link[0].replace("&amp;", "&")


def clock_offset(node: Stack) -> float:
    """What a node adds to its clock, by `/metrics`."""
    client = Client(connect(node), "")
    secret = f"Bearer {node.keys['SUPABASE_SECRET_KEY']}"
    text = client.ask("GET", "/metrics", authorization=secret)[1].decode()
    client.connection.close()
    found = re.search(r"^compat_clock_offset_seconds (\S+)$", text, re.MULTILINE)
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
    asked = {"email": email, "code_challenge": challenge, "code_challenge_method": "s256"}
    status, body, _ = other.ask("POST", "/auth/v1/recover", asked)
    assert status == 200, body
    address = urlsplit(link_of_mail(one, nodes.stacks[0].keys["SUPABASE_SECRET_KEY"]))
    status, _, headers = one.ask("GET", f"{address.path}?{address.query}")
    assert status == 303
    code = parse_qs(urlsplit(headers["location"]).query)["code"][0]
    sent = {"auth_code": code, "code_verifier": verifier}
    status, body, _ = other.ask("POST", "/auth/v1/token?grant_type=pkce", sent)
    assert status == 200, body
    session = json.loads(body)
    bearer = f"Bearer {session['access_token']}"
    assert one.ask("GET", "/auth/v1/user", authorization=bearer)[0] == 200
    refreshed = {"refresh_token": session["refresh_token"]}
    assert one.ask("POST", "/auth/v1/token?grant_type=refresh_token", refreshed)[0] == 200


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
    asked = {"factor_type": "totp", "friendly_name": "app"}
    status, body, _ = other.ask("POST", "/auth/v1/factors", asked, authorization=bearer)
    assert status == 200, body
    factor = json.loads(body)
    path = f"/auth/v1/factors/{factor['id']}"
    status, body, _ = one.ask("POST", f"{path}/challenge", {}, authorization=bearer)
    assert status == 200, body
    sent = {
        "challenge_id": json.loads(body)["id"],
        "code": totp(factor["totp"]["secret"], time.time()),
    }
    status, body, _ = other.ask("POST", f"{path}/verify", sent, authorization=bearer)
    assert status == 200, body
    bearer = f"Bearer {json.loads(body)['access_token']}"
    assert one.ask("GET", "/auth/v1/user", authorization=bearer)[0] == 200


def test_who_signs_out_at_one_node_is_out_at_the_other(pair: tuple[Client, Client]):
    one, other = pair
    session = signed_up(one, "carla@example.com")
    bearer = f"Bearer {session['access_token']}"
    assert other.ask("GET", "/auth/v1/user", authorization=bearer)[0] == 200
    assert one.ask("POST", "/auth/v1/logout", authorization=bearer)[0] == 204
    assert other.ask("GET", "/auth/v1/user", authorization=bearer)[0] == 403
    refreshed = {"refresh_token": session["refresh_token"]}
    assert other.ask("POST", "/auth/v1/token?grant_type=refresh_token", refreshed)[0] == 400


def test_a_token_counts_at_once_at_a_node_whose_clock_is_twenty_minutes_behind(
    nodes: Nodes, pair: tuple[Client, Client]
):
    if shutil.which("cc") is None:
        pytest.skip("no compiler on this machine: the clocks are right")
    bearer = f"Bearer {signed_up(pair[0], 'dora@example.com')['access_token']}"
    for client in pair:
        for path in ("/auth/v1/user", "/rest/v1/", "/storage/v1/bucket"):
            status, body, _ = client.ask("GET", path, authorization=bearer)
            assert status == 200, (path, body)
    assert [round(clock_offset(node), -1) for node in nodes.stacks] == [-600, 600]


def test_a_rolling_restart_behind_the_balancer_fails_no_request_and_loses_no_row(
    server: Server, database: str, nodes: Nodes, balancer: int
):
    with psycopg.connect(server.url(database), autocommit=True) as connection:
        connection.execute(
            "create table public.pasos (id int primary key); grant all on public.pasos to service_role;"
            "notify pgrst, 'reload schema'"
        )
    key = nodes.stacks[0].keys["SUPABASE_SERVICE_ROLE_KEY"]
    is_over, failures, written = threading.Event(), list[object](), set[int]()

    def ask(method: str, path: str, body: str | None = None) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", balancer, timeout=60)
        try:
            headers = {"apikey": key, "authorization": f"Bearer {key}"}
            connection.request(method, path, body, headers | {"content-type": "application/json"})
            return connection.getresponse().status
        finally:
            connection.close()

    def read() -> None:
        while not is_over.is_set():
            try:
                status = ask("GET", "/rest/v1/pasos?limit=1")
                failures.extend([status] if status != 200 else [])
            except OSError as error:
                failures.append(error)

    def write() -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            try:
                if ask("POST", "/rest/v1/pasos", json.dumps({"id": number})) == 201:
                    written.add(number)
            except (OSError, http.client.HTTPException):
                continue  # a write that was cut may be there or not: who wrote does not know

    def is_known() -> bool:
        return all(get(node, "/rest/v1/pasos?limit=1")[0] == 200 for node in nodes.stacks)

    until(is_known, "the table is known to both nodes")
    asking = [threading.Thread(target=read), threading.Thread(target=write)]
    for thread in asking:
        thread.start()
    try:
        for number in range(2):
            nodes.restart(number)
            until(lambda: ask("GET", "/livez") == 200, "served")
    finally:
        is_over.set()
        for thread in asking:
            thread.join()
    assert failures == []
    with psycopg.connect(server.url(database)) as connection:
        rows = {row[0] for row in connection.execute("select id from public.pasos")}
    assert written
    assert written <= rows


def test_eight_that_start_at_once_on_one_database_all_migrate_it(server: Server, tmp_path: Path):
    server.run("create database eight_starts")
    try:
        values = environment(PORT="0", DATABASE_URL=server.url("eight_starts"))
        first = tmp_path / "keys"
        _done(_migrating(first, values))  # a database goes with its keys: all have the same
        server.drop("eight_starts")
        server.run("create database eight_starts")
        starting = []
        for number in range(8):
            folder = tmp_path / str(number)
            folder.mkdir(mode=0o700)
            for name in SHARED:
                if (first / name).exists():
                    shutil.copy(first / name, folder / name)
            starting.append(_migrating(folder, values))
        for process in starting:
            _done(process)
    finally:
        server.drop("eight_starts")


def _migrating(folder: Path, values: dict[str, str]) -> Program:
    return start_program(["compat_stack", "migrate"], env=values | {"DATA_DIR": str(folder)})


def _done(process: Program) -> None:
    assert process.stdout is not None
    with process.stdout as output:
        said = output.read()
    assert process.wait(timeout=300) == 0, said
