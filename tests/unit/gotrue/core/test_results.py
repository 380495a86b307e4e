"""The user of a result, whether a record of the row was made or not."""

from __future__ import annotations

from gotrue_compat.core.results import SignedIn
from gotrue_compat.rules.claims import Issue, access_claims
from gotrue_compat.rules.shapes import user_row_shape, user_shape
from gotrue_compat.settings import read_settings
from tests.unit.gotrue.records import NOW, current, session

SETTINGS = read_settings({
    "GOTRUE_JWT_SECRET": "x" * 32, "GOTRUE_SITE_URL": "http://a", "API_EXTERNAL_URL": "http://b",
    "DATABASE_URL": "postgres://c/d",
})  # fmt: skip


def test_a_row_is_shown_and_told_of_in_claims_as_its_record_is():
    row = current(email="a@b", phone="34600", raw_user_meta_data={"full_name": "Ana"})
    record = row.user
    assert SignedIn("a", 1, 2, "r", row, "s").user is record
    assert SignedIn("a", 1, 2, "r", record, "s").user is record
    assert user_row_shape(row.row) == user_shape(record)
    claims = [
        access_claims(Issue(who, session(), NOW), SETTINGS.jwt, SETTINGS.sessions)
        for who in (row, record)
    ]
    assert claims[0] == claims[1]
