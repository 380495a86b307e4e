"""The XML of S3: written by hand, read by expat without entities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from xml.parsers import expat
from xml.sax.saxutils import escape

from compat_base.values.errors import ApiError
from storage_compat import errors

_ELEMENTS = 100_000  # 10,000 parts with their checksums are fewer
_ITEMS = 10_000
_TAG_BYTES = 65_536  # of a tag or comment, which is read at once when its end is there
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"


def document(root: str, content: dict[str, Any] | str) -> bytes:
    """A document; lists repeat their element, None leaves one out.

    An error has no namespace, as AWS's have none: boto3 finds no code in any other.
    """
    attribute = "" if root == "Error" else f' xmlns="{_NAMESPACE}"'
    return (_DECLARATION + _tagged(root, attribute, _inner(content))).encode("utf-8", "replace")


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
    return _tagged(name, "", _inner(value))


def _tagged(name: str, attributes: str, inner: str) -> str:
    return f"<{name}{attributes}>{inner}</{name}>" if inner else f"<{name}{attributes}/>"


class ItemReader:
    """Reads the items of a document as it arrives, each as the texts of its elements.

    ApiError for a document of another kind, one whose items lack one of the `wanted` elements, one
    with a DOCTYPE, or one beyond `_ELEMENTS`, `_ITEMS` or `_TAG_BYTES`.
    """

    def __init__(self, root: str, item: str, wanted: Sequence[str] = ()) -> None:
        self._item = [root, item]
        self._wanted = wanted
        self._root: str | None = None
        self._children = 0
        self._items: list[dict[str, str]] = []
        self._open: dict[str, list[str]] = {}  # the item that is being read
        self._refusal: ApiError | None = None  # of the first item that does not fit
        self._path: list[str] = []
        self._count = 0
        self._fed = 0
        self._parser = expat.ParserCreate("UTF-8")  # whatever the document says
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse

    def feed(self, data: bytes) -> None:
        """Read what comes next."""
        self._parse(data, is_last=False)
        self._fed += len(data)
        if self._fed - self._parser.CurrentByteIndex > _TAG_BYTES:
            self._refuse()

    def finish(self) -> list[dict[str, str]]:
        """The items, when all of the document was read."""
        self._parse(b"", is_last=True)
        root = self._item[0]
        if self._root != root:
            raise _unfit(f"Body must have required property '{root}'")
        if not self._children:
            raise _unfit(f"Body, {root} must be object")
        if self._refusal is not None:
            raise self._refusal
        return self._items

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
        if len(self._path) == 1:
            self._root = self._path[0]
        self._children += len(self._path) == 2  # noqa: PLR2004 — below the root
        if self._path == self._item:
            self._open = {}
        elif self._is_element():
            self._begin_element(self._path[2])

    def _begin_element(self, name: str) -> None:
        """An item's element; one given twice is no text: joined it would name something else."""
        if name in self._open and name in self._wanted:
            raise _unfit(f"{self._where()}, {name} must be string")
        self._open[name] = []

    def _end(self, _name: str) -> None:
        if self._path == self._item:
            self._end_item()
        self._path.pop()

    def _end_item(self) -> None:
        if len(self._items) == _ITEMS:
            self._refuse()
        missing = next((name for name in self._wanted if name not in self._open), None)
        if missing is not None and self._refusal is None:
            what = f"must have required property '{missing}'" if self._open else "must be object"
            self._refusal = _unfit(f"{self._where()} {what}")
        self._items.append({name: "".join(texts) for name, texts in self._open.items()})

    def _where(self) -> str:
        """The item that is being read, as a refusal names it."""
        return ", ".join(("Body", *self._item, str(len(self._items))))

    def _text(self, piece: str) -> None:
        if self._is_element():
            self._open[self._path[2]].append(piece)

    def _is_element(self) -> bool:
        """Whether this is inside an item's element."""
        return len(self._path) == 3 and self._path[:2] == self._item  # noqa: PLR2004 — its depth

    def _refuse(self, *_: object) -> None:
        raise ApiError.of(errors.S3_XML)


def _unfit(reason: str) -> ApiError:
    return ApiError.of(errors.S3_BODY, reason=reason)
