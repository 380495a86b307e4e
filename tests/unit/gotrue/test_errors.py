"""What the database refuses, in the service's words: auth reference 1.11."""

from __future__ import annotations

import pytest

from compat_base.postgres.faults import Fault, PgFault
from compat_base.values.errors import ApiError
from gotrue_compat import errors


def test_a_constraint_is_the_row_that_it_means():
    fault = Fault("23505", "duplicate key", constraint="users_email_partial_key")
    assert errors.problem_of(fault, "saving") == errors.EMAIL_EXISTS.problem()


def test_a_name_that_is_taken_is_told():
    fault = Fault("23505", "duplicate key", constraint="mfa_factors_user_friendly_name_unique")
    assert 'name "mine"' in errors.problem_of(fault, name="mine").message


@pytest.mark.parametrize(
    ("sqlstate", "is_seen"), [("P0001", True), ("PT402", True), ("23514", True), ("42P01", False)]
)
def test_only_what_projects_raise_or_constrain_is_seen(sqlstate: str, is_seen: bool):
    problem = errors.problem_of(Fault(sqlstate, "secret table", hint="h"), "saving")
    assert ("postgres" in problem.extra) is is_seen
    if is_seen:
        assert problem.extra["postgres"] == {
            "code": sqlstate,
            "message": "secret table",
            "hint": "h",
        }


def test_a_refusal_says_what_was_being_done():
    def refused() -> None:
        with errors.database_errors("saving new user"):
            raise PgFault(Fault("42P01", "no table"))

    with pytest.raises(ApiError, match="Database error saving new user"):
        refused()


@pytest.mark.parametrize(
    ("sqlstate", "doing", "message"),
    [
        ("53100", "", "The disk of the database is full"),
        ("53300", "", "The database is not reachable at the moment"),
        ("53100", "saving new user", "Database error saving new user"),
    ],
)
def test_a_full_disk_is_named_where_the_original_has_no_words(
    sqlstate: str, doing: str, message: str
):
    assert errors.problem_of(Fault(sqlstate, "could not extend file"), doing).message == message
