"""Paths of requests, names of buckets and keys of objects (storage reference 1.7, 3, 4.10)."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes

from compat_base.values.errors import ApiError
from storage_compat import errors

_BUCKET = re.compile(r"[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}")
_KEY = re.compile(r"[A-Za-z0-9_/!.*'() &$=@;:+,?-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_KEY_BYTES = 2_500  # fits a row of PostgreSQL's index
PLACEHOLDER = ".emptyFolderPlaceholder"


def decode_segment(raw: str) -> str | None:
    """A percent-decoded part of a path; None where it is not UTF-8 or badly encoded."""
    if _BAD_ESCAPE.search(raw):
        return None
    try:
        return unquote_to_bytes(raw.encode("latin-1")).decode()
    except UnicodeError:
        return None


def encode_component(text: str) -> str:
    """Text percent-encoded as JavaScript's encodeURIComponent does."""
    return quote(text, safe="!'()*~-_.")


def check_bucket_name(name: str) -> str:
    """A bucket's name; ApiError where none can have it."""
    if not _BUCKET.fullmatch(name):
        raise ApiError.of(errors.INVALID_BUCKET_NAME)
    return name


def check_new_bucket_name(name: str) -> str:
    """Validate the name of a new bucket."""
    if name != name.strip() or name.endswith("--table-s3"):
        raise ApiError.of(errors.INVALID_BUCKET_NAME)
    return check_bucket_name(name)


def check_key(key: str, *, has_unicode: bool = False) -> str:
    """Validate the key of a new object: `.` and `..` are no segments. Raises ApiError."""
    check_characters(key, has_unicode=has_unicode)
    if len(key.encode()) > _KEY_BYTES or not {".", ".."}.isdisjoint(key.split("/")):
        raise ApiError.of(errors.INVALID_KEY, key=key)
    return key


def check_characters(key: str, *, has_unicode: bool = False) -> None:
    """Refuse a key with characters that no object's key can have.

    `has_unicode` lets all but control characters through.
    """
    is_valid = not _CONTROL.search(key) if has_unicode else _KEY.fullmatch(key)
    if not key or not is_valid:
        raise ApiError.of(errors.INVALID_KEY, key=key)
