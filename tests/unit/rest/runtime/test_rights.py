"""Which rights are asked for before a large body is received."""

import pytest

from rest_compat.api_request.model import RelationAction, RoutineAction, Verb
from rest_compat.runtime.rights import privileges_query, refusal_of
from tests.harness_rest_plans import EMP


@pytest.mark.parametrize(
    ("verb", "right"),
    [(Verb.INSERT, b"INSERT"), (Verb.UPSERT, b"INSERT"), (Verb.UPDATE, b"UPDATE")],
)
def test_a_write_asks_for_the_right_that_it_needs(verb, right):
    assert privileges_query(RelationAction(EMP, verb), "member").args == (
        b"member",
        b"api",
        b"emp",
        right,
    )


def test_a_call_asks_for_its_function_and_a_read_for_nothing():
    assert privileges_query(RoutineAction(EMP, safe=False), "member").args == (
        b"member",
        b"api",
        b"emp",
    )
    assert privileges_query(RelationAction(EMP, Verb.READ), "member") is None


def test_what_has_no_name_is_not_refused():
    assert refusal_of(None, None) is None
