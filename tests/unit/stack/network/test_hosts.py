"""Which host a request asks for, and which hosts are this machine whoever resolves them."""

from __future__ import annotations

from typing import Any

import pytest

from compat_stack.network.hosts import Host, is_loopback, requested_host


def scope(*hosts: str) -> dict[str, Any]:
    return {"headers": [(b"host", host.encode("latin-1")) for host in hosts]}


@pytest.mark.parametrize(
    ("sent", "host"),
    [
        ("localhost", Host("localhost", "localhost", None)),
        ("LocalHost.:80", Host("LocalHost.:80", "localhost", 80)),
        ("127.0.0.1:54321", Host("127.0.0.1:54321", "127.0.0.1", 54321)),
        ("[::1]:80", Host("[::1]:80", "::1", 80)),
    ],
)
def test_a_host_is_taken_apart(sent: str, host: Host):
    assert requested_host(scope(sent)) == host


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "a b",
        "user@localhost",
        "localhost/x",
        "localhost:",
        "localhost:x",
        "[::1",
        "-a",
        "é",
        "a,b",
    ],
)
def test_what_no_browser_sends_is_no_host(sent: str):
    assert requested_host(scope(sent)) is None


def test_two_hosts_or_none_are_no_host():
    assert requested_host(scope()) is None
    assert requested_host(scope("localhost", "localhost")) is None


@pytest.mark.parametrize("name", ["localhost", "a.LOCALHOST.", "127.0.0.1", "127.255.1.2", "::1"])
def test_these_are_this_machine(name: str):
    assert is_loopback(name)


@pytest.mark.parametrize(
    "name",
    ["localhost.example", "127.0.0.1.example", "127.1", "2130706433", "0.0.0.0", "10.0.0.1", ""],
)
def test_these_may_be_another(name: str):
    assert not is_loopback(name)
