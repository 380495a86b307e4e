"""A process that renders images: one request a line of standard input, two lines of answer.

The first line of an answer says that the request was read: if the process dies after that, the
image is the cause.

It is another process so that a hostile file costs a refusal and not the service: memory and time
are limits of this process, whatever the decoder does. It is run as a file, without the package
around it, whose loading takes ten times as long; its first line says that it is ready. The only
import of pyvips. Pillow reads what libvips does not, and is loaded for such files alone.
"""

from __future__ import annotations

import json
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pyvips
from pyvips import ffi, vips_lib

READY, READ = "ready", "read"
_MEMORY = 2_000_000_000  # bytes of address space
_FORMATS = {
    "jpeg": ("image/jpeg", ".jpg"),
    "png": ("image/png", ".png"),
    "webp": ("image/webp", ".webp"),
    "avif": ("image/avif", ".avif"),
    "gif": ("image/gif", ".gif"),
    "tiff": ("image/tiff", ".tif"),
    "svg": ("image/svg+xml", ".svg"),
}
_SOURCES = {
    "jpegload": "jpeg", "pngload": "png", "webpload": "webp", "gifload": "gif",
    "tiffload": "tiff", "heifload": "avif",
}  # fmt: skip
_LOADERS = ("Jpeg", "Png", "Webp", "Nsgif", "Tiff", "Heif", "Svg")  # of libvips; no others run
_CROPS = {
    "no": "low", "nowe": "low", "so": "high", "soea": "high", "we": "low", "ea": "high",
    "sm": "attention",
}  # fmt: skip
_FOREIGN = ["HEIF", "BMP", "ICO"]  # formats that Pillow reads, by Pillow's names
_BEGINNINGS = (b"BM", b"\0\0\1\0")
_BRANDS = 64  # bytes at the start of an ISO base media file that list its brands
_ANY = 10_000_000
_LEAST_SIDE = 64  # pixels that a row or frame counts as at least: a million of them take seconds
_LONGEST = {"webp": 16_383, "avif": 16_384, "jpeg": 65_535, "gif": 65_535}  # pixels of a side
_TURNED = 5  # orientations from here on exchange width and height
_QUALITY = 80
_FAILS_ON = "truncated"  # a wrong checksum is shown, as the original does


class TooManyPixelsError(ValueError):
    """The image has more pixels than may be decoded."""


def main() -> None:
    """Answer requests until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    vips: Any = pyvips
    vips.cache_set_max(0)
    vips.operation_block_set("VipsForeignLoad", True)
    for loader in _LOADERS:
        vips.operation_block_set(f"VipsForeignLoad{loader}", False)
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(f"{READ}\n")
        sys.stdout.flush()
        sys.stdout.write(json.dumps(_answer(json.loads(line))) + "\n")
        sys.stdout.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"type": render(request)}
    except TooManyPixelsError:
        return {"error": "resolution"}
    except (pyvips.Error, MemoryError, OSError, SyntaxError, ValueError, KeyError) as error:
        return {"error": "invalid", "reason": type(error).__name__}


def render(request: dict[str, Any]) -> str:
    """Render a file to another; the media type of what was written."""
    source: str = request["source"]
    is_drawing = _is_drawing(source)
    if request["format"] is None and is_drawing:
        shutil.copyfile(source, request["target"])  # fits any size as it is
        return _FORMATS["svg"][0]
    if is_drawing:
        with _cpu_limit(request["drawing_seconds"]):
            image, kind = _read(source, request)
            image = image.copy_memory()
    elif _is_foreign(source):
        decoded = _decoded(source, request["pixels"])
        kind = request["format"] or ("png" if decoded.hasalpha() else "jpeg")
        sides = decoded.width, decoded.height
        image = _resized(decoded.thumbnail_image, sides, request, kind)
    else:
        image, kind = _read(source, request)
    _save(image, kind, request)
    return _FORMATS[kind][0]


def _read(source: str, request: dict[str, Any]) -> tuple[Any, str]:
    """A file that libvips reads in the size that was asked for, and the format to be written."""
    vips: Any = pyvips.Image
    opened: Any = vips.new_from_file(source, access="sequential", fail_on=_FAILS_ON)
    loader = opened.get("vips-loader").removesuffix("_source").removesuffix("_buffer")
    kind = request["format"] or _SOURCES.get(loader)
    if kind is None:
        raise ValueError(loader)
    pages = opened.get("n-pages") if opened.get_typeof("n-pages") else 1
    is_animated = pages > 1 and loader in {"gifload", "webpload"} and kind in {"gif", "webp"}
    sides = max(opened.width, _LEAST_SIDE) * max(opened.height, _LEAST_SIDE)
    if sides * (pages if is_animated else 1) > request["pixels"]:
        raise TooManyPixelsError
    pattern = f"{source}[n=-1]" if is_animated else source
    made = partial(vips.thumbnail, pattern, fail_on=_FAILS_ON)
    return _resized(made, _upright(opened), request, kind, is_animated=is_animated), kind


@contextmanager
def _cpu_limit(seconds: float) -> Generator[None]:
    """End the process if the block exceeds its CPU time: no library can be interrupted."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _is_drawing(source: str) -> bool:
    """Whether a file is an SVG, by its beginning."""
    found: Any = vips_lib.vips_foreign_find_load(source.encode())
    return found != ffi.NULL and b"Svg" in ffi.string(found)


