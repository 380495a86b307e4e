"""Limits as numbers and as text such as `1.5KB` (storage reference 3, 4.7)."""

from __future__ import annotations

import math
import re

from compat_base.values.errors import ApiError
from storage_compat import errors

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)(b|kb|mb|gb)", re.IGNORECASE)
_UNITS = {"b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000}


def read_limit(value: int | str | None, most: int) -> int | None:
    """A bucket's limit in bytes, None for none; ApiError beyond the service's, or for no size.

    Of a text's number three digits count.
    """
    if value is None:
        return None
    if isinstance(value, str):
        found = _SIZE.fullmatch(value)
        if found is None:
            raise ApiError.of(errors.INVALID_SIZE)
        size = float(f"{float(found[1]):.3g}") * _UNITS[found[2].lower()]
        value = round(size) if math.isfinite(size) else most + 1
    if value > most:
        raise ApiError.of(errors.TOO_LARGE)
    return value


def upload_limit(service: int, standard: int, bucket: int | None) -> int:
    """The most bytes an upload may have; 0 means no limit of that kind, for the standard one."""
    limits = [service, *([standard] if standard else []), *([] if bucket is None else [bucket])]
    return min(limits)
