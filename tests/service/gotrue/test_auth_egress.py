"""What callers set is called on the public internet only: auth reference 9.3, 9.7."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from compat_base.egress import ForbiddenError, open_guarded
from compat_base.sockets import listen
from compat_base.values.networks import Permitted, permitted
from gotrue_compat.adapters.http import open_http
from gotrue_compat.ports import HttpCall
from tests.harness_auth import Auth, admin_token, location, problem
from tests.harness_oidc import Provider, open_provider
from tests.harness_push import server_context
from tests.service.gotrue.test_auth_sso import own_key

ADMIN = admin_token()
LOOPBACK, _ = permitted(("127.0.0.0/8",))
NOWHERE = Permitted()
SPELLINGS = (
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0", "localhost",
    "localhost.", "LOCALHOST", "①②⑦.0.0.1", "127。0。0。1", "%31%32%37.0.0.1", "[::1]",
    "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]",
    "169.254.169.254", "10.0.0.1", "100.64.0.1", "192.168.0.1", "[fd00::1]", "[fe80::1]",
    "255.255.255.255", "224.0.0.1", "0.0.0.0",
)  # fmt: skip


@dataclass
class Listener:
    """A server on loopback that answers with what it was asked, and counts who came."""

    port: int = 0
    came: int = 0
    heads: list[str] = field(default_factory=list)
    extra: bytes = b""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request; a connection without one is counted too."""
        self.came += 1
        try:
            self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()
            return
        writer.write(b"HTTP/1.1 200 OK\r\n" + self.extra + b"Content-Length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()


@pytest_asyncio.fixture
async def listener() -> AsyncIterator[Listener]:
    """The server."""
    made, listening = Listener(), listen("127.0.0.1", 0)
    made.port = listening.getsockname()[1]
    async with await asyncio.start_server(made.answer, sock=listening):
        yield made


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[list[str]]]:
    """The name server: answers by name, one for each time that it is asked."""
    answers: dict[str, list[list[str]]] = {}

    resolve = socket.getaddrinfo

    def getaddrinfo(host: str, port: int, *rest: Any, **more: Any) -> list[Any]:
        if host not in answers:
            return resolve(host, port, *rest, **more)
        found = answers[host].pop(0)
        family = {True: socket.AF_INET6, False: socket.AF_INET}
        return [(family[":" in one], socket.SOCK_STREAM, 6, "", (one, port)) for one in found]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return answers


@pytest.mark.parametrize("host", SPELLINGS)
async def test_no_spelling_of_a_private_address_is_connected_to(listener: Listener, host: str):
    async with open_guarded(NOWHERE) as client:
        with pytest.raises((ForbiddenError, httpx2.InvalidURL)):
            await client.get(f"http://{host}:{listener.port}/")
    assert listener.came == 0


@pytest.mark.parametrize("url", ["ftp://8.8.8.8/", "file:///etc/passwd", "http://u:p@8.8.8.8/"])
async def test_only_the_web_is_called_and_for_nobody(url: str):
    async with open_guarded(NOWHERE) as client:
        with pytest.raises((ForbiddenError, httpx2.UnsupportedProtocol)):
            await client.get(url)


@pytest.mark.parametrize(
    "found", [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["2606:4700::1111", "::ffff:10.0.0.1"]]
)
async def test_a_name_is_refused_by_any_of_its_addresses(names, listener, found: list[str]):
    names["evil.example"] = [found]
    async with open_guarded(NOWHERE) as client:
        with pytest.raises(ForbiddenError):
            await client.get(f"http://evil.example:{listener.port}/")
    assert listener.came == 0


async def test_a_name_is_resolved_once_and_the_judged_address_is_called(names, listener):
    names["rebind.example"] = [["127.0.0.1"], ["10.0.0.1"]]
    async with open_guarded(LOOPBACK) as client:
        answer = await client.get(f"http://rebind.example:{listener.port}/x")
        assert answer.status_code == 200
        assert f"host: rebind.example:{listener.port}" in listener.heads[0].lower()
        assert names["rebind.example"] == [["10.0.0.1"]]
        with pytest.raises(
            ForbiddenError
        ):  # the second answer is judged anew, on no kept connection
            await client.get(f"http://rebind.example:{listener.port}/x")


