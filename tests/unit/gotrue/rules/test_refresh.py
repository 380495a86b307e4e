"""What a refresh token may still do: auth reference 5.2 to 5.7."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from gotrue_compat.model.session import RefreshToken
from gotrue_compat.rules import refresh
from gotrue_compat.settings import read_settings
from gotrue_compat.settings.access import SecuritySettings

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
KEY = b"k" * 32
TOKEN = RefreshToken(1, "a" * 12, "u", True, NOW, NOW - timedelta(seconds=5), None, UUID(int=1))
LATER = replace(TOKEN, updated_at=NOW + timedelta(hours=1))
ACTIVE = RefreshToken(2, "b" * 12, "u", False, NOW, NOW, TOKEN.token, UUID(int=1))


def _security(**changes) -> SecuritySettings:
    values = {
        "GOTRUE_SITE_URL": "http://x", "GOTRUE_JWT_SECRET": "s", "API_EXTERNAL_URL": "http://x",
        "DATABASE_URL": "postgresql://x",
    }  # fmt: skip
    return replace(read_settings(values).security, **changes)


@pytest.mark.parametrize(
    ("token", "active", "changes", "decision"),
    [
        (replace(TOKEN, revoked=False), None, {}, refresh.Rotate()),
        (TOKEN, ACTIVE, {}, refresh.Reuse(ACTIVE.token)),
        (TOKEN, replace(ACTIVE, parent="c" * 12), {}, refresh.Refuse(ends_family=True)),
        (TOKEN, replace(ACTIVE, parent="c" * 12), {"reuse_seconds": 10}, refresh.Rotate()),
        (TOKEN, None, {"reuse_seconds": 4}, refresh.Refuse(ends_family=True)),
        # revoked by a clock that was an hour fast: no hour of reuse
        (LATER, None, {"reuse_seconds": 10}, refresh.Refuse(ends_family=True)),
        (TOKEN, None, {"rotation": False}, refresh.Refuse(ends_family=False)),
    ],
)
def test_a_token_of_version_1_is_rotated_reused_or_refused(token, active, changes, decision):
    assert refresh.decide(token, active, _security(**changes), NOW) == decision


@pytest.mark.parametrize(
    ("counter", "changes", "age", "decision"),
    [
        (7, {}, 60, refresh.Rotate()),
        (6, {}, 60, refresh.Reuse("", "fail-to-save")),
        (5, {}, 60, refresh.Refuse(ends_family=True)),
        (5, {"reuse_seconds": 10}, 5, refresh.Reuse("", "concurrent-refresh")),
        (6, {"allow_reuse": True}, 60, refresh.Reuse("", "fail-to-save,always-allow")),
    ],
)
def test_a_token_of_version_2_is_judged_by_its_counter(counter: int, changes, age: int, decision):
    refreshed = NOW - timedelta(seconds=age)
    found = refresh.decide_counted(counter, 7, refreshed, _security(**changes), NOW)
    assert found == decision


def test_a_counter_ahead_of_the_database_is_foreign():
    with pytest.raises(ApiError, match="Not Issued By This Server"):
        refresh.decide_counted(8, 7, NOW, _security(), NOW)


@given(st.uuids(), st.integers(0, 2**60), st.binary(min_size=32, max_size=32))
def test_version_2_round_trip(session: UUID, counter: int, key: bytes):
    token = refresh.parse(refresh.encode(session, counter, key))
    assert isinstance(token, refresh.CountedToken)
    assert (token.session_id, token.counter) == (session, counter)
    assert refresh.is_genuine(token, key)
    assert not refresh.is_genuine(token, key[::-1] + b"x")


@given(st.text())
def test_no_text_crashes_the_parser(text: str):
    try:
        refresh.parse(text)
    except ApiError as error:
        assert error.problem.message == "Refresh token is not valid"
