"""Limits of the server, and what the descriptors leave of them."""

from __future__ import annotations

import pytest

from compat_base.server_limits import ServerLimits, connection_limit

LIMITS = ServerLimits()


@pytest.mark.parametrize(("descriptors", "most"), [(1024, 768), (20, 16), (8, 16)])
def test_descriptors_bound_the_connections(descriptors: int, most: int):
    assert connection_limit(LIMITS, descriptors) == most
    assert connection_limit(ServerLimits(connections=5), descriptors) == 5
