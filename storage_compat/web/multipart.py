"""Forms read as they arrive: the first file is a stream, fields are before and behind it.

Source: storage reference 4.4, 4.5. The parser is python-multipart's.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import Any

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

from compat_base.values.errors import ApiError
from storage_compat import errors

_MOST_FIELDS = 10
_MOST_PARTS = 100  # including files that are dropped
_FIELD_BYTES = 1_048_576
_HEADER_BYTES = 8_192
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*+("?)')  # one without an end is read once, and stays
_ENCODED_NAME = re.compile(r";\s*filename\*\s*=", re.IGNORECASE)  # RFC 2231: the parser drops it
_BOUNDARY_BYTES = 256  # what the parser takes


@dataclass(frozen=True, slots=True)
class _Part:
    """The head of a part."""

    name: str
    content_type: str | None
    is_file: bool


@dataclass(slots=True)
class Form:
    """A form up to its file: `fields` grows while what is behind the file is read.

    `repeated` are the names of fields that came more than once, of which the last counts.
    """

    part_type: str | None
    file: AsyncGenerator[bytes]
    fields: dict[str, str]
    repeated: set[str]

    @property
    def single(self) -> dict[str, str]:
        """The fields that occurred once."""
        return {name: text for name, text in self.fields.items() if name not in self.repeated}


async def open_form(
    content_type: str, chunks: AsyncIterator[bytes], most_fields: int = _MOST_FIELDS
) -> Form:
    """Read a form up to its first file; ApiError where it has none or is malformed."""
    boundary = _options(content_type).get(b"boundary")
    if boundary == b"":
        raise ApiError.of(errors.CUT_FORM)
    if boundary is None or len(boundary) > _BOUNDARY_BYTES:
        raise ApiError.of(errors.NO_BOUNDARY)
    events = _Events(boundary)
    reading = _read(events, chunks)
    reader = _Fields(most_fields)
    async for event in reading:
        if isinstance(event, _Part) and event.is_file:
            # Fields after a small file count before the upload is checked, as in the original
            early = _whole_file(events, reader) if events.is_over else b""
            file = _file(reading, reader, early)
            return Form(event.content_type, file, reader.fields, reader.repeated)
        reader.take(event)
    raise ApiError.of(errors.NO_CONTENT)


def _options(header: str) -> dict[bytes, bytes]:
    """A header's parameters; the parser reads what is no latin-1 as the bytes that were sent."""
    return parse_options_header(header.encode())[1]


def _unquoted(header: str) -> str:
    """A header without its quoted strings."""
    return _QUOTED.sub(lambda found: "" if found[1] else found[0], header)


def _whole_file(events: _Events, reader: _Fields) -> bytes:
    """The file of a form that has come to its end; the fields behind it are read."""
    file = bytearray()
    while events.received:
        event = events.received.popleft()
        if reader.is_behind:
            reader.take(event)
        elif isinstance(event, bytes):
            file += event
        else:
            reader.is_behind = True
    return bytes(file)


async def _file(events: AsyncIterator[Any], reader: _Fields, early: bytes) -> AsyncGenerator[bytes]:
    """The bytes of the file; then the fields behind it, other files dropped."""
    if early:
        yield early
    async for event in events:
        if reader.is_behind:
            reader.take(event)
        elif isinstance(event, bytes):
            yield event
        else:
            reader.is_behind = True


