"""From a request to its SQL, without a database: shapes are shared, values stay parameters."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_base.values.errors import ApiError
from compat_base.values.http import HttpRequest
from rest_compat.catalog.model import (
    Cardinality,
    Column,
    Relationship,
    SchemaCache,
    Table,
)
from rest_compat.names import QualifiedName
from rest_compat.plan.make import make_plan
from rest_compat.plan.model import StatementPlan
from rest_compat.plan.read import PlanRules
from rest_compat.query.build import build_script, fill
from rest_compat.query.session import SessionRules
from rest_compat.request.parse import parse
from rest_compat.request.shape import InvalidQueryError, split_request
from rest_compat.request.target import Exposure

EMP, DEPT = QualifiedName("api", "emp"), QualifiedName("api", "dept")


def column(name, type_name):
    return Column(name, None, True, type_name, type_name, None, None, ())


def table(relation, **columns):
    facts = {key: column(key, type_name) for key, type_name in columns.items()}
    return Table(relation, None, False, True, True, True, ("id",), facts)


KEY = Relationship(EMP, DEPT, False, Cardinality.MANY_TO_ONE, "emp_dept", (("dept_id", "id"),))

CACHE = SchemaCache(
    tables={
        EMP: table(EMP, id="integer", name="text", dept_id="integer", data="jsonb"),
        DEPT: table(DEPT, id="integer", name="text"),
    },
    relationships={(EMP, "api"): (KEY,)},
)


def request(query, method="GET", body=b"", **headers):
    sent = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return HttpRequest(method, "/emp", "/emp", query, sent, body)


def scripted(http_request):
    shape, values = split_request(http_request, Exposure(("api",)))
    plan = make_plan(parse(shape, allow_transaction=True), CACHE, PlanRules(aggregates=True))
    assert isinstance(plan, StatementPlan)
    return shape, values, build_script(plan, SessionRules())


def test_requests_that_differ_in_values_share_their_shape():
    one, values, script = scripted(request("id=eq.1&name=like.a*&id=in.(1,2)"))
    other, _, _ = scripted(request("id=eq.9&name=like.b&id=in.(5)"))
    assert one == other
    assert fill(script.main, values).args == (b"1", b"a%", b'{"1","2"}')


def test_requests_that_differ_in_what_they_do_do_not():
    shapes = {
        scripted(request(query))[0]
        for query in ("id=eq.1", "id=gt.1", "id=not.eq.1", "name=eq.1", "id=eq.1&limit=1")
    }
    assert len(shapes) == 5


def test_a_bodys_keys_are_shape_and_its_text_is_a_value():
    one, values, script = scripted(request("", "POST", b'{"id":1,"name":"a"}'))
    other, _, _ = scripted(request("", "POST", b'{"name":"b","id":2}'))
    assert one == other
    assert fill(script.main, values).args == (b'{"id":1,"name":"a"}',)


@pytest.mark.parametrize("query", ["", "columns=id,name"])
def test_rows_of_scalars_are_an_array_for_each_column(query):
    rows = b'[{"id":1,"name":"a,\\"b"},{"id":null,"name":"NULL"}]'
    _, values, script = scripted(request(query, "POST", rows))
    arrays = (b'{"1",NULL}', b'{"a,\\"b","NULL"}')
    assert fill(script.main, values).args == arrays
    assert "unnest($1::integer[], $2::text[])" in script.main.text


@pytest.mark.parametrize(
    ("query", "body", "headers"),
    [
        ("", b'[{"data":"a"}]', {}),
        ("", b'[{"name":["a"]}]', {}),
        ("columns=name", b'[{"name":"a"},{"id":1}]', {}),
        ("columns=name", b'[{"name":"a"}]', {"prefer": "missing=default"}),
        ("columns=name", b'[{"name":"a"}', {}),
        ("columns=name", b"[" + b'{"name":"a"},' * (1 << 17) + b"{}]", {}),
    ],
    ids=["jsonb", "nested", "ragged", "defaults", "broken", "long"],
)
def test_what_only_json_says_stays_json(query, body, headers):
    _, values, script = scripted(request(query, "POST", body, **headers))
    assert fill(script.main, values).args == (body,)


def test_names_are_quoted_so_that_they_cannot_end():
    _, _, script = scripted(request('select="a\\"b\' drop"'))
    assert '"a""b\' drop"' in script.main.text


QUERY_TEXT = st.text(alphabet="abidselect=&.(),:*->\"'\\! 01;é%", max_size=60)


@given(query=QUERY_TEXT)
def test_every_query_ends_in_a_plan_or_an_error_and_arguments_match_places(query):
    try:
        _, values, script = scripted(request(query.encode().decode("latin-1")))
    except (ApiError, InvalidQueryError):
        return
    arguments = fill(script.main, values).args
    places = {
        int(number) for number in re.findall(r"\$(\d+)", re.sub(r'"[^"]*"', "", script.main.text))
    }
    assert places == set(range(1, len(arguments) + 1))


@given(value=st.text(max_size=30))
def test_no_value_becomes_sql_text(value):
    marker = f"mark{value}mark"
    encoded = "".join(f"%{byte:02X}" for byte in marker.encode("utf-8", "surrogatepass"))
    try:
        _, _, script = scripted(request(f"name=eq.{encoded}&or=(name.eq.%22{encoded}%22,id.eq.1)"))
    except (ApiError, InvalidQueryError):
        return
    assert "mark" not in script.main.text


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("select=dept(", "PGRST100"),
        ("select=zz(*)", "PGRST200"),
        ("zz.id=eq.1", "PGRST108"),
        ("limit=-1", "PGRST103"),
    ],
)
def test_errors_come_from_their_stage(query, code):
    with pytest.raises(ApiError) as raised:
        scripted(request(query))
    assert raised.value.problem.code == code


@pytest.mark.parametrize(
    "query",
    [
        "select=data" + "->a" * 20_000,
        "data" + "->a" * 20_000 + "=eq.1",
        "select=" + ",".join(f"a{number}:name" for number in range(1_600)),
        "select=" + "id::text.sum()," * 1_600 + "id",
        "order=" + "data->a.desc," * 1_600 + "name",
        "columns=" + "id," * 1_600 + "id",
        "&".join("name=eq.1" for _ in range(6_000)),
    ],
    ids=lambda query: query[:20],
)
def test_what_a_head_can_hold_becomes_sql_within_a_second_of_processor(query):
    began = time.thread_time()
    scripted(request(query))
    assert time.thread_time() - began < 1
