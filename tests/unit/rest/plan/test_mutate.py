"""Writes: what they write where, and what they must return."""

import pytest

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import Verb
from rest_compat.plan.mutate import make_mutation
from rest_compat.plan.statements import Conflict, Delete, Insert, Update
from tests.harness_rest_plans import CACHE, EMP, level, make_request, planned

ROW = b'{"id":1,"name":"a"}'


def write(query, method, body=ROW, **headers):
    return planned(query, method, body=body, **headers).statement


def test_each_method_is_a_statement_of_its_own():
    assert isinstance(write("", "POST"), Insert)
    assert isinstance(write("id=eq.1", "PATCH"), Update)
    assert isinstance(write("id=eq.1", "DELETE"), Delete)


def test_a_conflict_is_on_the_key_or_on_what_is_asked_for():
    merging = {"prefer": "resolution=merge-duplicates"}
    assert write("", "POST").conflict is None
    assert write("", "POST", **merging).conflict == Conflict(("id",), ignore=False)
    found = write("on_conflict=name", "POST", prefer="resolution=ignore-duplicates").conflict
    assert found == Conflict(("name",), ignore=True)


@pytest.mark.parametrize("query", ["", "id=gt.1", "id=eq.1&name=eq.a", "id=eq.1&or=(id.eq.1)"])
def test_put_names_one_row_by_all_of_its_key(query):
    assert write("id=eq.1", "PUT").required
    with pytest.raises(ApiError) as raised:
        write(query, "PUT")
    assert raised.value.problem.code == "PGRST105"


def test_what_embeds_need_is_returned_beside_what_is_selected():
    shown = {"prefer": "return=representation"}
    assert write("select=name,dept(id)", "POST", **shown).returning == ("dept_id", "id", "name")
    assert write("select=name,dept(id)", "POST").returning == ()


def test_trees_with_the_prefix_of_an_embed_restrict_the_written_rows_too():
    deletion = make_request("id=eq.1&dept.or=(name.eq.a)&dept.id=eq.2&select=dept(id)", "DELETE")
    statement = make_mutation(deletion, Verb.DELETE, CACHE.tables[EMP], CACHE, level("emp"))
    assert len(statement.conditions) == 2
