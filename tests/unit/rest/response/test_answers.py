"""Outcomes as answers, with the headers of each."""

import json
from dataclasses import replace

import pytest

from compat_base.values.errors import ApiError
from rest_compat.errors import Verbosity
from rest_compat.outcome import Inspected, Outcome
from rest_compat.plan.model import InfoPlan, InspectPlan, SessionFacts
from rest_compat.response.headers import overridden, with_vary, without_body
from rest_compat.response.openapi_paths import paths_of
from rest_compat.response.openapi_types import Described
from rest_compat.response.render import render, render_info
from rest_compat.response.root_document import render_root
from rest_compat.settings import read_settings
from tests.harness_rest_plans import CACHE, planned, routine


def answer(outcome, query="", method="GET", body=b"", **headers):
    reply = planned(query, method, body=body, **headers).reply
    return render(reply, outcome, "select=id", Verbosity.VERBOSE)


@pytest.mark.parametrize(
    ("query", "total", "status", "rows"),
    [("", None, 200, "0-1/*"), ("limit=2", 5, 206, "0-1/5"), ("offset=9", 5, 416, "9-10/5")],
)
def test_a_page_tells_which_rows_it_has(query, total, status, rows):
    found = answer(Outcome(total=total, page_total=2, body=b"[]"), query)
    assert (found.status, found.header("content-range")) == (status, rows)
    assert found.header("content-location") == "/emp?select=id"


def test_an_insert_tells_where_its_row_is():
    found = answer(Outcome(page_total=1, location=(("id", "eq.1"),)), "", "POST", b'{"id":1}')
    assert (found.status, found.header("location")) == (201, "/emp?id=eq.1")


def test_a_change_of_which_nothing_is_shown_has_no_body():
    found = answer(Outcome(page_total=3), "id=eq.1", "DELETE", prefer="count=exact")
    assert (found.status, found.body, found.header("content-range")) == (204, b"", "*/3")
    assert found.header("preference-applied") == "count=exact"


def test_sql_may_set_status_and_headers():
    headers = (("X", "ours"), ("Y", "y"))
    assert overridden(200, headers, "418", '[{"x": "sqls"}]') == (418, (("Y", "y"), ("x", "sqls")))
    for unreadable in ('{"x": "no list"}', r'[{"x": "\ud800"}]'):
        with pytest.raises(ApiError):
            overridden(200, headers, None, unreadable)


def test_vary_is_added_once_and_a_head_keeps_its_length():
    assert with_vary((("vary", "Origin"),)) == (("vary", "Origin"),)
    found = without_body(answer(Outcome(body=b"[1]")))
    assert (found.body, found.header("content-length")) == (b"", "3")


def test_a_description_tells_what_is_allowed():
    assert render_info(InfoPlan("OPTIONS,GET")).header("allow") == "OPTIONS,GET"


def test_a_function_without_parameters_has_none_in_the_root_document():
    without = [replace(routine("staff"), parameters=())]
    got = paths_of(Described([], {}, without, None))["/rpc/staff"]["get"]
    assert "parameters" not in got


def test_the_root_document_has_what_the_caller_may_see():
    session = SessionFacts("api", True, None, (), None, False)
    plan = InspectPlan("api", head=False, reply_schema=None, session=session)
    seen = Inspected(frozenset({"dept"}), {}, None)
    document = json.loads(render_root(plan, seen, CACHE, read_settings({})).body)
    assert list(document["paths"]) == ["/", "/dept"]
