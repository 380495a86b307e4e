"""The stack behind Caddy, nginx and HAProxy, each with the configuration that deploy/ holds."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from websockets.asyncio.client import connect

from tests.harness_deploy import PROXIES, Proxy, running_proxy
from tests.harness_programs import free_port
from tests.harness_stack import ROOT, Stack, start_stack

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Site:
    """A proxy with the stack behind it."""

    proxy: Proxy
    stack: Stack

    @property
    def key(self) -> str:
        return self.stack.keys["SUPABASE_PUBLISHABLE_KEY"]

    def client(self, **headers: str) -> httpx2.Client:
        return httpx2.Client(
            base_url=self.proxy.url, verify=self.proxy.tls, timeout=60,
            headers={"apikey": self.key, **headers},
        )  # fmt: skip


@pytest.fixture(scope="module", params=PROXIES)
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp(request.param)
    https_port, upstream = free_port(), free_port()
    stack = start_stack(
        folder / "data",
        PORT=str(upstream),
        PUBLIC_URL=f"https://localhost:{https_port}",
        TRUSTED_PROXIES="127.0.0.1",
    )
    try:
        with running_proxy(request.param, folder, upstream, https_port=https_port) as proxy:
            yield Site(proxy, stack)
    finally:
        stack.stop()


def sign_up(site: Site, email: str) -> str:
    with site.client() as client:
        answer = client.post(
            "/auth/v1/signup",
            json={"email": email, "password": "secreto1", "data": {"nombre": "Ana"}},
        )
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"]


def test_the_page_knows_its_public_address_and_plain_http_leads_there(site: Site):
    with site.client() as client:
        assert f'content="{site.proxy.url}"' in client.get("/").text
    plain = httpx2.get(f"http://localhost:{site.proxy.http_port}/dashboard")
    assert plain.status_code == 308
    assert plain.headers["location"].startswith("https://localhost")


def test_a_user_signs_up_and_reads_rows(site: Site):
    token = sign_up(site, "ana@example.com")
    with site.client(authorization=f"Bearer {token}") as client:
        assert [row["nombre"] for row in client.get("/rest/v1/profiles").json()] == ["Ana"]


async def test_sockets_are_passed_on(site: Site):
    address = (
        f"wss://localhost:{site.proxy.https_port}/realtime/v1/websocket?vsn=1.0.0&apikey={site.key}"
    )
    async with (
        connect(address, ssl=site.proxy.tls) as sender,
        connect(address, ssl=site.proxy.tls) as listener,
    ):
        for client in (sender, listener):
            join = {
                "topic": "realtime:sala",
                "event": "phx_join",
                "ref": "1",
                "payload": {"config": {}},
            }
            await client.send(json.dumps(join))
            assert json.loads(await client.recv())["payload"]["status"] == "ok"
        message = {"type": "broadcast", "event": "hola", "payload": {"n": 1}}
        await sender.send(
            json.dumps(
                {"topic": "realtime:sala", "event": "broadcast", "ref": "2", "payload": message}
            )
        )
        frame = json.loads(await listener.recv())
        while frame["event"] != "broadcast":
            frame = json.loads(await listener.recv())
        assert frame["payload"]["payload"] == {"n": 1}


def test_an_upload_passes_and_one_beyond_the_limit_gets_the_services_refusal(site: Site):
    token = sign_up(site, "bea@example.com")
    with site.client(authorization=f"Bearer {token}") as client:
        text = "x" * (5 * MEGABYTE)
        large = client.post("/rest/v1/actividades", json={"titulo": text, "fecha": "2027-01-01"})
        assert large.status_code in {400, 403}, large.text
        assert "code" in large.json()
        beyond = client.post("/rest/v1/actividades", content=b" " * (12 * MEGABYTE))
        assert beyond.status_code == 413
        assert beyond.json()["code"] == "PGRST102"


def test_a_file_that_the_service_takes_passes(site: Site):
    secret = site.stack.keys["SUPABASE_SECRET_KEY"]
    with site.client(apikey=secret, authorization=f"Bearer {secret}") as client:
        client.post("/storage/v1/bucket", json={"name": "fotos"}).raise_for_status()
        uploaded = client.post("/storage/v1/object/fotos/a", content=b"x" * (20 * MEGABYTE))
    assert uploaded.status_code == 200, uploaded.text


def test_what_is_the_operators_is_closed(site: Site):
    with site.client() as client:
        assert client.get("/mailbox").status_code == 404
        assert client.get("/metrics").status_code in {401, 403, 404}


def test_a_long_head_passes_and_one_beyond_the_limit_is_refused(site: Site):
    with site.client() as client:
        long = client.get("/auth/v1/health", headers={"x-long": "x" * 60_000})
        beyond = client.get("/auth/v1/health", headers={"x-long": "x" * 100_000})
    assert long.status_code == 200, long.text
    assert beyond.status_code in {400, 431}


def test_wrong_passwords_are_counted_by_the_address_that_the_proxy_saw(site: Site):
    statuses = set[int]()
    with site.client() as client:
        for number in range(120):
            answer = client.post(
                "/auth/v1/token?grant_type=password",
                json={"email": "nadie@example.com", "password": "wrong-password"},
                headers={
                    "x-forwarded-for": f"203.0.113.{number}",
                    "x-real-ip": f"198.51.100.{number}",
                },
            )
            statuses.add(answer.status_code)
            if answer.status_code == 429:
                break
    assert statuses == {400, 429}


def test_the_unit_of_systemd_is_valid_and_hardened(tmp_path: Path):
    if not Path("/usr/bin/systemd-analyze").exists():
        pytest.skip("systemd-analyze is not installed on this machine")
    unit = (ROOT / "deploy" / "planes.service").read_text()
    path = tmp_path / "planes.service"
    path.write_text(unit.replace("/opt/planes/bin/planes", "/bin/true"))
    for command in (["verify"], ["security", "--offline=true", "--threshold=25"]):
        done = subprocess.run(
            ["systemd-analyze", *command, str(path)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
