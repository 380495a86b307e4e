"""The names of a level of a read: in the output, and in SQL."""

from rest_compat.names import QualifiedName
from rest_compat.plan.read_tree import FromFunction, FromTable
from tests.harness_rest_plans import DEPT, EMP, level


def test_an_embed_has_its_alias_in_the_output():
    assert level("dept").output_name() == "dept"
    assert level("dept", alias="home").output_name() == "home"


def test_columns_are_qualified_with_the_alias_where_there_is_one():
    assert FromTable(EMP).name() == EMP
    assert FromTable(EMP, "emp_1").name() == QualifiedName("", "emp_1")
    assert FromFunction(DEPT, "emp", EMP, "head_1").name() == QualifiedName("", "head_1")
