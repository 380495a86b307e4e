"""Which port of loopback the embedded database can have."""

from __future__ import annotations

import socket

from compat_stack.embedded.loopback import usable_port


def test_a_port_that_is_taken_gives_way_to_a_free_one():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        assert usable_port(port) not in {0, port}


def test_a_free_port_is_kept():
    with socket.create_server(("127.0.0.1", 0)) as freed:
        port = int(freed.getsockname()[1])
    assert usable_port(port) == port


def test_zero_asks_for_any_port():
    assert usable_port(0) > 0
