"""The little XML that S3 speaks: written by hand, read by expat without entities."""

from __future__ import annotations

from typing import Any, cast
from xml.parsers import expat
from xml.sax.saxutils import escape

from compat_base.values.errors import ApiError
from storage_compat import errors

_ELEMENTS = 100_000  # 10,000 parts with their checksums are fewer
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"


def document(root: str, content: dict[str, Any], *, is_error: bool = False) -> bytes:
    """A document; lists repeat their element, None leaves one out."""
    attribute = "" if is_error else f' xmlns="{_NAMESPACE}"'
    text = f"{_DECLARATION}<{root}{attribute}>{_inner(content)}</{root}>"
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


class ItemReader:
    """Reads the items of a document as it arrives, each as the texts of its elements.

    ApiError for a document of another kind, one with a DOCTYPE, or one of more than `_ELEMENTS`
    elements.
    """

    def __init__(self, root: str, item: str) -> None:
        self._item = [root, item]
        self._found: list[dict[str, list[str]]] = []
        self._path: list[str] = []
        self._count = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse

    def feed(self, data: bytes) -> None:
        """Read what comes next."""
        self._parse(data, is_last=False)

    def finish(self) -> list[dict[str, str]]:
        """The items, when all of the document was read."""
        self._parse(b"", is_last=True)
        return [{name: "".join(texts) for name, texts in each.items()} for each in self._found]

    def _parse(self, data: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(data, is_last)
        except expat.ExpatError as error:
            raise ApiError.of(errors.S3_XML) from error

    def _start(self, name: str, _attributes: object) -> None:
        self._count += 1
        if self._count > _ELEMENTS:
            self._refuse()
        self._path.append(name.rpartition(":")[2])
        if self._path == self._item:
            self._found.append({})

    def _end(self, _name: str) -> None:
        self._path.pop()

    def _text(self, piece: str) -> None:
        if len(self._path) == 3 and self._path[:2] == self._item:  # noqa: PLR2004 — its element
            self._found[-1].setdefault(self._path[2], []).append(piece)

    def _refuse(self, *_: object) -> None:
        raise ApiError.of(errors.S3_XML)
