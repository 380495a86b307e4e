"""Paths as they are sent find their row: storage reference 1.2."""

from __future__ import annotations

import pytest

from storage_compat.web.routes import ROUTES, BadUrlError, match


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_row_is_found_by_its_path(route):
    path = route.path.replace("{bucket}", "b").replace("{key}", "k/l")
    found = match(route.method, path)
    assert found is not None
    assert (found.route.method, found.route.handler) == (route.method, route.handler)


def test_a_key_is_all_that_is_left_and_decoded_once():
    found = match("GET", "/object/b%20c/d%2Fe/%2525")
    assert found is not None
    assert found.parameters == {"bucket": "b c", "key": "d/e/%25"}
    assert found.raw["key"] == "d%2Fe/%2525"


def test_a_list_of_buckets_may_end_in_a_slash():
    assert match("GET", "/bucket/") == match("GET", "/bucket")


def test_a_segment_may_be_empty():
    found = match("GET", "/object//k")
    assert found is not None
    assert found.parameters == {"bucket": "", "key": "k"}


@pytest.mark.parametrize("path", ["/nowhere", "//bucket", "", "/bucket//", "/bucket/a/b/c/d"])
def test_other_paths_have_no_row(path: str):
    assert match("GET", path) is None


@pytest.mark.parametrize("path", ["/object/b/%FF", "/object/b/%2", "/object/%ZZ/k", "/nowhere/%ZZ"])
def test_a_path_that_cannot_be_decoded_is_refused(path: str):
    with pytest.raises(BadUrlError):
        match("GET", path)
