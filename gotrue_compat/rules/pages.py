"""Pages of lists: numbers in, Link header out (auth reference 7)."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from compat_base.values.errors import ApiError
from compat_base.values.jsontext import time_text
from gotrue_compat import errors

DEFAULT_SIZE = 50
LARGEST_CURSOR_PAGE = 1000
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Page:
    """A page asked for: number from 1 (0 shows the first one too), entries on a page."""

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
    return Page(_natural(number, 1), _natural(size, DEFAULT_SIZE) or DEFAULT_SIZE)


def _natural(text: str, default: int) -> int:
    if not text:
        return default
    try:
        value = int(text) if text.isascii() else -1
    except ValueError:
        value = -1
    if not 0 <= value <= _LARGEST:
        reason = f'strconv.ParseUint: parsing "{text}": invalid syntax'
        raise ApiError.of(errors.PAGINATION, reason=reason)
    return value


def link_header(path: str, query: str, page: Page, total: int) -> str:
    """`next` unless this is the last page, and `last`: the query asked, by name, of that page."""
    last = -(-total // page.size)
    rest = [(k, v) for k, v in parse_qsl(query, keep_blank_values=True) if k != "page"]

    def link(number: int, relation: str) -> str:
        pairs = sorted([("page", str(number)), *rest], key=itemgetter(0))
        return f'<{path}?{urlencode(pairs)}>; rel="{relation}"'

    following = [link(page.number + 1, "next")] if page.number < last else []
    return ", ".join([*following, link(last, "last")])


def ascending(sort: str) -> bool:
    """Read `created_at asc` or `created_at desc` (the default)."""
    words = sort.split()
    if not words:
        return False
    if words[0] != "created_at":
        reason = f"bad field for sort '{words[0]}'"
        raise ApiError.of(errors.SORTING, reason=reason)
    direction = words[1].lower() if len(words) > 1 else "desc"
    if direction not in {"asc", "desc"}:
        reason = f"bad direction for sort '{words[1]}', only 'asc' and 'desc' allowed"
        raise ApiError.of(errors.SORTING, reason=reason)
    return direction == "asc"


def cursor_limit(text: str) -> int:
    """Read `limit` of cursor mode: 1 to 1000."""
    limit = _natural(text, DEFAULT_SIZE) or DEFAULT_SIZE
    if limit > LARGEST_CURSOR_PAGE:
        raise ApiError.of(errors.PAGINATION, reason=f"limit must be at most {LARGEST_CURSOR_PAGE}")
    return limit


def cursor_from(text: str) -> Cursor | None:
    """Read a cursor this module wrote."""
    if not text:
        return None
    try:
        plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
        moment, _, identifier = plain.partition("|")
        return Cursor(datetime.fromisoformat(moment), UUID(identifier))
    except (binascii.Error, ValueError) as error:
        raise ApiError.of(errors.PAGINATION, reason="invalid cursor") from error


def cursor_text(cursor: Cursor) -> str:
    """Write a cursor."""
    plain = f"{time_text(cursor.created_at)}|{cursor.id}"
    return base64.urlsafe_b64encode(plain.encode()).rstrip(b"=").decode()
