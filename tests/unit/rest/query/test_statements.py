"""The statements of reads, writes and calls, and the body made of their rows."""

import pytest

from compat_base.values.http import HttpRequest
from rest_compat.catalog.model import CustomHandler
from rest_compat.names import QualifiedName
from rest_compat.plan.model import BuiltinHandler, InfoPlan
from rest_compat.plan.statements import ResultKind
from rest_compat.query.call import call_sql
from rest_compat.query.handlers import body_sql
from rest_compat.query.mutate import merges, mutation_sql, returning_sql
from rest_compat.query.preamble import make_preamble
from rest_compat.query.prepared import PreparedStatement, build
from rest_compat.query.read import count_sql, read_sql
from rest_compat.query.session import Caller, SessionRules
from rest_compat.request.headers import read_headers
from tests.harness_rest_plans import planned, text_of

ROW = b'{"id":1}'


def test_an_embed_is_a_lateral_query():
    read = planned("select=id,dept(name)&id=eq.1&order=id").read
    assert text_of(read_sql(read)) == (
        'SELECT "api"."emp"."id", row_to_json("emp_dept_1".*)::jsonb AS "dept" FROM "api"."emp"'
        ' LEFT JOIN LATERAL ( SELECT "dept_1"."name" FROM "api"."dept" AS "dept_1" WHERE'
        ' "dept_1"."id" = "api"."emp"."dept_id" ) AS "emp_dept_1" ON TRUE WHERE'
        ' "api"."emp"."id" = $1 ORDER BY "api"."emp"."id"'
    )


def test_a_count_asks_whether_inner_embeds_exist():
    read = planned("select=id,dept!inner()&limit=1").read
    assert text_of(count_sql(read)) == (
        'SELECT 1 FROM "api"."emp" WHERE EXISTS (SELECT 1 FROM "api"."dept" AS "dept_1" WHERE'
        ' "dept_1"."id" = "api"."emp"."dept_id" )'
    )


def test_a_write_returns_what_a_query_around_it_needs():
    deletion = planned("id=eq.1", "DELETE").statement
    assert text_of(mutation_sql(deletion)) == 'DELETE FROM "api"."emp" WHERE "api"."emp"."id" = $1'
    assert text_of(returning_sql(deletion)) == "RETURNING 1"


@pytest.mark.parametrize(
    ("wanted", "merging"), [("merge-duplicates", True), ("ignore-duplicates", False)]
)
def test_an_upsert_merges_or_does_nothing(wanted, merging):
    insert = planned("", "POST", body=ROW, prefer=f"resolution={wanted}").statement
    assert merges(insert) is merging
    assert ("DO UPDATE SET" in text_of(mutation_sql(insert))) is merging


def test_arguments_are_given_by_name():
    call = planned("above=1", path="/rpc/staff").statement
    assert text_of(call_sql(call)) == (
        'SELECT "pgrst_call".* FROM "api"."staff"("above" := $1::integer) pgrst_call'
    )


@pytest.mark.parametrize(
    ("handler", "result", "text"),
    [
        (BuiltinHandler.NOTHING, ResultKind.ROWS, "''::text"),
        (BuiltinHandler.JSON, ResultKind.ROWS, "coalesce(json_agg(_postgrest_t), '[]')"),
        (BuiltinHandler.JSON, ResultKind.ROW, "coalesce(json_agg(_postgrest_t)->0, 'null')"),
        (
            BuiltinHandler.JSON_STRIPPED,
            ResultKind.SCALARS,
            "coalesce(json_strip_nulls(json_agg(_postgrest_t.pgrst_scalar)), '[]')",
        ),
        (
            CustomHandler(QualifiedName("api", "f"), None),
            ResultKind.ROWS,
            '"api"."f"(_postgrest_t)',
        ),
    ],
)
def test_the_body_is_made_of_the_rows(handler, result, text):
    assert text_of(body_sql(handler, result)) == text


def test_a_plan_is_kept_with_its_script_and_a_description_alone():
    prepared = build(planned("id=eq.1"), SessionRules())
    assert isinstance(prepared, PreparedStatement)
    assert build(InfoPlan("GET"), SessionRules()) == InfoPlan("GET")


def test_a_read_needs_no_begin_where_a_write_does():
    request, sent = HttpRequest("GET", "/emp", "/emp", "", ()), read_headers(())
    caller = (Caller("role", "{}"), ())
    preambles = [
        make_preamble(build(plan, SessionRules()).script, caller, request, sent, authenticated=True)
        for plan in (planned(""), planned("", "POST", body=ROW))
    ]
    assert [one.alone is None for one in preambles] == [False, True]
    assert preambles[0].statements[0].text.startswith("BEGIN")
