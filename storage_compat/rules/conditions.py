"""Range and conditional requests as the original judges them (storage reference 5.2 to 5.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules.times import http_moment

_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)")
_COPIED = re.compile(r"bytes=([0-9]{1,18})-([0-9]{1,18})")
_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes from `start` up to, but not including, `end`."""

    start: int
    end: int

    def content_range(self, size: int) -> str:
        """The Content-Range header's value."""
        return f"bytes {self.start}-{self.end - 1}/{size}"


def span_of(header: str, size: int) -> Span:
    """The one requested range; ApiError (416) for everything else."""
    found = _RANGE.fullmatch(header.strip())
    if found is None or not any(found.groups()) or max(map(len, found.groups())) > _DIGITS:
        raise _not_satisfiable(size)
    first, last = found.groups()
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1 if last else size)
    if start >= end or start >= size:
        raise _not_satisfiable(size)
    return Span(start, end)


def copied_span(header: str, size: int) -> Span:
    """The range of an object that is copied; ApiError (400) where not all of it is there."""
    found = _COPIED.fullmatch(header)
    start, last = (int(found[1]), int(found[2])) if found is not None else (1, 0)
    if not start <= last < size:
        raise ApiError.of(errors.INVALID_COPY_RANGE)
    return Span(start, last + 1)


def is_not_modified(
    etag: str, modified: datetime | None, if_none_match: str | None, if_modified_since: str | None
) -> bool:
    """Whether a GET is answered 304: the tag equal as text, or not modified since."""
    if if_none_match and if_none_match == etag:
        return True
    since = http_moment(if_modified_since) if if_modified_since else None
    return since is not None and modified is not None and since >= modified.replace(microsecond=0)


def cached_for(
    cache_control: str, *, is_conditional: bool, differs: bool, shared_seconds: int, is_head: bool
) -> str:
    """The Cache-Control to send where the request is conditional (storage reference 5.2)."""
    if not is_conditional:
        return cache_control
    if is_head:
        return f"{cache_control}, must-revalidate" if differs else cache_control
    parts = [cache_control]
    if shared_seconds > 0:
        parts.append(f"s-maxage={shared_seconds}")
    if differs:
        parts.append("stale-while-revalidate=30")
    return ", ".join(parts)


def _not_satisfiable(size: int) -> ApiError:
    headers = (("Content-Range", f"bytes */{size}"),)
    return ApiError.of(errors.INVALID_RANGE, headers=headers)
