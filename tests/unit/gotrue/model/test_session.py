"""What a row of a session says."""

from __future__ import annotations

from datetime import timedelta

from gotrue_compat.model.session import RefreshToken
from tests.unit.gotrue.records import NOW, row, session


def test_a_session_without_level_is_aal1_and_its_refresh_is_in_utc():
    read = session(refreshed_at=NOW.replace(tzinfo=None))
    assert (read.aal, read.refreshed_at) == ("aal1", NOW)


def test_a_session_was_last_used_at_its_refresh_else_as_its_token_or_it_began():
    later = NOW + timedelta(hours=1)
    assert session().last_refreshed(None) == NOW
    assert session(refreshed_at=later.replace(tzinfo=None)).last_refreshed(NOW) == later
    assert session().last_refreshed(later) == later
    assert session(refreshed_at=NOW.replace(tzinfo=None)).last_refreshed(later) == NOW


def test_a_token_whose_revocation_is_null_is_not_revoked():
    assert RefreshToken.from_row(row(RefreshToken)).revoked is False
