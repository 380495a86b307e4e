"""Which addresses that are not public may be called all the same."""

from __future__ import annotations

from collections.abc import Mapping

from compat_base.values.networks import Permitted, permitted

_ALLOW_LIST = "GOTRUE_EGRESS_ALLOW_LIST"


def egress_of(environment: Mapping[str, str]) -> Permitted:
    """What may be called though it is not public: what the auth service may."""
    return permitted(environment.get(_ALLOW_LIST, "").replace(",", " ").split())[0]
