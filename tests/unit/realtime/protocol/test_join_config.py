"""What a join asks for, read from any payload."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from realtime_compat.protocol.join_config import InvalidReplay, Replay, read_join_config
from tests.unit.realtime.json_values import JSON


@given(JSON)
def test_any_join_payload_is_read(payload: Any):
    read_join_config(payload)
    read_join_config({"config": payload})
    read_join_config(
        {"config": {"broadcast": payload, "presence": payload, "postgres_changes": payload}}
    )


def test_the_legacy_token_wins():
    assert read_join_config({"user_token": "a", "access_token": "b"}).access_token == "a"


@pytest.mark.parametrize(
    ("replay", "read_as"),
    [
        (None, None),
        ({}, InvalidReplay()),
        ({"since": 1}, Replay(1, 25)),
        ({"since": 1, "limit": 99}, Replay(1, 25)),
        ({"since": 1, "limit": 0}, Replay(1, 1)),
        ({"since": "1"}, InvalidReplay()),
        (5, InvalidReplay()),
    ],
)
def test_a_replay_is_read_within_its_bounds(replay: object, read_as: object):
    assert read_join_config({"config": {"broadcast": {"replay": replay}}}).replay == read_as
