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


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    [
        ("POST", "/bucket", "storage.bucket.create"),
        ("GET", "/bucket", "storage.bucket.list"),
        ("GET", "/bucket/b", "storage.bucket.get"),
        ("PUT", "/bucket/b", "storage.bucket.update"),
        ("POST", "/bucket/b/empty", "storage.bucket.empty"),
        ("DELETE", "/bucket/b", "storage.bucket.delete"),
        ("POST", "/object/b/k", "storage.object.upload"),
        ("PUT", "/object/b/k", "storage.object.upload_update"),
        ("PUT", "/object/upload/sign/b/k", "storage.object.upload_signed"),
        ("POST", "/object/upload/sign/b/k", "storage.object.sign_upload_url"),
        ("GET", "/object/public/b/k", "storage.object.get_public"),
        ("HEAD", "/object/public/b/k", "storage.object.info_public"),
        ("GET", "/object/authenticated/b/k", "storage.object.get_authenticated"),
        ("GET", "/object/b/k", "storage.object.get_authenticated"),
        ("GET", "/object/sign/b/k", "storage.object.get_signed"),
        ("GET", "/object/info/public/b/k", "storage.object.info_public"),
        ("GET", "/object/info/authenticated/b/k", "object.get_authenticated_info"),
        ("GET", "/object/info/b/k", "object.get_authenticated_info"),
        ("HEAD", "/object/authenticated/b/k", "object.head_authenticated_info"),
        ("HEAD", "/object/b/k", "object.head_authenticated_info"),
        ("POST", "/object/copy", "storage.object.copy"),
        ("POST", "/object/move", "storage.object.move"),
        ("DELETE", "/object/b/k", "storage.object.delete"),
        ("DELETE", "/object/b", "storage.object.delete_many"),
        ("POST", "/object/list/b", "storage.object.list"),
        ("POST", "/object/list-v2/b", "storage.object.list_v2"),
        ("POST", "/object/sign/b/k", "storage.object.sign"),
        ("POST", "/object/sign/b", "storage.object.sign_many"),
        ("GET", "/render/image/authenticated/b/k", "storage.render.image_authenticated"),
        ("GET", "/render/image/public/b/k", "storage.render.image_public"),
        ("GET", "/render/image/sign/b/k", "storage.render.image_sign"),
        ("POST", "/upload/resumable", "storage.tus.upload.create"),
        ("PATCH", "/upload/resumable/i", "storage.tus.upload.part"),
        ("HEAD", "/upload/resumable/i", "storage.tus.upload.get"),
        ("DELETE", "/upload/resumable/i", "storage.tus.upload.delete"),
        ("POST", "/upload/resumable/sign", "storage.tus.upload.create_signed"),
        ("PATCH", "/upload/resumable/sign/i", "storage.tus.upload.part_signed"),
        ("HEAD", "/upload/resumable/sign/i", "storage.tus.upload.get_signed"),
        ("DELETE", "/upload/resumable/sign/i", "storage.tus.upload.delete_signed"),
        ("OPTIONS", "/upload/resumable", "storage.tus.options"),
    ],
)
def test_policies_read_which_operation_it_is(method: str, path: str, operation: str):
    found = match(method, path)
    assert found is not None
    assert found.route.operation == operation


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
