"""The shapes of JSON bodies and queries (storage reference 3, 6, 7, 8, 10)."""

from __future__ import annotations

from storage_compat.rules.schema import Field, Fields

NEW_BUCKET: Fields = {
    "name": Field("string", required=True),
    "id": Field("string"),
    "public": Field("boolean", default=False),
    "type": Field("string", default="STANDARD", words=("STANDARD", "ANALYTICS")),
    "file_size_limit": Field("any"),
    "allowed_mime_types": Field("array", nullable=True),
}
BUCKET_CHANGES: Fields = {
    "public": Field("boolean"),
    "file_size_limit": Field("any"),
    "allowed_mime_types": Field("array", nullable=True),
}
BUCKET_LIST: Fields = {
    "limit": Field("integer", least=1),
    "offset": Field("integer", least=0, default=0),
    "sortColumn": Field("string", words=("id", "name", "created_at", "updated_at")),
    "sortOrder": Field("string", words=("asc", "desc")),
    "search": Field("string"),
}

_IMAGE_SIZES = {"width": Field("integer", least=0), "height": Field("integer", least=0)}
IMAGE: Fields = {
    **_IMAGE_SIZES,
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
DOWNLOAD: Fields = {"download": Field("string"), **IMAGE}
SIGNED: Fields = {"download": Field("string"), "token": Field("string", required=True)}

SIGN: Fields = {
    "expiresIn": Field("integer", required=True, least=1),
    "transform": Field("object", nullable=True, fields=IMAGE),
}
SIGN_MANY: Fields = {
    "expiresIn": Field("integer", required=True, least=1),
    "paths": Field("array", required=True, least=1, most=1000),
}

_LIST_COLUMNS = ("name", "updated_at", "created_at", "last_accessed_at")
LIST: Fields = {
    "prefix": Field("string", required=True),
    "limit": Field("integer", least=1, default=100),
    "offset": Field("integer", least=0, default=0),
    "sortBy": Field(
        "object",
        nullable=True,
        fields={
            "column": Field("string", required=True, words=_LIST_COLUMNS),
            "order": Field("string", words=("asc", "desc")),
        },
    ),
    "search": Field("string", default=""),
}
LIST_V2: Fields = {
    "prefix": Field("string", default=""),
    "limit": Field("integer", least=1, default=1000),
    "cursor": Field("string"),
    "with_delimiter": Field("boolean", default=False),
    "sortBy": Field(
        "object",
        nullable=True,
        fields={
            "column": Field("string", words=("name", "updated_at", "created_at")),
            "order": Field("string", words=("asc", "desc")),
        },
    ),
}

MOVE: Fields = {
    "bucketId": Field("string", required=True),
    "sourceKey": Field("string", required=True),
    "destinationKey": Field("string", required=True),
    "destinationBucket": Field("string"),
}
COPY: Fields = {
    **MOVE,
    "copyMetadata": Field("boolean", default=True),
    "metadata": Field(
        "object",
        nullable=True,
        fields={"cacheControl": Field("string"), "mimetype": Field("string")},
    ),
}
REMOVE_MANY: Fields = {"prefixes": Field("array", required=True, least=1)}
