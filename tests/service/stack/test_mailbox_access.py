"""Who opens the mailbox of a running stack: local browsers, key holders, and nobody by a proxy."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.harness_proxy import IS_ROOT, caddy, haproxy, nginx
from tests.harness_stack import Stack, start_stack

NO_OTHER_USER = "only root can run a proxy as another user"


def port_of(stack: Stack) -> int:
    return urlsplit(stack.url).port or 0


def fetch(
    port: int, path: str = "/mailbox", *, method: str = "GET", headers: dict[str, str] | None = None
) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_a_local_browser_opens_it(stack: Stack):
    status, page = fetch(port_of(stack))
    assert status == 200
    assert "Buzón local" in page


def test_head_has_no_body_and_other_methods_are_refused(stack: Stack):
    assert fetch(port_of(stack), method="HEAD") == (200, "")
    assert fetch(port_of(stack), method="POST")[0] == 405


@pytest.mark.parametrize(
    "path", ["/mailbox/", "//mailbox", "/MAILBOX", "/mailbox/..", "/./mailbox", "/%6dailbox"]
)
@pytest.mark.parametrize("header", ["Via", "X-Real-IP", "X-Forwarded-Host"])
def test_no_spelling_of_the_path_gets_around_the_guard(stack: Stack, path: str, header: str):
    assert "Buzón local" not in fetch(port_of(stack), path, headers={header: "192.0.2.7"})[1]


def test_the_page_asks_for_the_secret_key_where_it_is_told_to(stack: Stack):
    headers = {"Via": "1.1 proxy"}
    assert fetch(port_of(stack), headers=headers)[0] == 404
    assert fetch(port_of(stack), "/mailbox?login", headers=headers)[0] == 401
    headers["apikey"] = stack.keys["SUPABASE_SECRET_KEY"]
    assert fetch(port_of(stack), headers=headers)[0] == 200


def test_http_1_0_is_a_proxys(stack: Stack):
    port = port_of(stack)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection._http_vsn, connection._http_vsn_str = 10, "HTTP/1.0"
    connection.request("GET", "/mailbox")
    assert connection.getresponse().status == 404
    connection.close()


PROXIES: dict[str, Callable[[Path, int], AbstractContextManager[int]]] = {
    "nginx as it is": nginx,
    "nginx with a host": lambda f, s: nginx(f, s, "proxy_set_header Host $http_host;"),
    "nginx with addresses": lambda f, s: nginx(
        f, s, "proxy_set_header X-Real-IP $remote_addr; proxy_http_version 1.1;"
    ),
    "haproxy with addresses": lambda f, s: haproxy(f, s, "option forwardfor"),
    "caddy as it is": caddy,
}
SILENT: dict[str, Callable[[Path, int], AbstractContextManager[int]]] = {
    "nginx": lambda f, s: nginx(f, s, 'proxy_http_version 1.1; proxy_set_header Connection "";'),
    "nginx with a host": lambda f, s: nginx(
        f, s, "proxy_http_version 1.1; proxy_set_header Host $http_host;"
    ),
    "haproxy": haproxy,
    "haproxy of bytes": lambda f, s: haproxy(f, s, mode="tcp"),
    "caddy": lambda f, s: caddy(
        f,
        s,
        "header_up -X-Forwarded-For\nheader_up -X-Forwarded-Host\nheader_up -X-Forwarded-Proto\nheader_up -Via",
    ),
}
"""Proxies that leave no trace at all in what they send."""


@pytest.mark.parametrize("proxy", PROXIES.values(), ids=PROXIES)
def test_it_does_not_exist_behind_a_proxy(stack: Stack, tmp_path: Path, proxy):
    host = {"Host": f"127.0.0.1:{port_of(stack)}"}
    with proxy(tmp_path, port_of(stack)) as port:
        assert fetch(port, "/auth/v1/health")[0] == 200
        assert fetch(port, headers=host)[0] == 404
        assert fetch(port)[0] == 404


@pytest.mark.skipif(not IS_ROOT, reason=NO_OTHER_USER)
@pytest.mark.parametrize("proxy", SILENT.values(), ids=SILENT)
def test_it_does_not_exist_behind_a_silent_proxy_of_another_user(
    stack: Stack, tmp_path: Path, proxy
):
    host = {"Host": f"127.0.0.1:{port_of(stack)}"}
    with proxy(tmp_path, port_of(stack)) as port:
        assert fetch(port, "/auth/v1/health")[0] == 200
        assert fetch(port, headers=host)[0] == 404
        host["apikey"] = stack.keys["SUPABASE_SECRET_KEY"]
        assert fetch(port, headers=host)[0] == 200


@pytest.mark.skipif(not IS_ROOT, reason=NO_OTHER_USER)
def test_it_does_not_exist_to_another_user_of_the_machine(stack: Stack):
    script = (
        f"import http.client; c = http.client.HTTPConnection('127.0.0.1', {port_of(stack)});"
        " c.request('GET', '/mailbox'); print(c.getresponse().status)"
    )
    for user, status in (("nobody", "404"), (os.geteuid(), "200")):
        done = subprocess.run(
            ["/usr/bin/env", "python3", "-c", script],
            user=user, cwd="/", capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert (done.stdout.strip(), done.stderr) == (status, "")


@pytest.fixture(scope="module")
def public_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("public") / "data"
    started = start_stack(folder, PUBLIC_URL="http://planes.example")
    yield started
    started.stop()


def bound_port(stack: Stack) -> int:
    """The port that the process listens on, which PUBLIC_URL does not name."""
    inodes = {
        link.removeprefix("socket:[").removesuffix("]")
        for entry in Path(f"/proc/{stack.process.pid}/fd").iterdir()
        if (link := str(entry.readlink())).startswith("socket:")
    }
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return next(int(r[1].partition(":")[2], 16) for r in rows if r[3] == "0A" and r[9] in inodes)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_public_stack_shows_it_to_key_holders_alone(public_stack: Stack):
    port = bound_port(public_stack)
    assert fetch(port)[0] == 404
    assert any("/mailbox?login" in line for line in public_stack.output)
    key = public_stack.keys["SUPABASE_SERVICE_ROLE_KEY"]
    assert fetch(port, headers={"Authorization": f"Bearer {key}"})[0] == 200
