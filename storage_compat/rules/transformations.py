"""How an image is to be rendered (storage reference 10)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compat_base.values.errors import ApiError
from storage_compat import errors

_PAIR = re.compile(r"([a-z_]+):([a-z0-9_.:-]+)")
_RESIZING = {"cover": "fill", "contain": "fit", "fill": "force"}
_NAMES = ("height", "width", "resize", "quality", "format", "gravity", "x_offset", "y_offset")
_PLACED = ("gravity", "x_offset", "y_offset")
_NUMBERS = {"height": int, "width": int, "quality": int, "x_offset": float, "y_offset": float}


@dataclass(frozen=True, slots=True)
class Transformation:
    """Sizes in pixels, None where they follow; `format` None where the client's Accept decides."""

    width: int | None = None
    height: int | None = None
    resize: str | None = None
    quality: int | None = None
    format: str | None = None
    gravity: str | None = None
    x_offset: float | None = None
    y_offset: float | None = None

    def claim(self) -> str:
        """The text of a signed URL's token; empty without a transformation."""
        return self._described("resize", self.resize or "undefined", self.format)

    def header(self, image_format: str | None = None) -> str:
        """The X-Transformations header; empty without a transformation."""
        return self._described(
            "resizing_type", _RESIZING[self.resize or "cover"], image_format or self.format
        )

    def _described(self, name: str, resizing: str, image_format: str | None) -> str:
        parts = {
            "height": self.height,
            "width": self.width,
            name: resizing if self.height or self.width else None,
            "quality": self.quality,
            "format": None if image_format == "origin" else image_format,
            "gravity": self._placed(),
        }
        return ",".join(f"{name}:{value}" for name, value in parts.items() if value is not None)

    def _placed(self) -> str | None:
        """The gravity with its offsets; smart gravity (`sm`) has none."""
        if self.gravity is None or self.gravity == "sm":
            return self.gravity
        if self.x_offset is None and self.y_offset is None:
            return self.gravity
        return f"{self.gravity}:{self.x_offset or 0:g}:{self.y_offset or 0:g}"


def transformation_of(values: Mapping[str, Any], least: int, most: int) -> Transformation:
    """The transformation of validated parameters, its sizes within the limits."""
    gravity = values.get("gravity")
    x_offset, y_offset = values.get("x_offset"), values.get("y_offset")
    if gravity == "fp" and not all(_is_share(offset) for offset in (x_offset, y_offset)):
        raise ApiError.of(errors.INVALID_PARAMETER, name="gravity")
    return Transformation(
        width=_size(values.get("width"), least, most),
        height=_size(values.get("height"), least, most),
        resize=values.get("resize"),
        quality=values.get("quality"),
        format=values.get("format"),
        gravity=gravity,
        x_offset=x_offset,
        y_offset=y_offset,
    )


def read_claim(text: str, least: int, most: int) -> Transformation:
    """The transformation of a token's text; what is not known in it is left out."""
    values: dict[str, Any] = {}
    for name, value in _PAIR.findall(text):
        if name in _NAMES and value != "undefined":
            given = (
                zip(_PLACED, value.split(":"), strict=False)
                if name == "gravity"
                else ((name, value),)
            )
            try:
                values |= {each: _NUMBERS.get(each, str)(part) for each, part in given}
            except ValueError as error:
                raise ApiError.of(errors.INVALID_SIGNATURE) from error
    return transformation_of(values, least, most)


def wanted_format(transformation: Transformation, accept: str) -> str | None:
    """The format to render in, None for the source's own."""
    if transformation.format is not None:
        return None if transformation.format == "origin" else transformation.format
    return "webp" if "image/webp" in accept else None


def _size(value: int | None, least: int, most: int) -> int | None:
    return min(max(value, least), most) if value else None


def _is_share(offset: float | None) -> bool:
    return offset is not None and 0 <= offset <= 1
