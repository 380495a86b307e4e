"""Schemas of JSON bodies and queries (storage reference 3, 6, 7, 8, 10).

Bodies and queries are validated before the caller's token (storage reference 1.7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules.schema import Field, Fields, check_object, invalid


@dataclass(frozen=True, slots=True)
class BodySchema:
    """The schema of a JSON body: `check` coerces it, or raises ApiError.

    `may_be_empty`: an empty body of type JSON counts as none. `fields` may have long lists of
    texts, which are coerced in pieces before.
    """

    check: Callable[[Any], Any] = lambda value: value
    may_be_empty: bool = False
    fields: Fields = field(default_factory=dict[str, Field])


def _schema(fields: Fields) -> BodySchema:
    return BodySchema(partial(check_object, fields=fields), fields=fields)


ANY = BodySchema()  # any JSON
ANY_OR_NONE = BodySchema(may_be_empty=True)

_NEW_BUCKET: Fields = {
    "name": Field("string", required=True),
    "id": Field("string"),
    "public": Field("boolean", default=False),
    "type": Field("string", default="STANDARD", words=("STANDARD", "ANALYTICS")),
    "file_size_limit": Field("size"),
    "allowed_mime_types": Field("array", nullable=True, most=1000),
}
_BUCKET_CHANGES: Fields = {
    "public": Field("boolean"),
    "file_size_limit": Field("size"),
    "allowed_mime_types": Field("array", nullable=True, most=1000),
}
_NOTHING = (
    "body must have required property 'public',"
    " body must have required property 'file_size_limit',"
    " body must have required property 'allowed_mime_types',"
    " body must match a schema in anyOf"
)


def _bucket_changes(value: Any) -> dict[str, Any]:
    """The columns that a body names; ApiError where it names none."""
    checked = check_object(value, _BUCKET_CHANGES)
    changes = {name: checked[name] for name in checked if name in value}
    if not changes:
        raise ApiError.of(errors.INVALID_BODY, reason=_NOTHING)
    return changes


NEW_BUCKET = _schema(_NEW_BUCKET)
BUCKET_CHANGES = BodySchema(_bucket_changes, fields=_BUCKET_CHANGES)
BUCKET_LIST: Fields = {
    "limit": Field("integer", least=1),
    "offset": Field("integer", least=0, default=0),
    "sortColumn": Field("string", words=("id", "name", "created_at", "updated_at")),
    "sortOrder": Field("string", words=("asc", "desc")),
    "search": Field("string"),
}

IMAGE: Fields = {
    "height": Field("integer", least=0),
    "width": Field("integer", least=0),
    "resize": Field("string", words=("cover", "contain", "fill")),
    "format": Field("string", words=("origin", "avif", "webp")),
    "quality": Field("integer", least=20, most=100),
    "gravity": Field(
        "string",
        words=("no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce", "sm", "fp"),
    ),
    "x_offset": Field("number"),
    "y_offset": Field("number"),
}
DOWNLOAD: Fields = {"download": Field("string")}
RENDERED: Fields = {"download": Field("string"), **IMAGE}


def check_focus(image: Mapping[str, Any], where: str) -> None:
    """Refuse a focal point that is not two shares of the image."""
    if image["gravity"] != "fp":
        return
    for name in ("x_offset", "y_offset"):
        if image[name] is None:
            raise invalid(where, f"must have required property '{name}'")
    for name in ("x_offset", "y_offset"):
        if image[name] < 0:
            raise invalid(f"{where}/{name}", "must be >= 0")
        if image[name] > 1:
            raise invalid(f"{where}/{name}", "must be <= 1")


SIGNED: Fields = {"download": Field("string"), "token": Field("string", required=True)}

_SIGN: Fields = {
    "expiresIn": Field("integer", required=True, least=1),
    "transform": Field("object", fields=IMAGE, refine=check_focus),
}
_SIGN_MANY: Fields = {
    "expiresIn": Field("integer", required=True, least=1),
    "paths": Field("array", required=True, least=1, most=1000),
}

_LIST_COLUMNS = ("name", "updated_at", "created_at", "last_accessed_at")
_LIST: Fields = {
    "prefix": Field("string", required=True),
    "limit": Field("integer", least=1, default=100),
    "offset": Field("integer", least=0, default=0),
    "sortBy": Field(
        "object",
        fields={
            "column": Field("string", required=True, words=_LIST_COLUMNS),
            "order": Field("string", words=("asc", "desc")),
        },
    ),
    "search": Field("string", default=""),
}
_LIST_V2: Fields = {
    "prefix": Field("string", default=""),
    "limit": Field("integer", least=1, default=1000),
    "cursor": Field("string"),
    "with_delimiter": Field("boolean", default=False),
    "sortBy": Field(
        "object",
        fields={
            "column": Field("string", required=True, words=("name", "updated_at", "created_at")),
            "order": Field("string", words=("asc", "desc")),
        },
    ),
}

_MOVE: Fields = {
    "bucketId": Field("string", required=True),
    "sourceKey": Field("string", required=True),
    "destinationKey": Field("string", required=True),
    "destinationBucket": Field("string"),
}
_COPY: Fields = {
    "sourceKey": _MOVE["sourceKey"],  # missing fields are reported in the original's order
    **_MOVE,
    "metadata": Field(
        "object", fields={"cacheControl": Field("string"), "mimetype": Field("string")}
    ),
    "copyMetadata": Field("boolean", default=True),
}
_REMOVE_MANY: Fields = {"prefixes": Field("array", required=True, least=1)}

SIGN, SIGN_MANY = _schema(_SIGN), _schema(_SIGN_MANY)
LIST, LIST_V2 = _schema(_LIST), _schema(_LIST_V2)
MOVE, COPY, REMOVE_MANY = _schema(_MOVE), _schema(_COPY), _schema(_REMOVE_MANY)
