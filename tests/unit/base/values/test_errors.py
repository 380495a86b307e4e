"""A row of an error table becomes a problem."""

from __future__ import annotations

from compat_base.values.errors import ApiError, Row


def test_an_error_row_fills_its_templates():
    row = Row("PGRST205", 404, "Could not find {name}", hint="Perhaps {other}")
    problem = ApiError.of(row, name="api.a", other="api.b").problem
    assert (problem.message, problem.hint, problem.status) == (
        "Could not find api.a",
        "Perhaps api.b",
        404,
    )


def test_a_template_without_facts_keeps_its_braces():
    assert Row("X", 400, "{a}").problem().message == "{a}"
