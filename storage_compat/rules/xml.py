"""The little XML that S3 speaks: written by hand, read by expat without entities."""

from __future__ import annotations

from typing import Any, cast
from xml.parsers import expat
from xml.sax.saxutils import escape

from compat_base.values.errors import ApiError
from storage_compat import errors

_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"


def document(root: str, content: dict[str, Any], *, is_error: bool = False) -> bytes:
    """A document; lists repeat their element, None leaves one out."""
    attribute = "" if is_error else f' xmlns="{_NAMESPACE}"'
    text = f'<?xml version="1.0" encoding="UTF-8"?><{root}{attribute}>{_inner(content)}</{root}>'
    return text.encode("utf-8", "replace")


def _inner(value: Any) -> str:
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value)
        return "".join(_element(name, each) for name, each in pairs.items())
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(str(value))


def _element(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "".join(_element(name, each) for each in cast("list[Any]", value))
    return f"<{name}>{_inner(value)}</{name}>"


def read_items(data: bytes, root: str, item: str) -> list[dict[str, str]]:
    """The items of a document, each as the texts of its elements; ApiError for any other."""
    found: list[dict[str, str]] = []
    path: list[str] = []

    def start(name: str, _attributes: object) -> None:
        path.append(name.rpartition(":")[2])
        if path == [root, item]:
            found.append({})

    def end(_name: str) -> None:
        path.pop()

    def text(piece: str) -> None:
        if len(path) == 3 and path[:2] == [root, item]:  # noqa: PLR2004 — an item's element
            found[-1][path[2]] = found[-1].get(path[2], "") + piece

    def refuse(*_: object) -> None:
        raise ApiError.of(errors.S3_XML)

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ApiError.of(errors.S3_XML) from error
    return found
