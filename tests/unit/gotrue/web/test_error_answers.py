"""Both versions of the error body: auth reference 1.11."""

from __future__ import annotations

from typing import Any

import pytest

from compat_base.values import jsontext
from compat_base.values.errors import Problem
from compat_base.values.http import HttpRequest
from gotrue_compat import errors
from gotrue_compat.web.error_answers import error_answer, is_new_version


def http_request(**headers: str) -> HttpRequest:
    sent = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return HttpRequest("GET", "/x", "/x", "", sent, b"")


def body_of(problem: Problem, request_id: str | None = None, **headers: str) -> dict[str, Any]:
    return jsontext.decode(error_answer(problem, http_request(**headers), request_id).body)


@pytest.mark.parametrize(
    ("version", "is_new"),
    [("2024-01-01", True), ("2030-12-31", True), ("2023-12-31", False), ("2024-13-01", False),
     ("20240101", False), ("", False)],
)  # fmt: skip
def test_a_version_is_a_date(version: str, is_new: bool):
    assert is_new_version(http_request(x_supabase_api_version=version)) is is_new


def test_the_code_is_a_number_before_and_a_word_since_2024():
    problem = errors.USER_NOT_FOUND.problem()
    assert body_of(problem) == {
        "code": 404,
        "error_code": "user_not_found",
        "msg": "User not found",
    }
    assert body_of(problem, x_supabase_api_version="2024-01-01") == {
        "code": "user_not_found", "message": "User not found",
    }  # fmt: skip


def test_a_worded_error_of_the_server_names_its_request():
    worded = errors.DATABASE_ERROR.problem(doing="saving")
    assert body_of(worded, "r1")["error_id"] == "r1"
    for unnamed in (errors.UNEXPECTED.problem(), errors.USER_NOT_FOUND.problem()):
        assert "error_id" not in body_of(unnamed, "r1")


@pytest.mark.parametrize("version", ["", "2024-01-01"])
def test_a_failure_that_nothing_words_has_its_code_in_the_body_alone(version: str):
    sent = http_request(x_supabase_api_version=version)
    answer = error_answer(errors.UNEXPECTED.problem(), sent, None)
    assert "unexpected_failure" in jsontext.decode(answer.body).values()
    assert answer.header("x-sb-error-code") is None
    worded = error_answer(errors.DATABASE_ERROR.problem(doing="saving"), sent, None)
    assert worded.header("x-sb-error-code") == "unexpected_failure"


def test_reasons_of_a_weak_password_are_told():
    problem = errors.weak_password("text", ("length",)).problem
    assert body_of(problem)["weak_password"] == {"reasons": ["length"]}


@pytest.mark.parametrize(("sqlstate", "status"), [("PT418", 418), ("PT999", 500), ("23505", 500)])
def test_what_sql_raises_is_shown_with_the_status_that_it_names(sqlstate: str, status: int):
    seen = {"code": sqlstate, "message": "m"}
    answer = error_answer(Problem("c", 500, "m", extra={"postgres": seen}), http_request(), None)
    assert (answer.status, jsontext.decode(answer.body)) == (status, seen)


def test_an_oauth_error_has_the_form_of_oauth():
    problem = errors.oauth_error("invalid_grant").problem
    assert body_of(problem) == {"error": "invalid_grant"}
