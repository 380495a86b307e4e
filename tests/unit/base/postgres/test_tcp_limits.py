"""Limits of a connection of TCP, as libpq reads them."""

from __future__ import annotations

import socket

import pytest

from compat_base.postgres.faults import Unavailable
from compat_base.postgres.tcp_limits import DEFAULTS, limit_socket, read_limits


def test_what_a_connection_string_leaves_open_is_limited():
    assert read_limits({"host": "h"}) == DEFAULTS
    assert read_limits({"tcp_user_timeout": "9"}) == {**DEFAULTS, "tcp_user_timeout": 9}
    assert read_limits({"keepalives": "0", "tcp_user_timeout": "9"}) == {}


def test_what_is_no_number_is_refused_in_libpqs_words():
    words = 'invalid integer value "x" for connection option "keepalives_idle"'
    with pytest.raises(Unavailable, match=words):
        read_limits({"keepalives_idle": "x"})


def test_a_unix_socket_has_no_limits():
    one, other = socket.socketpair()
    with one, other:
        limit_socket(one, DEFAULTS)
        assert one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 0