def _is_foreign(source: str) -> bool:
    """Whether a file is of a kind that libvips does not read: HEIC, BMP or ICO."""
    with Path(source).open("rb") as file:
        head = file.read(_BRANDS)
    is_in_boxes = head[4:8] == b"ftyp" and b"avif" not in head and b"avis" not in head
    return is_in_boxes or head.startswith(_BEGINNINGS)


def _decoded(source: str, pixels: int) -> Any:
    """A file as Pillow reads it, upright; TooManyPixelsError before it is decoded."""
    pillow: Any = import_module("PIL.Image")
    import_module("pi_heif").register_heif_opener()
    pillow.MAX_IMAGE_PIXELS = pixels // 2  # it warns above that, and refuses twice as many
    vips: Any = pyvips
    try:
        with pillow.open(source, formats=_FOREIGN) as opened:
            read = opened.convert("RGBA" if opened.has_transparency_data else "RGB")
            profile = opened.info.get("icc_profile")
    except pillow.DecompressionBombError as error:
        raise TooManyPixelsError from error
    image = vips.Image.new_from_memory(
        read.tobytes(), read.width, read.height, len(read.mode), "uchar"
    ).copy(interpretation="srgb")
    if profile:
        image.set_type(vips.GValue.blob_type, "icc-profile-data", profile)
    return image


def _upright(opened: Any) -> tuple[int, int]:
    """Width and height as the image is shown."""
    sides = opened.width, opened.height
    if opened.get_typeof("orientation") and opened.get("orientation") >= _TURNED:
        return sides[1], sides[0]
    return sides


def _resized(
    made: Callable[..., Any],
    sides: tuple[int, int],
    request: dict[str, Any],
    kind: str,
    *,
    is_animated: bool = False,
) -> Any:
    """The image in the requested size, upright; no side exceeds the format's limit."""
    width, height = request["width"], request["height"]
    longest = _LONGEST.get(kind, _ANY)
    if request["resize"] == "fill" and width and height:
        return made(min(width, sides[0]), height=min(height, sides[1]), size="force")
    options: dict[str, Any] = {}
    if request["resize"] == "cover" and width and height and not is_animated:
        options["crop"] = _CROPS.get(request["gravity"] or "", "centre")
    return made(width or longest, height=height or longest, size="down", **options)


def _save(image: Any, kind: str, request: dict[str, Any]) -> None:
    quality = request["quality"] or _QUALITY
    options: dict[str, Any] = {"keep": "icc"}
    if kind in {"jpeg", "webp", "tiff"}:
        options["Q"] = quality
    if kind == "avif":
        options |= {"Q": quality, "compression": "av1", "effort": 3}
    if kind == "jpeg" and image.hasalpha():
        image = image.flatten(background=255)
    if kind == "avif":
        image.heifsave(request["target"], **options)
        return
    save = {"jpeg": "jpegsave", "png": "pngsave", "webp": "webpsave", "gif": "gifsave"}
    getattr(image, save.get(kind, "tiffsave"))(request["target"], **options)


if __name__ == "__main__":
    main()
