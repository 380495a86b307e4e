"""Non-public addresses that may be called all the same."""

from __future__ import annotations

from collections.abc import Mapping

from compat_base.values.networks import Permitted, permitted

_ALLOW_LIST = "GOTRUE_EGRESS_ALLOW_LIST"


def egress_of(environment: Mapping[str, str]) -> Permitted:
    """The hosts and networks of GOTRUE_EGRESS_ALLOW_LIST."""
    return permitted(environment.get(_ALLOW_LIST, "").replace(",", " ").split())[0]
