"""When a session may not go on: auth reference 5.8."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from gotrue_compat import errors
from gotrue_compat.rules.sessions import client_problem, expired, is_replaced, tag_of
from gotrue_compat.settings.access import SessionSettings
from tests.unit.gotrue.records import NOW, factor, session, user

NONE = SessionSettings(None, None, None, single_per_user=False, tags=())
HOUR = timedelta(hours=1)
ENROLLED = user(factor_rows=[factor(status="verified")])


@pytest.mark.parametrize(
    ("settings", "after", "row"),
    [
        (NONE, 1_000_000, None),
        (replace(NONE, timebox=60), 60, None),
        (replace(NONE, timebox=60), 61, errors.SESSION_EXPIRED),
        (replace(NONE, inactivity=60), 60, None),
        (replace(NONE, inactivity=60), 61, errors.SESSION_INACTIVE),
        (replace(NONE, low_aal=60), 61, errors.SESSION_LOW_AAL),
    ],
)
def test_a_limit_holds_up_to_its_second(settings: SessionSettings, after: int, row: object):
    now = NOW + timedelta(seconds=after)
    assert expired(session(), ENROLLED, settings, now) is row


def test_an_end_of_its_own_counts_before_any_setting():
    assert expired(session(not_after=NOW), user(), NONE, NOW) is None
    assert expired(session(not_after=NOW), user(), NONE, NOW + HOUR) is errors.SESSION_EXPIRED


def test_a_change_of_the_token_is_activity():
    settings, now = replace(NONE, inactivity=60), NOW + HOUR
    assert expired(session(), user(), settings, now, token_updated_at=now) is None


def test_without_a_verified_factor_a_low_level_is_no_matter():
    assert expired(session(), user(), replace(NONE, low_aal=60), NOW + HOUR) is None


def test_a_later_session_of_the_same_tag_replaces():
    mine = session(tag="web")
    later = session(id=UUID(int=2), tag="web", created_at=NOW + HOUR)
    assert is_replaced(mine, NOW, [mine, later], ("web", "app"))
    assert not is_replaced(mine, NOW, [replace(later, tag="app")], ("web", "app"))
    assert not is_replaced(mine, NOW + HOUR, [later], ("web", "app"))


def test_an_unknown_tag_counts_as_the_first():
    assert tag_of("odd", ("web", "app")) == tag_of(None, ("web",)) == "web"
    assert tag_of("odd", ()) == ""


ONE, OTHER = UUID(int=1), UUID(int=2)


@pytest.mark.parametrize(
    ("owner", "client", "problem"),
    [
        (None, None, None),
        (ONE, ONE, None),
        (ONE, None, "Client authentication required for OAuth session"),
        (None, ONE, "Client authentication not allowed for non-OAuth session"),
        (ONE, OTHER, "Client does not match the session's OAuth client"),
    ],
)
def test_a_session_is_refreshed_by_its_own_client(owner, client, problem):
    assert client_problem(session(oauth_client_id=owner), client) == problem
