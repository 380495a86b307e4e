"""The X-Robots-Tag header that an upload may set (storage reference 4.6)."""

from __future__ import annotations

import re

from compat_base.values.errors import ApiError
from storage_compat import errors

DEFAULT = "none"
_WORDS = frozenset(
    {
        "all", "noindex", "nofollow", "none", "nosnippet", "indexifembedded", "notranslate",
        "noimageindex",
    }
)  # fmt: skip
_VALUES = {
    "max-snippet": re.compile(r"-?[0-9]+"),
    "max-image-preview": re.compile(r"none|standard|large"),
    "max-video-preview": re.compile(r"-?[0-9]+"),
    "unavailable_after": re.compile(r"[\x20-\x7e]+"),
}
_AGENT = re.compile(r"[A-Za-z0-9_*-]+")
_LENGTH = 1_000


def check(value: str) -> str:
    """The header's value; ApiError where a rule in it is not known."""
    if not value.strip() or len(value) > _LENGTH:
        raise _invalid("Invalid X-Robots-Tag header value")
    for part in _rules(value):
        _check_rule(part)
    return value


def _rules(value: str) -> list[str]:
    """The rules; a date's own comma does not part them."""
    return [part.strip() for part in re.split(r",(?!\s*[0-9])", value)]


def _check_rule(rule: str) -> None:
    name, colon, rest = (part.strip() for part in rule.partition(":"))
    word = name.lower()
    if not colon:
        if word not in _WORDS:
            raise _invalid(f"Invalid X-Robots-Tag rule: {name}")
        return
    pattern = _VALUES.get(word)
    if pattern is not None:
        if not pattern.fullmatch(rest):
            raise _invalid(f"Invalid X-Robots-Tag value for {name}: {rest}")
        return
    if not _AGENT.fullmatch(name) or word in _WORDS or not rest:
        raise _invalid(f"Invalid X-Robots-Tag rule: {rule}")
    _check_rule(rest)


def _invalid(reason: str) -> ApiError:
    return ApiError.of(errors.INVALID_ROBOTS, reason=reason)
