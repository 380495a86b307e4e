"""What a function is given, and what it must return."""

from rest_compat.plan.call import result_kind, result_relation
from rest_compat.plan.statements import DirectArguments, JsonArguments, ResultKind, WholeBody
from tests.harness_rest_plans import EMP, planned, routine


def called(query, method="GET", body=b"", path="/rpc/staff", **headers):
    return planned(query, method, path, body, **headers).statement


def test_rows_of_a_relation_can_embed_what_that_relation_can():
    assert result_relation(routine("staff")) == EMP
    assert result_kind(routine("staff")) is ResultKind.ROWS
    assert result_kind(routine("one", is_set=False)) is ResultKind.ROW


def test_arguments_come_from_the_query_a_body_or_are_the_body():
    assert isinstance(called("above=1").arguments, DirectArguments)
    assert isinstance(called("", "POST", b'{"above":1}').arguments, JsonArguments)
    assert isinstance(called("", "POST", b"5", "/rpc/whole").arguments, WholeBody)


def test_of_a_repeated_argument_the_last_counts():
    (argument,) = called("above=1&above=2").arguments.arguments
    assert [placeholder.index for placeholder in argument.values] == [1]


def test_a_function_returns_what_is_selected_and_filtered_by_at_any_level():
    found = called("select=name,dept(name)&id=eq.1&dept.data=is.null&order=tsv").returning
    assert found == ("data", "dept_id", "id", "name")
