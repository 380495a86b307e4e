"""Types that a bucket takes, and types that are sent so that nothing runs."""

from __future__ import annotations

import pytest

from compat_base.values.errors import ApiError
from storage_compat.rules import content_types


@pytest.mark.parametrize(
    ("mime_type", "patterns", "is_allowed"),
    [("image/png", None, True), ("image/png", (), True), ("image/png", ("image/*",), True),
     ("image/png", ("text/*", "image/png"), True), ("image/png", ("image/jpeg",), False),
     ("text/plain;charset=utf-8", ("text/plain",), False), ("imagex/png", ("image/*",), False),
     ("image", ("image/*",), False), ("image/", ("image/*",), True)],
)  # fmt: skip
def test_a_bucket_takes_what_its_patterns_name(mime_type: str, patterns, is_allowed: bool):
    try:
        content_types.check_allowed(mime_type, patterns)
    except ApiError as refused:
        assert (is_allowed, refused.problem.status) == (False, 415)
    else:
        assert is_allowed


def test_patterns_are_types_or_a_star_and_empty_ones_are_dropped():
    kept = ["*", "*/*", "image/*", "text/plain; charset=utf-8"]
    assert content_types.check_patterns(["", *kept]) == kept
    for pattern in ("image", "/png", "a" * 1001 + "/*", "image/*;charset=x", "a_b/c", "a/b;x=y"):
        with pytest.raises(ApiError):
            content_types.check_patterns([pattern])


@pytest.mark.parametrize("value", ["image", "", "a/b/c", "text/pl\nain"])
def test_a_header_that_is_no_type_is_refused(value: str):
    with pytest.raises(ApiError):
        content_types.check_header(value)
    content_types.check_header(" text/plain ; charset=utf-8")


@pytest.mark.parametrize(
    ("mime_type", "sent"),
    [("text/html; charset=utf-8", "text/plain"), ("TEXT/HTML", "text/plain"), ("image/png", "image/png"),
     ("text/\r\nx: y", content_types.DEFAULT), ("é/é", content_types.DEFAULT)],
)  # fmt: skip
def test_a_page_is_sent_as_text_and_what_is_no_header_as_bytes(mime_type: str, sent: str):
    assert content_types.served(mime_type) == sent


@pytest.mark.parametrize(
    ("mime_type", "is_active"),
    [("image/svg+xml", True), ("application/XHTML+xml", True), ("image/png", False)],
)
def test_files_that_may_run_scripts_are_known(mime_type: str, is_active: bool):
    assert content_types.is_active(mime_type) is is_active
