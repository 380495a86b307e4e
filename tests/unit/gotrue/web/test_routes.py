"""Routes are found by their paths, whatever the parameters in them."""

from __future__ import annotations

import pytest

from gotrue_compat.web.routes import ROUTES, find_routes


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_is_found_by_its_path(route):
    found = find_routes(route.path.replace("{", "").replace("}", ""))
    assert found is not None
    assert route in found.by_method[route.method]


def test_a_slash_at_the_end_does_not_count():
    assert find_routes("/signup/") == find_routes("/signup")


@pytest.mark.parametrize("path", ["/nowhere", "/admin/users/a/b", "/factors/a\0/verify", ""])
def test_other_paths_have_no_route(path: str):
    assert find_routes(path) is None


def test_parameters_are_read_out_of_a_path():
    found = find_routes("/admin/users/42/factors/7")
    assert found is not None
    assert found.parameters == {"user_id": "42", "factor_id": "7"}
