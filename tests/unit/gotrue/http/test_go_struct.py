"""A member of a wrong type is refused in the words of Go's decoder (auth reference 1.2)."""

from __future__ import annotations

from typing import Any

import pytest

from gotrue_compat.http.go_struct import ID, TEXTS, TEXTS_POINTER, go_struct

NO_TEXT = "JSON value must be string type"
BODY = go_struct(
    "SignupParams", "email phone", flags="link", objects="data", names=TEXTS, id=ID, places=TEXTS_POINTER,
    mapping="models.Mapping",
)  # fmt: skip


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"email": 1}, "number into Go struct field SignupParams.email of type string"),
        ({"EMAIL": True}, "bool into Go struct field SignupParams.email of type string"),
        ({"link": "x"}, "string into Go struct field SignupParams.link of type bool"),
        ({"data": []}, "array into Go struct field SignupParams.data of type map[string]interface {}"),
        ({"names": "a"}, "string into Go struct field SignupParams.names of type []string"),
        ({"places": 5}, "number into Go struct field SignupParams.places of type []string"),
        ({"places": ["a", 5]}, "number into SignupParams.places.1 of type string"),
        ({"names": ["a", {}]}, "object into Go struct field SignupParams.names of type string"),
        ({"id": 1.5}, f"number into Go struct field SignupParams.id of type uuid.UUID: {NO_TEXT}"),
        ({"mapping": 1}, "number into Go struct field SignupParams.mapping of type models.Mapping"),
        ({"phone": 1, "email": {}}, "number into Go struct field SignupParams.phone of type string"),
    ],
)  # fmt: skip
def test_the_first_member_of_a_wrong_type_is_named(members: dict[str, Any], reason: str):
    assert BODY.mismatch(members) == f"json: cannot unmarshal {reason}"


@pytest.mark.parametrize(
    "members", [{}, {"email": None, "data": None}, {"other": 1}, {"names": [None, "a"], "id": "x"}]
)
def test_members_of_the_right_type_and_unknown_ones_are_taken(members: dict[str, Any]):
    assert BODY.mismatch(members) is None
