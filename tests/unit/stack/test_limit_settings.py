"""The server's limits by their variables."""

from compat_base.server_limits import ServerLimits
from compat_base.values.settings import Reader
from compat_stack.limit_settings import read_limits


def test_the_server_limits_are_the_usual_ones_unless_set():
    assert read_limits(Reader({})) == ServerLimits()
    limits = read_limits(Reader({"HTTP_CONNECTIONS": "9", "HTTP_KEEPALIVE_TIMEOUT": "2m"}))
    assert (limits.connections, limits.idle_seconds) == (9, 120)
