"""Media types: what Accept and Content-Type say, in the few kinds the service distinguishes.

Source: rest reference 6.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache


class MediaKind(Enum):
    """The kinds with a meaning of their own; OTHER is any further type, by its own text."""

    JSON = "application/json"
    GEOJSON = "application/geo+json"
    CSV = "text/csv"
    TEXT = "text/plain"
    XML = "text/xml"
    OPENAPI = "application/openapi+json"
    FORM = "application/x-www-form-urlencoded"
    BYTES = "application/octet-stream"
    ANY = "*/*"
    ARRAY_STRIPPED = "application/vnd.pgrst.array+json;nulls=stripped"
    OBJECT = "application/vnd.pgrst.object+json"
    OBJECT_STRIPPED = "application/vnd.pgrst.object+json;nulls=stripped"
    PLAN = "application/vnd.pgrst.plan"
    OTHER = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of a plan media type: whose plan, as JSON or text, with which options."""

    of: MediaType
    as_json: bool
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MediaType:
    """One media type; `text` is set for OTHER and `plan` for PLAN."""

    kind: MediaKind
    text: str = ""
    plan: Plan | None = None

    def mime(self) -> str:
        """The type as written in a message or header, without charset."""
        if self.plan is not None:
            shape = "json" if self.plan.as_json else "text"
            options = f"; options={'|'.join(self.plan.options)}" if self.plan.options else ""
            return f'application/vnd.pgrst.plan+{shape}; for="{self.plan.of.mime()}"{options}'
        return self.text or self.kind.value

    @lru_cache(maxsize=500)  # noqa: B019 — media types are few, frozen values
    def content_type(self) -> str:
        """The Content-Type header's value."""
        has_charset = self.kind not in {MediaKind.BYTES, MediaKind.OTHER}
        return f"{self.mime()}; charset=utf-8" if has_charset else self.mime()

    def is_object(self) -> bool:
        """Whether exactly one row must come."""
        return self.kind in {MediaKind.OBJECT, MediaKind.OBJECT_STRIPPED}


JSON = MediaType(MediaKind.JSON)
CSV = MediaType(MediaKind.CSV)
GEOJSON = MediaType(MediaKind.GEOJSON)
ANY = MediaType(MediaKind.ANY)
OPENAPI = MediaType(MediaKind.OPENAPI)

PLAN_OPTIONS = ("analyze", "verbose", "settings", "buffers", "wal")

_WORD = r"A-Za-z0-9\x80-\U0010ffff"  # the original sees a letter in what is not ASCII
_TYPE = re.compile(rf"[{_WORD}.*]+/[{_WORD}.*+\-]+")
_WITH_PARAMETERS = "application/vnd.pgrst."
_PARAMETER = re.compile(rf'[ \t]*;[ \t]*([{_WORD}\-]+)[ \t]*=[ \t]*(?:"([^"]*)"|([{_WORD}|\-]+))')
_SIMPLE = {
    kind.value: MediaType(kind)
    for kind in (
        MediaKind.JSON, MediaKind.GEOJSON, MediaKind.CSV, MediaKind.TEXT, MediaKind.XML,
        MediaKind.OPENAPI, MediaKind.FORM, MediaKind.BYTES, MediaKind.ANY,
    )
}  # fmt: skip


def decode_media_type(text: str) -> MediaType:
    """Read one media type with its parameters; what is not understood is OTHER, verbatim."""
    start = _TYPE.match(text)
    name = (text if start is None else start.group()).lower()
    known = _SIMPLE.get(name)
    if known is not None:
        return known
    if start is None or not name.startswith(_WITH_PARAMETERS):
        return MediaType(MediaKind.OTHER, text)
    parameters = _parameters(text, start.end())
    stripped = parameters.get("nulls") == "stripped"
    match name:
        case "application/vnd.pgrst.plan" | "application/vnd.pgrst.plan+text":
            return _plan(parameters, as_json=False)
        case "application/vnd.pgrst.plan+json":
            return _plan(parameters, as_json=True)
        case "application/vnd.pgrst.object+json" | "application/vnd.pgrst.object":
            return MediaType(MediaKind.OBJECT_STRIPPED if stripped else MediaKind.OBJECT)
        case "application/vnd.pgrst.array+json" | "application/vnd.pgrst.array":
            return MediaType(MediaKind.ARRAY_STRIPPED) if stripped else JSON
        case _:
            return MediaType(MediaKind.OTHER, text)


def accepted(header: str | None) -> tuple[MediaType, ...]:
    """The types of an Accept header, best first; a missing header accepts anything.

    Of two with the same weight the more specific goes first, then the one written first. As in
    the original, blanks do not count, and what follows a weight is dropped.
    """
    if header is None:
        return (ANY,)
    entries = [_weighted(part) for part in header.replace(" ", "").split(",") if header]
    entries.sort(key=lambda entry: (-entry[1], -entry[2]))
    return tuple(decode_media_type(text) for text, _, _ in entries)


def _plan(parameters: dict[str, str], *, as_json: bool) -> MediaType:
    chosen = parameters.get("options", "").split("|")
    options = tuple(option for option in PLAN_OPTIONS if option in chosen)
    of = decode_media_type(parameters.get("for", "application/json"))
    return MediaType(MediaKind.PLAN, plan=Plan(of, as_json, options))


def _parameters(text: str, position: int) -> dict[str, str]:
    parameters: dict[str, str] = {}
    while found := _PARAMETER.match(text, position):
        value = found.group(3) if found.group(2) is None else found.group(2)
        parameters[found.group(1).lower()] = value
        position = found.end()
    return parameters


_WEIGHT = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def _weighted(text: str) -> tuple[str, float, int]:
    """The type, its weight, and how specific it is."""
    text, _, weight = text.partition(";q=")
    found = _WEIGHT.match(weight)
    return text, float(found.group()) if found else 1.0, text.count(";") - text.count("*")
