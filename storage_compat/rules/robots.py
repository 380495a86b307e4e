"""The X-Robots-Tag header that an upload may set (storage reference 4.6)."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

from compat_base.values.errors import ApiError
from storage_compat import errors
from storage_compat.rules.times import moment_of

DEFAULT = "none"
_WORDS = frozenset(
    {
        "all", "noindex", "nofollow", "none", "nosnippet", "indexifembedded", "notranslate",
        "noimageindex",
    }
)  # fmt: skip
_COUNT = (re.compile(r"-1|[0-9]+"), "an integer >= -1")
_VALUES = {
    "max-snippet": _COUNT,
    "max-video-preview": _COUNT,
    "max-image-preview": (re.compile(r"none|standard|large"), "one of: none, standard, large"),
}
_DATE = "unavailable_after"
_DATE_END = re.compile(r",\s*(?=(?:[A-Za-z_-]+)(?:,|:|$))")
_LENGTH = 1_000


def check(value: str) -> str | None:
    """The header's value, None for an empty one; ApiError for an unknown rule."""
    if not value:
        return None
    if not value.strip() or len(value) > _LENGTH:
        raise _invalid("X-Robots-Tag header value must be a non-empty string")
    _check_rules(value)
    return value


def _check_rules(value: str) -> None:
    """A user agent's name comes before its rules, up to a comma."""
    for given in _rules(value):
        rule = given
        if not rule:
            raise _invalid("X-Robots-Tag header contains empty rule")
        while not _is_known(rule):
            agent, colon, rest = (part.strip() for part in rule.partition(":"))
            if not colon:
                raise _invalid(f'Invalid X-Robots-Tag rule: "{rule}"')
            if not rest:
                raise _invalid(f'X-Robots-Tag user agent "{agent}" has no rules specified')
            rule = rest


def _rules(value: str) -> list[str]:
    """The rules; the commas of a date do not part them."""
    rules: list[str] = []
    left = value.strip()
    while left:
        if left.startswith(f"{_DATE}:"):
            end = _DATE_END.search(left)
            rule, left = (left[: end.start()], left[end.end() :]) if end else (left, "")
        else:
            rule, _, left = left.partition(",")
        rules.append(rule.strip())
        left = left.strip()
    return rules


def _is_known(rule: str) -> bool:
    """Whether a rule is one of the words, or one with a value that it may have."""
    name, colon, text = (part.strip() for part in rule.partition(":"))
    if not colon:
        return name in _WORDS
    if name not in _VALUES and name != _DATE:
        return False
    if not text:
        raise _invalid(f'X-Robots-Tag rule "{name}" requires a value')
    if name == _DATE:
        if not _is_date(text):
            raise _invalid(f'X-Robots-Tag "{name}" value must be a valid date, got: "{text}"')
    else:
        pattern, wanted = _VALUES[name]
        if not pattern.fullmatch(text):
            raise _invalid(f'X-Robots-Tag "{name}" value must be {wanted}, got: "{text}"')
    return True


def _is_date(text: str) -> bool:
    if moment_of(text) is not None:
        return True
    try:
        parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def _invalid(reason: str) -> ApiError:
    return ApiError.of(errors.INVALID_ROBOTS, reason=reason)
