"""Pages of lists: numbers in, Link header out (auth reference 7)."""

from __future__ import annotations

import base64
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from compat_base.values import jsontext
from compat_base.values.errors import ApiError
from compat_base.values.jsontext import time_text
from gotrue_compat import errors

DEFAULT_SIZE = 50
LARGEST_CURSOR_PAGE = 1000
_LARGEST = 2**63 - 1
_LARGEST_UINT = 2**64 - 1
_PLACES = frozenset({"page", "cursor"})
_BASE64 = frozenset((string.ascii_letters + string.digits + "-_").encode())


@dataclass(frozen=True, slots=True)
class Page:
    """A requested page: number from 1 (0 shows the first one too), entries on a page."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """Entries before the page, bounded to what the database counts."""
        return min(max(self.number - 1, 0) * self.size, _LARGEST)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the previous page ended."""

    created_at: datetime
    id: UUID


def page_from(number: str, size: str) -> Page:
    """Read page and per_page; empty text means the default."""
    requested_size = min(_natural(size, DEFAULT_SIZE), _LARGEST)
    return Page(_natural(number, 1), requested_size or DEFAULT_SIZE)


def _natural(text: str, default: int) -> int:
    if not text:
        return default
    try:
        value = int(text) if text.isascii() and text.isdigit() else -1
    except ValueError:
        value = -1
    if not 0 <= value <= _LARGEST_UINT:
        fault = "value out of range" if value > 0 else "invalid syntax"
        reason = f'strconv.ParseUint: parsing "{text}": {fault}'
        raise ApiError.of(errors.PAGINATION, reason=reason)
    return value


def link_header(path: str, query: str, page: Page, total: int) -> str:
    """`next` unless this is the last page, and `last`: each with the query."""
    last = -(-total // page.size)
    rest = [(k, v) for k, v in parse_qsl(query, keep_blank_values=True) if k != "page"]

    def link(number: int, relation: str) -> str:
        pairs = sorted([("page", str(number)), *rest], key=itemgetter(0))
        return f'<{path}?{urlencode(pairs)}>; rel="{relation}"'

    following = [link(page.number + 1, "next")] if page.number < last else []
    return ", ".join([*following, link(last, "last")])


def cursor_link(path: str, query: str, following: str) -> str:
    """The link to the page after a cursor: the request's query without a page."""
    rest = [(k, v) for k, v in parse_qsl(query, keep_blank_values=True) if k not in _PLACES]
    pairs = sorted([("cursor", following), *rest], key=itemgetter(0))
    return f'<{path}?{urlencode(pairs)}>; rel="next"'


def ascending(query: str) -> bool:
    """Read the `sort` of a query: `created_at asc` or `created_at desc` (the default).

    Of several the first counts, and each is checked.
    """
    sorts = [value for key, value in parse_qsl(query, keep_blank_values=True) if key == "sort"]
    return [_is_ascending(value) for value in sorts][:1] == [True]


def _is_ascending(sort: str) -> bool:
    field, blank, direction = sort.partition(" ")
    if field != "created_at":
        raise ApiError.of(errors.SORTING, reason=f"bad field for sort '{field}'")
    if blank and direction.lower() not in {"asc", "desc"}:
        reason = f"bad direction for sort '{direction}', only 'asc' and 'desc' allowed"
        raise ApiError.of(errors.SORTING, reason=reason)
    return direction.lower() == "asc"


def cursor_limit(text: str) -> int:
    """Read `limit` of cursor mode: from 1; more than 1000 are 1000."""
    limit = _natural(text, DEFAULT_SIZE)
    if limit == 0:
        raise ApiError.of(errors.PAGINATION, reason="limit must be greater than 0")
    return min(limit, LARGEST_CURSOR_PAGE)


def cursor_from(text: str, decode: Callable[[bytes], Mapping[str, Any]]) -> Cursor | None:
    """Read a cursor this module wrote, which is the original's too.

    `decode` reads JSON, and says in a ValueError what is wrong with other bytes.
    """
    if not text:
        return None
    wrong = next((at for at, byte in enumerate(text.encode()) if byte not in _BASE64), None)
    if wrong is None and len(text) % 4 == 1:
        wrong = len(text) - 1
    if wrong is not None:
        raise _no_cursor(f" encoding: illegal base64 data at input byte {wrong}")
    try:
        plain = decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except ValueError as error:
        raise _no_cursor(f": {error}") from error
    for name in ("id", "created_at"):
        if plain.get(name) is None:
            raise _no_cursor(f": missing {name}")
    try:
        cursor = Cursor(datetime.fromisoformat(plain["created_at"]), UUID(plain["id"]))
    except (ValueError, TypeError, AttributeError) as error:
        raise _no_cursor() from error
    if cursor.created_at.tzinfo is None or not cursor.id.int:
        raise _no_cursor("" if cursor.id.int else ": missing id")
    return cursor


def _no_cursor(reason: str = "") -> ApiError:
    return ApiError.of(errors.PAGINATION, reason=f"invalid cursor{reason}")


def cursor_text(cursor: Cursor) -> str:
    """Write a cursor."""
    plain = jsontext.encode({"created_at": time_text(cursor.created_at), "id": str(cursor.id)})
    return base64.urlsafe_b64encode(plain.encode()).rstrip(b"=").decode()