class _Fields:
    """Gathers the fields of a form."""

    def __init__(self, most: int) -> None:
        self.fields: dict[str, str] = {}
        self.repeated: set[str] = set()
        self._most = most
        self.is_behind = False  # whether the file is read
        self._count = 0
        self._part: _Part | None = None
        self._value = bytearray()

    def take(self, event: _Part | bytes | None) -> None:
        """Handle a parser event: a part's head, a piece of it, or its end."""
        match event:
            case _Part():
                self._part = event
                self._value.clear()
            case bytes():
                if self._part is not None and not self._part.is_file:
                    self._value += event
                    if len(self._value) > _FIELD_BYTES:
                        raise ApiError.of(errors.BAD_FORM)
            case None:
                self._end()

    def _end(self) -> None:
        if self._part is not None and not self._part.is_file:
            name = self._part.name
            self._count += 1
            if name in self.fields:
                self.repeated.add(name)
            if self._count > self._most:
                if self.is_behind:  # the file is complete: surplus fields are dropped
                    return
                raise ApiError.of(errors.TOO_MANY_FIELDS)
            self.fields[name] = self._value.decode("utf-8", "replace")
        self._part = None


async def _read(events: _Events, chunks: AsyncIterator[bytes]) -> AsyncGenerator[Any]:
    """Heads, pieces and ends of parts, in their order."""
    async for chunk in chunks:
        events.feed(chunk)
        while events.received:
            yield events.received.popleft()
    if not events.is_over:
        raise ApiError.of(errors.CUT_FORM if events.is_fed else errors.NO_CONTENT)


class _Events:
    """The parser's callbacks as a queue; the parser begins at the first boundary."""

    def __init__(self, boundary: bytes) -> None:
        self.received: deque[_Part | bytes | None] = deque()
        self.is_over = False
        self.is_fed = False
        self._is_begun = False
        self._first = b"\r\n--" + boundary
        self._before = bytearray(b"\r\n")  # as much as may be the beginning of the first boundary
        self._passed = 0
        self._parts = 0
        self._headers: dict[str, str] = {}
        self._name, self._value = bytearray(), bytearray()
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._headers.clear,
                "on_part_data": lambda data, start, end: self.received.append(
                    bytes(data[start:end])
                ),
                "on_part_end": lambda: self.received.append(None),
                "on_header_field": lambda data, start, end: self._grow(self._name, data[start:end]),
                "on_header_value": lambda data, start, end: self._grow(
                    self._value, data[start:end]
                ),
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_head,
                "on_end": self._end,
            },
        )

    def feed(self, chunk: bytes) -> None:
        """Parse a chunk; ApiError where it is malformed."""
        self.is_fed = True
        is_first = not self._is_begun
        if is_first:
            chunk = self._behind_preamble(chunk)
        try:
            self._parser.write(chunk)
        except MultipartParseError as error:
            raise ApiError.of(errors.CUT_FORM if is_first else errors.BAD_FORM) from error

    def _behind_preamble(self, chunk: bytes) -> bytes:
        """The bytes from the first boundary on; a preamble is ignored (RFC 2046)."""
        self._before += chunk
        start = self._before.find(self._first)
        self._is_begun = start >= 0
        if not self._is_begun:
            self._passed += len(chunk)
            if self._passed > _FIELD_BYTES:
                raise ApiError.of(errors.CUT_FORM)
            del self._before[: -len(self._first)]
            return b""
        return bytes(self._before[start + len(b"\r\n") :])

    def _grow(self, part: bytearray, data: bytes) -> None:
        part += data
        if len(part) > _HEADER_BYTES:
            raise ApiError.of(errors.BAD_FORM)

    def _end_header(self) -> None:
        name = self._name.decode("latin-1").lower()
        self._headers.setdefault(name, self._value.decode("utf-8", "replace"))
        self._name.clear()
        self._value.clear()

    def _end_head(self) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise ApiError.of(errors.TOO_MANY_FIELDS)
        disposition = self._headers.get("content-disposition", "")
        options = _options(disposition)
        has_name = b"filename" in options or _ENCODED_NAME.search(_unquoted(disposition))
        # As the original's parser: in lower case, and without a charset
        content_type = self._headers.get("content-type", "").partition(";")[0].strip().lower()
        self.received.append(
            _Part(
                name=options.get(b"name", b"").decode("utf-8", "replace"),
                content_type=content_type or None,
                is_file=bool(has_name) or content_type == "application/octet-stream",
            )
        )

    def _end(self) -> None:
        self.is_over = True
