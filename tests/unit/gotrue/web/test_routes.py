"""Routes are found by their paths, whatever the parameters in them."""

from __future__ import annotations

import pytest

from gotrue_compat.web.routes import ROUTES, find_routes


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_is_found_by_its_path(route):
    found = find_routes(route.path.replace("{", "").replace("}", ""))
    assert route in found.by_method[route.method]


def test_the_root_of_a_router_is_found_with_a_slash_at_its_end():
    assert find_routes("/signup/").by_method == find_routes("/signup").by_method


@pytest.mark.parametrize(
    "path", ["/nowhere", "/admin/users/a/b", "/factors/a\0/verify", "", "/logout/", "/health/"]
)
def test_other_paths_have_no_route(path: str):
    assert not find_routes(path).is_known


def test_parameters_are_read_out_of_a_path():
    found = find_routes("/admin/users/42/factors/7")
    assert found.parameters == {"user_id": "42", "factor_id": "7"}


@pytest.mark.parametrize(
    ("path", "mounts"),
    [
        ("/admin/oauth/nothing", ["/admin", "/admin/oauth"]),
        ("/user/identities/7", ["/user", "/user/identities"]),
        ("/userinfo", []),
        ("/oauth", ["/oauth"]),
    ],
)
def test_what_is_judged_first_below_a_path_also_where_nothing_is(path: str, mounts: list[str]):
    assert [mount.path for mount in find_routes(path).mounts] == mounts