async def test_the_next_address_is_tried_where_nobody_listens_at_the_first(names, listener):
    names["two.example"] = [["127.0.0.2", "127.0.0.1"]]
    async with open_guarded(LOOPBACK) as client:
        answer = await client.get(f"http://two.example:{listener.port}/")
    assert answer.status_code == 200


async def test_no_proxy_of_the_environment_is_used(listener: Listener, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{listener.port}")
    async with open_guarded(NOWHERE) as client:
        with pytest.raises(ForbiddenError):
            await client.get("http://10.0.0.1/")
    assert listener.came == 0


async def test_a_call_has_no_header_that_its_caller_did_not_give(listener: Listener):
    call = HttpCall("POST", f"http://127.0.0.1:{listener.port}/", {"webhook-id": "1"}, b"{}", 60)
    async with open_http() as client:
        await client.send(call)
    names = {line.partition(":")[0].lower() for line in listener.heads[0].splitlines()[1:] if line}
    assert names == {"host", "user-agent", "accept-encoding", "content-length", "webhook-id"}


async def test_of_a_header_that_is_sent_twice_the_first_counts(listener: Listener):
    listener.extra = b"Content-Type: application/json\r\nContent-Type: text/plain\r\n"
    call = HttpCall("GET", f"http://127.0.0.1:{listener.port}/", {}, b"", 60)
    async with open_http() as client:
        assert (await client.send(call)).headers["content-type"] == "application/json"


async def test_an_answer_is_not_unpacked_for_a_caller_who_asked_for_none(listener: Listener):
    listener.extra = b"Content-Encoding: gzip\r\n"
    address = f"http://127.0.0.1:{listener.port}/"
    call = HttpCall("POST", address, {"accept-encoding": "identity"}, b"", 60)
    async with open_http() as client:
        assert (await client.send(call)).body == b"{}"


async def test_a_redirect_is_not_followed(listener: Listener):
    listener.extra = b"Location: http://10.0.0.1/\r\n"
    async with open_guarded(LOOPBACK) as client:
        assert (await client.get(f"http://127.0.0.1:{listener.port}/")).status_code == 200
    assert listener.came == 1


async def test_a_packed_answer_is_refused(listener: Listener):
    listener.extra = b"Content-Encoding: gzip\r\n"
    async with open_guarded(LOOPBACK) as client:
        with pytest.raises(httpx2.DecodingError):
            await client.get(f"http://127.0.0.1:{listener.port}/")
    assert "accept-encoding: identity" in listener.heads[0].lower()


@pytest.mark.parametrize(
    "begun",
    [b"", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
    ids=["interim responses", "chunks"],
)
async def test_an_answer_without_end_is_given_up(begun: bytes):
    endless = b"1\r\nx\r\n" if begun else b"HTTP/1.1 100 Continue\r\n\r\n"

    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(begun)
        with suppress(ConnectionError):
            while True:
                writer.write(endless * 1000)
                await writer.drain()
        writer.close()

    listening = listen("127.0.0.1", 0)
    async with (
        await asyncio.start_server(answer, sock=listening),
        open_guarded(LOOPBACK) as client,
    ):
        with pytest.raises(httpx2.RemoteProtocolError, match="the answer has no end"):
            await client.get(f"http://127.0.0.1:{listening.getsockname()[1]}/")


async def test_an_answer_is_read_in_pieces_between_which_others_are_served():
    listening, served = listen("127.0.0.1", 0), 0

    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 2000 + b"HTTP/1.1 204 No\r\n\r\n")
        await writer.drain()
        writer.close()

    async def others() -> None:
        nonlocal served
        while True:
            await asyncio.sleep(0)
            served += 1

    async with (
        await asyncio.start_server(answer, sock=listening),
        open_guarded(LOOPBACK) as client,
    ):
        beside = asyncio.create_task(others())
        await client.get(f"http://127.0.0.1:{listening.getsockname()[1]}/")
        beside.cancel()
    assert served > 20  # 50,000 bytes in pieces of 2,048


async def test_a_certificate_is_asked_for_in_the_name_not_the_address(
    names, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    server = server_context(tmp_path, "named.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    made, listening = Listener(), listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    names |= {"named.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]}
    async with (
        await asyncio.start_server(made.answer, sock=listening, ssl=server),
        open_guarded(LOOPBACK) as client,
    ):
        assert (await client.get(f"https://named.example:{port}/")).status_code == 200
        with pytest.raises(httpx2.ConnectError):
            await client.get(f"https://other.example:{port}/")


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a certificate for localhost, which every client of the module trusts."""
    folder = tmp_path_factory.mktemp("localhost")
    server_context(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(folder / "certificate.pem"))
        yield folder


async def _added(auth: Auth, name: str, issuer: str) -> str:
    """A custom provider's identifier."""
    body = {
        "identifier": f"custom:{name}", "provider_type": "oidc", "name": "Acme",
        "client_id": "client-1", "client_secret": "secret-1", "issuer": issuer,
    }  # fmt: skip
    made = await auth.post("/admin/custom-providers", body, token=ADMIN)
    assert made.status_code == 201, made.text
    return f"custom:{name}"


async def test_a_custom_provider_on_loopback_is_not_called(auth: Auth, listener: Listener):
    name = await _added(auth, "inside", "https://id.acme.example")
    await auth.rows(
        "update auth.custom_oauth_providers set issuer = $1 where identifier = $2",
        f"https://127.0.0.1:{listener.port}", name,
    )  # fmt: skip
    answer = await auth.get(f"/authorize?provider={name}")
    assert problem(answer)[:2] == (400, "validation_failed")
    token = {"provider": name, "id_token": "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.eA"}
    assert (await auth.post("/token?grant_type=id_token", token)).status_code == 500
    assert listener.came == 0
    assert any("ForbiddenError" in str(seen) for seen in auth.observations)


async def test_a_custom_provider_on_loopback_signs_in_where_a_setting_permits_it(
    open_with: Any, certified: Path, email: str
):
    auth = await open_with(GOTRUE_EGRESS_ALLOW_LIST="localhost")
    async with open_provider(certified=certified) as provider:
        name = await _added(auth, "permitted", provider.issuer)
        provider.person = {"sub": "7", "email": email, "email_verified": True}
        started = await auth.get(f"/authorize?provider={name}")
        async with httpx2.AsyncClient() as browser:
            sent = await browser.get(started.headers["location"])
        answer = await auth.get(sent.headers["location"].removeprefix("http://localhost:9999"))
    assert "access_token" in location(answer)[2], answer.headers["location"]


class Strange(Provider):
    """A provider whose discovery document sends browsers to a script."""

    def answer(self, path: str, query: dict[str, str], body: bytes, headers: dict[str, str]):
        status, extra, content = super().answer(path, query, body, headers)
        if "authorization_endpoint" in content:
            content["authorization_endpoint"] = "javascript:alert(1)//"
        return status, extra, content


async def test_a_discovery_document_sends_browsers_to_the_web_alone(
    open_with: Any, certified: Path
):
    auth = await open_with(GOTRUE_EGRESS_ALLOW_LIST="localhost")
    async with open_provider(Strange(), certified) as strange:
        name = await _added(auth, "strange", strange.issuer)
        answer = await auth.get(f"/authorize?provider={name}")
    assert problem(answer)[:2] == (400, "validation_failed")
    assert any("no address of the web" in str(seen) for seen in auth.observations)


@pytest.mark.parametrize("host", SPELLINGS)
async def test_saml_metadata_are_fetched_from_public_addresses_alone(
    saml: Auth, listener: Listener, host: str
):
    body = {"type": "saml", "metadata_url": f"https://{host}:{listener.port}/metadata"}
    made = await saml.post("/admin/sso/providers", body, token=ADMIN)
    assert problem(made)[:2] == (400, "saml_metadata_fetch_failed")
    assert listener.came == 0


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def saml(open_with: Any) -> Auth:
    """An instance with SAML switched on; nobody signs in."""
    return await open_with(GOTRUE_SAML_ENABLED="true", GOTRUE_SAML_PRIVATE_KEY=own_key())
