"""Media types of uploads, and those a bucket allows (storage reference 1.6, 3, 4.8)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compat_base.values.errors import ApiError
from storage_compat import errors

_TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"  # noqa: S105 — HTTP's token
_HEADER = re.compile(rf"\s*{_TOKEN}/{_TOKEN}\s*(;.*)?", re.DOTALL)
_PART = r"[A-Za-z0-9+.-]+"
_PATTERN = re.compile(rf"\*|{_PART}/\*|\*/\*|{_PART}/{_PART}(;\s*charset=[A-Za-z0-9-]+)?")
_PATTERN_LENGTH = 1000
_ACTIVE = re.compile(r"xml|xsl|svg|html|multipart|message/")  # a browser may run scripts of it
DEFAULT = "application/octet-stream"


def check_header(value: str) -> None:
    """Refuse a Content-Type header that is not `type/subtype` and parameters."""
    if not _HEADER.fullmatch(value):
        raise ApiError.of(errors.BAD_CONTENT_TYPE)


def check_patterns(patterns: Iterable[str]) -> list[str]:
    """A bucket's allowed types, without empty ones; ApiError for a malformed one."""
    kept = [pattern for pattern in patterns if pattern]
    for pattern in kept:
        if len(pattern) > _PATTERN_LENGTH or not _PATTERN.fullmatch(pattern):
            raise ApiError.of(errors.INVALID_MIME_TYPE, mime_type=pattern)
    return kept


def check_allowed(mime_type: str, patterns: tuple[str, ...] | None) -> None:
    """Refuse a type that a bucket does not allow; parameters belong to the subtype's text."""
    if not patterns:
        return
    kind, slash, subtype = mime_type.partition("/")
    for pattern in patterns:
        wanted_kind, _, wanted = pattern.partition("/")
        if slash and kind == wanted_kind and wanted in {subtype, "*"}:
            return
    raise ApiError.of(errors.INVALID_MIME_TYPE, mime_type=mime_type)


def served(mime_type: str) -> str:
    """The Content-Type to send: a page is sent as text, so that none runs from this origin.

    What could not be a header's value is sent as bytes.
    """
    if "text/html" in mime_type.lower():
        return "text/plain"
    return mime_type if mime_type.isascii() and mime_type.isprintable() else DEFAULT


def is_active(mime_type: str) -> bool:
    """Whether a browser that opens such a file runs what is in it."""
    return _ACTIVE.search(mime_type.lower()) is not None
