"""What a request names is found, or a hint told."""

import pytest

from compat_base.values.errors import ApiError
from rest_compat.http.media_types import CSV, JSON
from rest_compat.names import QualifiedName
from rest_compat.plan.lookup import Calling, EmbedTarget, get_relationship, get_routine, get_table
from tests.harness_rest_plans import CACHE, DEPT, EMP


def problem(look):
    with pytest.raises(ApiError) as raised:
        look()
    return raised.value.problem


def calling(name, *arguments, content=JSON, has_body=False):
    name = QualifiedName("api", name)
    return get_routine(CACHE, Calling(name, frozenset(arguments), content, has_body))


def test_a_table_that_is_not_there_has_the_nearest_as_its_hint():
    assert get_table(CACHE, EMP).name == EMP
    found = problem(lambda: get_table(CACHE, QualifiedName("api", "emps")))
    assert (found.code, found.hint) == ("PGRST205", "Perhaps you meant the table 'api.emp'")


@pytest.mark.parametrize("name", ["dept", "emp_dept", "dept_id"])
def test_a_relationship_is_found_by_target_key_or_column(name):
    assert get_relationship(CACHE, EmbedTarget(EMP, name, None)).target == DEPT


def test_a_hint_must_fit_the_relationship():
    assert get_relationship(CACHE, EmbedTarget(EMP, "dept", "emp_dept")).target == DEPT
    assert (
        problem(lambda: get_relationship(CACHE, EmbedTarget(EMP, "dept", "x"))).code == "PGRST200"
    )


def test_a_function_is_chosen_by_the_names_of_its_arguments():
    assert calling("staff").name == calling("staff", "above").name
    assert problem(lambda: calling("staff", "below")).code == "PGRST202"
    assert problem(lambda: calling("over", "a")).code == "PGRST203"


def test_one_unnamed_parameter_takes_the_body_of_its_type():
    assert calling("whole", "any", has_body=True).name.name == "whole"
    assert problem(lambda: calling("whole", "any", content=CSV, has_body=True)).status == 404
