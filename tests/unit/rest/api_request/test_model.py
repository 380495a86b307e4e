"""What a request says, as values."""

import pytest

from rest_compat.api_request.model import Preferences, RoutineAction
from rest_compat.names import QualifiedName


@pytest.mark.parametrize(
    ("count", "counted"), [("exact", True), ("estimated", True), ("planned", False), (None, False)]
)
def test_rows_are_counted_where_the_planner_alone_does_not_say(count, counted):
    assert Preferences(count=count).counts() is counted


def test_only_strict_handling_refuses_what_is_not_understood():
    assert Preferences(handling="strict").is_strict()
    assert not Preferences(handling="lenient").is_strict()


def test_a_query_has_arguments_where_a_function_is_called_with_it():
    name = QualifiedName("api", "f")
    assert RoutineAction(name, safe=True).takes_query()
    assert not RoutineAction(name, safe=True, info=True).takes_query()
    assert not RoutineAction(name, safe=False).takes_query()
