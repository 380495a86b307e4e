"""Where the next page of a list of version 2 begins (storage reference 7.2)."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules.times import moment_of

_COLUMNS = ("name", "created_at", "updated_at")
_LINE = re.compile(r"^([a-z]):(.*)$")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last entry of a page and the order that it stood in."""

    name: str
    order: str = "asc"
    column: str = "name"
    moment: str = ""

    def encode(self) -> str:
        """The cursor as an opaque text."""
        lines = [f"l:{self.name}", f"o:{self.order}", f"c:{self.column}", f"a:{self.moment}"]
        return base64.b64encode("\n".join(lines).encode()).decode()


def read_cursor(text: str) -> Cursor:
    """Read a cursor; ApiError for what is none."""
    try:
        lines = base64.b64decode(text, validate=True).decode().split("\n")
    except (binascii.Error, ValueError) as error:
        raise _invalid() from error
    found = [match for match in map(_LINE.match, lines) if match]
    values = {match[1]: match[2] for match in found}
    cursor = Cursor(
        values.get("l", ""), values.get("o", "asc"), values.get("c", "name"), values.get("a", "")
    )
    if len(found) != len(lines) or not cursor.name or "\0" in cursor.name:
        raise _invalid()
    if cursor.order not in {"asc", "desc"} or cursor.column not in _COLUMNS:
        raise _invalid()
    if cursor.moment and moment_of(cursor.moment) is None:
        raise _invalid()
    return cursor


def _invalid() -> ApiError:
    return ApiError.of(errors.INVALID_PARAMETER, name="continuation token")
