"""Names become fields with their types and conversions."""

import pytest

from compat_base.values.errors import ApiError
from rest_compat.api_request.model import FieldText, Filter, FullText, Step
from rest_compat.plan.fields import Resolver, array_field, field_of_column, payload_field
from tests.harness_rest_plans import CACHE, EMP

RESOLVER = Resolver(CACHE, EMP)
PATH = (Step(False, "k"),)


@pytest.mark.parametrize(("name", "converts"), [("data", False), ("name", True), ("other", True)])
def test_a_path_into_what_is_no_json_is_into_its_json(name, converts):
    assert RESOLVER.output(FieldText(name, PATH)).converts_to_json is converts


def test_an_unknown_name_is_left_to_postgresql():
    assert RESOLVER.output(FieldText("other")).type == ""


@pytest.mark.parametrize(("name", "wrapped"), [("name", True), ("tsv", False)])
def test_text_is_made_a_document_to_be_searched(name, wrapped):
    found = RESOLVER.condition(Filter(FieldText(name), False, FullText("fts", "english", "cat")))
    assert found.field.to_tsvector is wrapped


def test_a_key_of_a_body_must_be_a_column():
    with pytest.raises(ApiError) as raised:
        payload_field(CACHE, CACHE.tables[EMP], "other")
    assert raised.value.problem.code == "PGRST204"


def test_a_column_is_taken_from_an_array_of_its_type():
    employees = CACHE.tables[EMP]
    field = field_of_column(employees.columns["id"])
    assert array_field(employees, field).type == "integer"
