"""The Prefer header (rest reference 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from rest_compat.api_request.model import Preferences
from rest_compat.http.ranges import BLANKS, integer_of

_VALUES = {
    "resolution": ("merge-duplicates", "ignore-duplicates"),
    "return": ("representation", "minimal", "headers-only"),
    "count": ("exact", "planned", "estimated"),
    "tx": ("commit", "rollback"),
    "missing": ("default", "null"),
    "handling": ("strict", "lenient"),
}
_KNOWN = {f"{name}={value}": (name, value) for name, values in _VALUES.items() for value in values}


def parse_preferences(headers: Iterable[str], *, allow_transaction: bool) -> Preferences:
    """Read all Prefer headers; `tx` only counts where the configuration lets clients choose."""
    texts = [part.strip(BLANKS) for header in headers if header for part in header.split(",")]
    if not headers:
        return Preferences()
    first: dict[str, str] = {}
    for text in texts:
        name, value = _KNOWN.get(text, ("", ""))
        first.setdefault(name, value)
    return Preferences(
        resolution=first.get("resolution"),
        representation=first.get("return"),
        count=first.get("count"),
        transaction=first.get("tx") if allow_transaction else None,
        missing=first.get("missing"),
        handling=first.get("handling"),
        timezone=_open_value(texts, "timezone="),
        max_affected=integer_of(_open_value(texts, "max-affected=") or ""),
        invalid=tuple(
            text
            for text in texts
            if text not in _KNOWN and not text.startswith(("timezone=", "max-affected="))
        ),
    )


@lru_cache(maxsize=500)
def applied(preferences: Preferences) -> str | None:
    """The Preference-Applied header's value, or None where nothing was honoured."""
    parts = [
        f"{name}={value}"
        for name, value in (
            ("resolution", preferences.resolution),
            ("missing", preferences.missing),
            ("return", preferences.representation),
            ("count", preferences.count),
            ("tx", preferences.transaction),
            ("handling", preferences.handling),
            ("timezone", preferences.timezone),
            ("max-affected", preferences.max_affected if preferences.is_strict() else None),
        )
        if value is not None
    ]
    return ", ".join(parts) or None


def _open_value(texts: Sequence[str], prefix: str) -> str | None:
    return next((text.removeprefix(prefix) for text in texts if text.startswith(prefix)), None)
