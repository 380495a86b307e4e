"""Errors as clients see them."""

import json

from rest_compat.errors import (
    BODY,
    JWT_CLAIMS,
    Verbosity,
    anonymous_refused,
    error_body,
    error_response,
    syntax_error,
    unauthorized,
)

PROBLEM = BODY.problem(message="m", details="d", hint="h")


def test_a_body_has_four_keys_or_two():
    assert json.loads(error_body(PROBLEM)) == {
        "code": "PGRST102", "details": "d", "hint": "h", "message": "m",
    }  # fmt: skip
    assert json.loads(error_body(PROBLEM, Verbosity.MINIMAL)) == {
        "code": "PGRST102",
        "message": "m",
    }


def test_controls_without_a_short_escape_in_the_original_have_long_ones():
    body = error_body(BODY.problem(message='\b\f\n\\b\x7f"'))
    assert body.endswith(b'"message":"\\u0008\\u000c\\n\\\\b\x7f\\""}')


def test_an_answer_names_its_error_in_a_header_too():
    answer = error_response(PROBLEM)
    assert answer.header("proxy-status") == "PostgREST; error=PGRST102"
    assert answer.header("content-type") == "application/json; charset=utf-8"


def test_a_refused_token_is_challenged():
    problem = unauthorized(JWT_CLAIMS, "JWT expired").problem
    assert error_response(problem).header("www-authenticate") == (
        'Bearer error="invalid_token", error_description="JWT expired"'
    )
    assert error_response(anonymous_refused().problem).header("www-authenticate") == "Bearer"


def test_a_syntax_error_has_its_place_in_the_message():
    assert syntax_error("here", "unexpected").problem.details == "unexpected"
