"""The path in a token that leads to its role."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rest_compat.auth.role_claim import RoleClaimError, find_roles, parse_role_claim_path


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("$.role", "a"),
        ("$.app.roles[1]", "y"),
        ("$['https://x/role']", "u"),
        ('$.app.roles[?(@ == "y")]', "y"),
        ("$.app.roles[-1]", "y"),
        ("$.app.*", ["x", "y"]),
        ('$.app.roles[?search(@, "^x")]', "x"),
        (".role", "a"),
        ('."https://x/role"', "u"),
        ('.app.roles[?(@ ^== "y")]', "y"),
        ("$.nothing.here", None),
    ],
)
def test_roles_are_found_where_the_path_leads(path, role):
    claims = {"role": "a", "app": {"roles": ["x", "y"]}, "https://x/role": "u"}
    found = find_roles(parse_role_claim_path(path), claims)
    assert (found[0] if found else None) == role


@given(st.text(max_size=30))
def test_any_role_path_is_read_or_refused(text):
    with contextlib.suppress(RoleClaimError):
        find_roles(parse_role_claim_path(text), {"a": [1, {"b": 2}]})
