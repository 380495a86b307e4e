"""Joins that are refused before any question, in the original's order."""

from __future__ import annotations

from typing import Any

import pytest

from compat_base.values.errors import ApiError
from realtime_compat import errors
from realtime_compat.protocol.admission import Joins, admit
from realtime_compat.protocol.join_config import read_join_config
from realtime_compat.protocol.rules import SocketRates
from tests.harness_realtime import START, caller, make_rules, token


def admitted(topic: str = "realtime:t", channels: int = 0, body: Any = None, **limits: Any):
    rules = make_rules(**limits)
    joins = Joins(rules, SocketRates(rules.limits), channels, START)
    return admit(topic, read_join_config(body or {}), caller(), joins)


@pytest.mark.parametrize(
    ("requested", "row"),
    [
        ({"topic": "realtime:"}, errors.TOPIC_REQUIRED),
        ({"private_only": True}, errors.PRIVATE_ONLY),
        ({"joins_per_second": 0}, errors.TOO_MANY_JOINS),
        ({"authorizations_per_second": 0}, errors.TOO_MANY_JOINS),
        ({"channels": 1, "channels_per_connection": 1}, errors.TOO_MANY_CHANNELS),
        ({"topic": "realtime:", "private_only": True}, errors.TOPIC_REQUIRED),
    ],
)
def test_a_join_is_refused_by_the_first_rule_that_it_breaks(requested: dict[str, Any], row: Any):
    with pytest.raises(ApiError) as refused:
        admitted(**requested)
    assert refused.value.problem.code == row.code


def test_a_join_speaks_for_its_socket_unless_it_brings_a_token():
    assert admitted() == caller()
    assert admitted(body={"access_token": token("authenticated")}).role == "authenticated"


def test_a_token_that_ended_is_refused():
    with pytest.raises(ApiError, match="expired"):
        admitted(body={"access_token": token(exp=START - 1)})
