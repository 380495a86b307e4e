"""Metadata of an upload: by headers, or by a form's fields (storage reference 4)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules import content_types, robots
from storage_compat.rules.storable import is_storable

NO_CACHE = "no-cache"
_PART_TYPE = "text/plain"  # of a part of a form that says none (RFC 7578, section 4.4)
_VISIBLE = re.compile(r"[\x20-\x7e\t]*")
_NO_DIGIT = re.compile(r"[^A-Za-z0-9+/]")
_URL_SAFE = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class Description:
    """An upload's type, caching, robots rule and user metadata."""

    mime_type: str
    cache_control: str
    robots: str | None = None
    user_metadata: Any = None


def of_headers(headers: Mapping[str, str]) -> Description:
    """The description of a raw body; a body without a type is bytes."""
    return Description(
        mime_type=headers.get("content-type") or content_types.DEFAULT,
        cache_control=headers.get("cache-control") or NO_CACHE,
        robots=_robots(headers),
        user_metadata=header_metadata(headers.get("x-metadata")),
    )


def of_fields(
    fields: Mapping[str, str], part_type: str | None, headers: Mapping[str, str]
) -> Description:
    """The description of a form's file, by its fields and its part's type."""
    seconds = fields.get("cacheControl")
    text = fields.get("metadata", fields.get("userMetadata"))
    return Description(
        mime_type=fields.get("contentType") or part_type or _PART_TYPE,
        cache_control=_plain(f"max-age={seconds}") if seconds else NO_CACHE,
        robots=_robots(headers),
        user_metadata=None if text is None else _decoded(text),
    )


def header_metadata(value: str | None) -> Any:
    """User metadata of the header `x-metadata`, base64 of JSON; None for what cannot be read.

    None where the header is absent, too. ApiError for a list or a text (storage reference 4.3).
    """
    if value is None:
        return None
    # As JavaScript reads it: both alphabets, and what is of neither is passed over
    digits = _NO_DIGIT.sub("", value.translate(_URL_SAFE).partition("=")[0])
    if len(digits) % 4 == 1:
        digits = digits[:-1]
    try:
        text = base64.b64decode(digits + "=" * (-len(digits) % 4))
    except (binascii.Error, ValueError):
        return None
    return _decoded(text)


def _decoded(text: str | bytes) -> Any:
    try:
        value = jsontext.decode_bounded(text)
    except jsontext.TooManyDigitsError as error:
        raise ApiError.of(errors.INVALID_VALUE, reason=str(error)) from error
    except (jsontext.InvalidJsonError, ValueError):
        return None
    if value == []:
        return {}  # the database takes no items for no names
    if isinstance(value, list | str):
        raise ApiError.of(errors.INVALID_VALUE, reason="invalid input syntax for type json")
    if not is_storable(value):
        raise ApiError.of(errors.INVALID_VALUE, reason="unsupported Unicode escape sequence")
    return cast("Any", value) if isinstance(value, dict) else None


def _robots(headers: Mapping[str, str]) -> str | None:
    value = headers.get("x-robots-tag")
    return None if value is None else robots.check(value)


def _plain(value: str) -> str:
    """A header's value out of a form, where it can be one."""
    return value if _VISIBLE.fullmatch(value) else NO_CACHE
