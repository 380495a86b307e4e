"""Who may open a socket."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from compat_base.values.errors import ApiError, Row
from compat_base.values.world import World, real_world
from realtime_compat import errors
from realtime_compat.protocol.codec import V2
from realtime_compat.protocol.rules import Rules
from realtime_compat.transports.handshake import Handshake, admit
from realtime_compat.transports.service import Service
from tests.harness_realtime import START, make_rules, token


def service(rules: Rules) -> Service:
    """A service of which a handshake needs its rules, its sockets and a clock."""
    nothing: Any = None
    world: World = real_world()
    return Service(rules, nothing, nothing, nothing, nothing, nothing, world, nothing, nothing)


def opened(query: dict[str, list[str]], *headers: tuple[str, str], **limits: Any) -> Handshake:
    return admit(headers, query, V2, service(make_rules(**limits)))


def test_a_gateways_header_wins_over_the_parameter():
    upgrade = opened({"apikey": [token("anon")]}, ("x-api-key", token("service_role")))
    assert upgrade.caller.role == "service_role"


def test_a_token_may_be_percent_encoded_and_its_address_is_the_last_hop():
    upgrade = opened(
        {"apikey": [quote(f" {token()} ")]}, ("x-forwarded-for", "1.2.3.4, 203.0.113.9")
    )
    assert (upgrade.caller.role, upgrade.address) == ("anon", "203.0.113.9")


@pytest.mark.parametrize(
    ("key", "limits", "row"),
    [
        ("", {}, errors.API_KEY_MISSING),
        ("x", {}, errors.TOKEN_MALFORMED),
        (token(exp=1), {}, errors.HANDSHAKE_TOKEN_EXPIRED),
        (token(), {"connections": 0}, errors.TOO_MANY_USERS),
        (token(), {"joins_per_second": 0}, errors.TOO_MANY_JOINS),
    ],
)
def test_an_upgrade_is_refused_with_its_reason(key: str, limits: dict[str, Any], row: Row):
    with pytest.raises(ApiError) as refused:
        opened({"apikey": [key]}, **limits)
    assert (refused.value.problem.code, refused.value.problem.message) == (row.code, row.message)


def test_an_address_has_a_most_of_new_sockets():
    made = service(make_rules(new_sockets_per_address=1))
    headers, query = (("x-forwarded-for", "203.0.113.9"),), {"apikey": [token()]}

    def flood() -> None:
        for _ in range(100):
            admit(headers, query, V2, made)

    with pytest.raises(ApiError, match="one address"):
        flood()
    assert admit((("x-forwarded-for", "203.0.113.8"),), query, V2, made).caller.expires > START
