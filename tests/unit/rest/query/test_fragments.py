"""Columns, conditions and bodies as SQL."""

import pytest

from rest_compat.api_request.model import Aggregate, Binary, InList, Is, Quantifier, Step
from rest_compat.http.ranges import ALL, Window
from rest_compat.names import QualifiedName
from rest_compat.plan.read_tree import Comparison, Field, Group, Order
from rest_compat.plan.statements import PayloadColumns
from rest_compat.query.bodies import body_rows
from rest_compat.query.fragments import (
    condition_sql,
    order_sql,
    selected,
    window_sql,
)
from tests.harness_rest_plans import column, text_of

T = QualifiedName("", "t")


@pytest.mark.parametrize(
    ("operation", "negated", "text"),
    [
        (Binary("eq", "1"), False, '"t"."a" = $1'),
        (Binary("like", "a*", Quantifier.ANY), True, 'NOT "t"."a" like ANY($1)'),
        (Is("not_null"), False, '"t"."a" IS NOT NULL'),
        (InList(("1", "2")), False, '"t"."a" = ANY ($1)'),
    ],
)
def test_a_comparison_is_of_a_column_with_a_parameter(operation, negated, text):
    assert text_of(condition_sql(T, Comparison(Field("a"), negated, operation))) == text


def test_a_group_is_in_parentheses():
    one = Comparison(Field("a"), False, Is("null"))
    assert text_of(condition_sql(T, Group(True, "or", (one, one)))) == (
        'NOT ("t"."a" IS NULL OR "t"."a" IS NULL)'
    )


def test_a_selected_column_is_converted_cast_aggregated_and_named():
    path = (Step(True, "k"),)
    one = column("a", alias="b", cast="int", aggregate=Aggregate.SUM)
    assert text_of(selected(T, one)) == 'SUM(CAST( "t"."a" AS int )) AS "b"'
    inner = Field("a", path, converts_to_json=True)
    assert text_of(order_sql(T, (Order(inner, descending=True),))) == (
        'ORDER BY to_jsonb("t"."a")->>$1 DESC'
    )


@pytest.mark.parametrize(
    ("window", "text"),
    [(ALL, ""), (Window(2), "LIMIT ALL OFFSET '2'"), (Window(0, 4), "LIMIT '5' OFFSET '0'")],
)
def test_a_window_stands_in_the_text(window, text):
    assert text_of(window_sql(window)) == text


def test_a_body_is_rows_of_json_or_of_arrays():
    field = Field("a", type="integer")
    as_json = PayloadColumns((field,), is_object=False, with_defaults=False)
    as_arrays = PayloadColumns((field,), is_object=False, with_defaults=False, as_arrays=True)
    assert "json_to_recordset" in text_of(body_rows(as_json))
    assert "unnest($1::integer[])" in text_of(body_rows(as_arrays))
