"""Routes are found by their paths, whatever the parameters in them."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from compat_base.values.http import HttpRequest
from gotrue_compat.web.routes import ROUTES, find_resources, find_routes, routed_path


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


@pytest.mark.parametrize("path", ["/passkeys/registration", "/passkeys/authentication/"])
def test_the_name_of_a_router_is_not_read_as_an_id(path: str):
    assert not find_routes(path).is_known


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("/health", "/health"),
        ("/%68ealth", "/%68ealth"),
        ("/admin/custom-providers/custom%3Aa", "/admin/custom-providers/custom%3Aa"),
        ("/a%20b", "/a b"),
        ("/%C3%B1", "/ñ"),
    ],
)
def test_a_path_that_escapes_without_need_is_taken_as_it_was_sent(raw: str, path: str):
    assert routed_path(HttpRequest("GET", unquote(raw), raw, "", ())) == path


def test_methods_of_a_pattern_are_those_of_a_path_it_covers_too():
    found = find_routes("/user/identities/authorize")
    assert set(found.by_method) == {"GET", "DELETE"}
    assert found.parameters == {"identity_id": "authorize"}


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/admin/users/7/nothing", [{"user_id": "7"}]),
        ("/admin/users/7/factors/8/x", [{"user_id": "7"}, {"user_id": "7", "factor_id": "8"}]),
        ("/admin/users//", [{"user_id": ""}]),
        ("/admin/users", []),
        ("/callback/x", [{}]),
        ("/callbacks", []),
    ],
)
def test_what_a_path_names_is_found_below_it_too(path: str, named: list[dict[str, str]]):
    assert [parameters for _, parameters in find_resources(path)] == named


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


@pytest.mark.parametrize(
    ("path", "mounts"),
    [
        ("/passkeys/7", ["/passkeys", "/passkeys/{passkey_id}"]),
        ("/passkeys/7/nothing", ["/passkeys", "/passkeys/{passkey_id}"]),
        ("/passkeys/registration/options", ["/passkeys", "/passkeys/registration"]),
        ("/passkeys/authentication/verify", ["/passkeys", "/passkeys/authentication"]),
        ("/passkeys", ["/passkeys"]),
        ("/passkeysx", []),
    ],
)
def test_what_is_judged_first_is_what_a_path_lies_below_a_name_before_a_parameter(
    path: str, mounts: list[str]
):
    assert [mount.path for mount in find_routes(path).mounts] == mounts
