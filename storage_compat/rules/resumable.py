"""The headers of TUS 1.0 as the original reads them (storage reference 9)."""

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
from storage_compat.rules import content_types
from storage_compat.rules.forms import NO_CACHE, Description
from storage_compat.rules.storable import is_storable

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,creation-defer-length,termination,expiration"
CHUNK_TYPE = "application/offset+octet-stream"
_NAME = re.compile(r"[\x21-\x2b\x2d-\x7e]+")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")
_DIGITS = re.compile(r"[0-9]{1,15}")
_MOST_METADATA = 16_384
_CACHE = "cacheControl"


@dataclass(frozen=True, slots=True)
class Target:
    """Upload-Metadata parsed: the object's location, and its metadata."""

    bucket_id: str
    key: str
    description: Description


def check_version(headers: Mapping[str, str]) -> None:
    """Refuse a request without the protocol's version, or with another."""
    version = headers.get("tus-resumable")
    if not version:
        raise ApiError.of(errors.TUS_REQUIRED)
    if version != VERSION:
        raise ApiError.of(errors.TUS_VERSION)


def length_of(headers: Mapping[str, str]) -> int | None:
    """The length of a new upload, None where it is deferred."""
    text, deferred = headers.get("upload-length"), headers.get("upload-defer-length")
    if deferred is not None and deferred != "1":
        raise ApiError.of(errors.TUS_DEFER)
    if text is None:
        if deferred is None:
            raise ApiError.of(errors.TUS_NO_LENGTH)
        return None
    if deferred is not None:
        raise ApiError.of(errors.TUS_NO_LENGTH)
    if not _NUMBER.fullmatch(text):
        raise ApiError.of(errors.TUS_LENGTH)
    return int(text)


def offset_of(headers: Mapping[str, str]) -> int:
    """The offset of a PATCH."""
    content_type, text = headers.get("content-type"), headers.get("upload-offset")
    if content_type not in {None, CHUNK_TYPE}:
        raise ApiError.of(errors.TUS_CONTENT_TYPE)
    if text is None:
        raise ApiError.of(errors.TUS_NO_OFFSET)
    if not _NUMBER.fullmatch(text):
        raise ApiError.of(errors.TUS_OFFSET)
    if content_type is None:
        raise ApiError.of(errors.TUS_NO_CONTENT_TYPE)
    return int(text)


def target_of(header: str | None) -> Target:
    """The location of the upload; ApiError where the header is absent or malformed."""
    if header is None:
        raise ApiError.of(errors.TUS_NO_METADATA)
    values = read_metadata(header)
    seconds = values.get("cacheControl", "")
    return Target(
        values.get("bucketName", ""),
        values.get("objectName", ""),
        Description(
            mime_type=values.get("contentType") or content_types.DEFAULT,
            cache_control=f"max-age={seconds}" if _DIGITS.fullmatch(seconds) else NO_CACHE,
            user_metadata=_json(values.get("metadata")),
        ),
    )


def read_metadata(header: str) -> dict[str, str]:
    """The values of Upload-Metadata."""
    values: dict[str, str] = {}
    if len(header) > _MOST_METADATA:
        raise ApiError.of(errors.TUS_METADATA)
    for pair in header.split(","):
        name, _, encoded = pair.partition(" ")
        if not _NAME.fullmatch(name) or name in values:
            raise ApiError.of(errors.TUS_METADATA)
        try:
            value = base64.b64decode(encoded, validate=True).decode()
        except (binascii.Error, ValueError) as error:
            raise ApiError.of(errors.TUS_METADATA) from error
        if "\0" in value:
            raise ApiError.of(errors.TUS_METADATA)
        values[name] = value
    return values


def shown_metadata(header: str) -> str:
    """Upload-Metadata as HEAD returns it: with the object's caching."""
    stored_text = base64.b64encode(target_of(header).description.cache_control.encode()).decode()
    shown = header.split(",")
    names = [pair.partition(" ")[0] for pair in shown]
    index = names.index(_CACHE) if _CACHE in names else len(shown)
    shown[index : index + 1] = [f"{_CACHE} {stored_text}"]
    return ",".join(shown)


def upload_id(path: str, version: str) -> str:
    """An upload's id in its URL."""
    return jsontext.base64url(f"{path}/{version}".encode())


def version_of(upload: str) -> tuple[str, str]:
    """The location and the version of an upload's URL; ApiError for what is none."""
    if not upload or "/" in upload:
        raise ApiError.of(errors.TUS_NOT_FOUND)
    try:
        text = base64.urlsafe_b64decode(upload + "=" * (-len(upload) % 4)).decode()
    except (binascii.Error, ValueError) as error:
        raise ApiError.of(errors.TUS_ID) from error
    path, slash, version = text.rpartition("/")
    if not slash or "\0" in text:
        raise ApiError.of(errors.TUS_ID)
    return path, version


def _json(text: str | None) -> Any:
    if text is None:
        return None
    try:
        value = jsontext.decode(text)
    except jsontext.InvalidJsonError:
        return None
    if isinstance(value, list | str) and value != []:  # as a form's metadata
        raise ApiError.of(errors.INVALID_VALUE, reason="invalid input syntax for type json")
    return cast("Any", value) if isinstance(value, dict) and is_storable(value) else None
