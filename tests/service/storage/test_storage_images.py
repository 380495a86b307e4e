"""Images in other sizes and formats (storage reference 10)."""

from __future__ import annotations

import asyncio
import base64
import io
import os
import signal
import struct
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pyvips
from PIL import Image

from tests.conftest import Server
from tests.harness_storage import MEMBER, Storage, open_storage, refusal
from tests.harness_workers import children


def picture(width: int, height: int, kind: str = ".png") -> bytes:
    image = (
        pyvips.Image.black(width, height, bands=3).linear([1, 1, 1], [200, 40, 40]).cast("uchar")
    )
    return image.write_to_buffer(kind)


def size_of(data: bytes) -> tuple[int, int]:
    image = pyvips.Image.new_from_buffer(data, "")
    return image.width, image.height


def bomb(width: int, height: int) -> bytes:
    """A small PNG that claims to have that many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(99)))
        + chunk(b"IEND", b"")
    )


@pytest.fixture(scope="module", autouse=True)
async def pictures(storage: Storage):
    await storage.bucket("open", public=True)
    await storage.bucket("shut")
    await storage.put("open/p.png", picture(200, 100), "image/png")
    await storage.put("shut/p.png", picture(200, 100), "image/png")
    await storage.put("open/p.jpg", picture(40, 20, ".jpg"), "image/jpeg")


async def rendered(storage: Storage, query: str, key: str = "open/p.png", **headers: str):
    return await storage.call(
        "GET", f"/render/image/public/{key}?{query}", token=None, headers=headers
    )


@pytest.mark.parametrize(
    ("query", "size"),
    [
        ("width=50&height=50", (50, 50)),
        ("width=50&height=50&resize=contain", (50, 25)),
        ("width=50&height=50&resize=fill", (50, 50)),
        ("width=50", (50, 25)),
        ("height=50", (100, 50)),
        ("width=400", (200, 100)),
        ("", (200, 100)),
        ("width=0&height=10", (20, 10)),
        ("width=50&height=20&resize=cover&gravity=no", (50, 20)),
    ],
)
async def test_an_image_is_resized_and_never_enlarged(
    storage: Storage, query: str, size: tuple[int, int]
):
    answer = await rendered(storage, query)
    assert answer.status_code == 200, answer.text
    assert (answer.headers["content-type"], size_of(answer.content)) == ("image/png", size)


async def test_the_format_is_asked_for_or_accepted(storage: Storage):
    webp = await rendered(storage, "width=20", accept="image/webp,*/*")
    assert (webp.headers["content-type"], webp.headers["vary"]) == ("image/webp", "Accept")
    assert webp.headers["x-transformations"] == "width:20,resizing_type:fill,format:webp"
    origin = await rendered(storage, "width=20&format=origin", "open/p.jpg", accept="image/webp")
    assert origin.headers["content-type"] == "image/jpeg"
    avif = await rendered(storage, "width=20&format=avif&quality=30")
    assert avif.headers["content-type"] == "image/avif"


async def test_the_headers_are_the_sources(storage: Storage):
    source = await storage.call("GET", "/object/public/open/p.png", token=None)
    answer = await rendered(storage, "width=33")
    again = await rendered(storage, "width=33")
    assert answer.headers["etag"] == source.headers["etag"]
    assert answer.content == again.content
    ranged = await rendered(storage, "width=33", range="bytes=0-1")
    assert (ranged.status_code, ranged.content) == (200, answer.content)
    head = await storage.call("HEAD", "/render/image/public/open/p.png?width=33", token=None)
    assert head.headers["content-length"] == str(len(answer.content))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("width=x", "querystring/width must be integer"),
        ("width=-1", "querystring/width must be >= 0"),
        ("quality=10", "querystring/quality must be >= 20"),
        ("resize=crop", "querystring/resize must be equal to one of the allowed values"),
        ("format=gif", "querystring/format must be equal to one of the allowed values"),
        ("gravity=fp", "querystring must have required property 'x_offset'"),
        ("gravity=fp&x_offset=0&y_offset=2", "querystring/y_offset must be <= 1"),
    ],
)
async def test_a_parameter_that_does_not_fit_is_refused(storage: Storage, query: str, message: str):
    assert refusal(await rendered(storage, query))[4] == message


async def test_who_may_see_images(storage: Storage):
    assert refusal(await rendered(storage, "width=9", "shut/p.png"))[3] == "NoSuchBucket"
    path = "/render/image/authenticated/shut/p.png?width=9"
    assert refusal(await storage.call("GET", path, token=MEMBER))[3] == "NoSuchKey"
    assert (await storage.call("GET", path)).status_code == 200
    public = "/render/image/authenticated/open/p.png?width=9"
    assert refusal(await storage.call("GET", public, token=MEMBER))[3] == "NoSuchKey"


async def test_a_signed_image_is_rendered_as_its_token_says(storage: Storage):
    body = {"expiresIn": 60, "transform": {"width": 30, "height": 30, "resize": "contain"}}
    signed = (await storage.call("POST", "/object/sign/shut/p.png", json=body)).json()["signedURL"]
    assert signed.startswith("/render/image/sign/shut/p.png?token=")
    answer = await storage.call("GET", f"{signed}&width=5", token=None)
    assert size_of(answer.content) == (30, 15)
    assert "expires" in answer.headers
    plain = {"expiresIn": 60, "transform": {}}
    signed = (await storage.call("POST", "/object/sign/shut/p.png", json=plain)).json()["signedURL"]
    assert signed.startswith("/object/sign/")


@pytest.mark.parametrize("form", ["width=10", "width=10&format=png"])
@pytest.mark.parametrize(
    "data",
    [
        b"no image",
        b"",
        b"%PDF-1.4 hello",
        b"2 2\n1 2\n3 4\n",
    ],
)
async def test_what_is_no_image_is_refused(storage: Storage, data: bytes, form: str):
    await storage.put("open/bad", data, "image/png")
    answer = await rendered(storage, form, "open/bad")
    assert answer.status_code == 400
    assert answer.json()["statusCode"] == "400"
    assert (await rendered(storage, "width=10")).status_code == 200


def frames(count: int) -> bytes:
    """A GIF of so many frames of one pixel."""
    screen = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(3) + b"\xff" * 3
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\0"
    return screen + frame * count + b"\x3b"


@pytest.mark.parametrize(
    "data",
    [bomb(30_000, 30_000), bomb(1, 1_000_000), frames(20_000)],
    ids=["many pixels", "many rows", "many frames"],
)
async def test_a_bomb_is_refused_before_it_is_decoded(storage: Storage, data: bytes):
    await storage.put("open/bomb.png", data, "image/png")
    answer = await rendered(storage, "width=10", "open/bomb.png")
    assert refusal(answer)[4] == "The source image resolution is too large to process"


async def test_a_file_above_the_limit_is_not_even_opened(
    server: Server, services_database: str, storage: Storage, tmp_path
):
    url = server.url(services_database, "supabase_storage_admin")
    async with open_storage(
        url, storage.url, tmp_path, IMAGE_MAX_BYTES="100", IMAGE_CACHE_BYTES="1"
    ) as small:
        await small.put("open/large.png", picture(200, 100) + bytes(200), "image/png")
        answer = await rendered(small, "width=10", "open/large.png")
        assert refusal(answer)[4] == "The source image file is too large to process"


async def test_the_cache_has_a_cap(
    server: Server, services_database: str, storage: Storage, tmp_path
):
    url = server.url(services_database, "supabase_storage_admin")
    async with open_storage(url, storage.url, tmp_path, IMAGE_CACHE_BYTES="2000") as small:
        await small.put("open/capped.png", picture(200, 100), "image/png")
        for width in range(20, 40):
            assert (await rendered(small, f"width={width}", "open/capped.png")).status_code == 200
        assert sum(path.stat().st_size for path in (tmp_path / ".images").iterdir()) <= 2000


async def test_without_the_setting_there_is_no_route(
    server: Server, services_database: str, storage: Storage, tmp_path
):
    url = server.url(services_database, "supabase_storage_admin")
    async with open_storage(
        url, storage.url, tmp_path, IMAGE_TRANSFORMATION_ENABLED="false"
    ) as off:
        answer = await rendered(off, "width=10")
        assert (answer.status_code, answer.json()["message"][:15]) == (404, "Route GET:/rend")


# ── sources of every kind ──────────────────────────────────────────────────────────────────────


def photograph(orientation: int = 1) -> Any:
    """Left of it is black, right of it white; a camera was held as `orientation` says."""
    made: Any = pyvips.Image.grey(60, 40, uchar=True)
    colours = made.bandjoin([made, made]).copy(interpretation="srgb")
    colours.set_type(pyvips.GValue.gint_type, "orientation", orientation)
    return colours


def film(kind: str) -> bytes:
    """Six frames of 60 by 40."""
    frames = [(photograph() * 0.5 + 20 * number).cast("uchar") for number in range(6)]
    joined: Any = pyvips.Image.arrayjoin(frames, across=1).copy(interpretation="srgb")
    joined.set_type(pyvips.GValue.gint_type, "page-height", 40)
    return joined.write_to_buffer(kind)


def opened(data: bytes) -> Any:
    return pyvips.Image.new_from_buffer(data, "")


@pytest.mark.parametrize("orientation", range(1, 9))
async def test_a_photograph_is_shown_upright_and_whole(storage: Storage, orientation: int):
    await storage.put("open/turned.jpg", photograph(orientation).jpegsave_buffer(), "image/jpeg")
    upright = (60, 40) if orientation < 5 else (40, 60)
    whole = await rendered(storage, "quality=90", "open/turned.jpg")
    assert size_of(whole.content) == upright
    assert not opened(whole.content).get_typeof("orientation")
    narrow = await rendered(storage, "width=20", "open/turned.jpg")
    assert size_of(narrow.content) == (20, round(20 * upright[1] / upright[0]))
    filled = await rendered(storage, "width=60&height=60&resize=fill", "open/turned.jpg")
    assert size_of(filled.content) == upright


@pytest.mark.parametrize("kind", ["gif", "webp"])
async def test_a_film_keeps_its_frames(storage: Storage, kind: str):
    await storage.put("open/film", film(f".{kind}"), f"image/{kind}")
    for query, accepted, made in (
        ("width=30", "", kind), ("width=30&height=30", "", kind),
        ("width=30", "image/webp", "webp"), ("format=webp&width=30", "", "webp"),
    ):  # fmt: skip
        answer = await rendered(storage, query, "open/film", accept=accepted)
        assert answer.headers["content-type"] == f"image/{made}"
        assert (opened(answer.content).get("n-pages"), *size_of(answer.content)) == (6, 30, 20)
    still = await rendered(storage, "format=avif&width=30", "open/film")
    assert size_of(still.content) == (30, 20)


async def test_no_side_is_longer_than_the_format_has(storage: Storage):
    await storage.put("open/tall", pyvips.Image.black(3, 60_000).pngsave_buffer(), "image/png")
    for query, accepted, height in (
        ("", "", 60_000), ("format=origin", "image/webp", 60_000), ("", "image/webp", 16_383),
        ("width=2", "image/webp", 16_383), ("format=avif", "", 16_384),
    ):  # fmt: skip
        answer = await rendered(storage, query, "open/tall", accept=accepted)
        assert (answer.status_code, size_of(answer.content)[1]) == (200, height), query


async def test_colours_of_printers_and_of_scanners_are_shown_on_a_screen(storage: Storage):
    inks: Any = photograph().bandjoin(pyvips.Image.black(60, 40)).copy(interpretation="cmyk")
    deep: Any = (photograph().cast("ushort") * 257).copy(interpretation="rgb16")
    for name, data in (("inks", inks.jpegsave_buffer()), ("deep", deep.pngsave_buffer())):
        await storage.put(f"open/{name}", data, "image/png")
        answer = opened((await rendered(storage, "width=30", f"open/{name}")).content)
        assert (answer.interpretation, answer.format, answer.bands) == ("srgb", "uchar", 3), name


@pytest.mark.parametrize("kind", [".jpg", ".png", ".webp", ".gif", ".tif"])
async def test_a_file_that_was_cut_short_is_refused(storage: Storage, kind: str):
    noise: Any = pyvips.Image.gaussnoise(60, 60).cast("uchar")
    data = noise.write_to_buffer(kind)
    for end in (len(data) // 2, 30):
        await storage.put("open/cut", data[:end], "image/png")
        answer = await rendered(storage, "width=30&format=webp", "open/cut")
        assert refusal(answer)[4].startswith("The source image is invalid"), end


async def test_what_is_behind_an_image_does_not_come_with_it(storage: Storage):
    await storage.put("open/more", picture(60, 40) + b"<script>alert(1)</script>", "image/png")
    answer = await rendered(storage, "format=origin", "open/more")
    assert (answer.headers["content-type"], b"script" in answer.content) == ("image/png", False)


async def test_a_drawing_reads_no_file_and_expands_no_entity(storage: Storage, tmp_path: Path):
    (tmp_path / "own.png").write_bytes(picture(20, 20))
    inside = f'<image href="file://{tmp_path}/own.png" width="20" height="20"/>'
    frame = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'
    await storage.put("open/reads.svg", frame.format(inside).encode(), "image/svg+xml")
    answer = await rendered(storage, "width=20&format=webp", "open/reads.svg")
    assert opened(answer.content).max() == 0  # nothing is drawn
    laughs = "".join(f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' for number in range(1, 10))
    text = f'<!DOCTYPE svg [<!ENTITY l0 "ha">{laughs}]>{frame.format("<text>&l9;</text>")}'
    await storage.put("open/laughs.svg", text.encode(), "image/svg+xml")
    refused = await rendered(storage, "width=20&format=webp", "open/laughs.svg")
    assert refused.status_code == 400
    huge = frame.replace('"20"', '"100000"').format("")
    await storage.put("open/huge.svg", huge.encode(), "image/svg+xml")
    large = await rendered(storage, "width=20&format=webp", "open/huge.svg")
    assert "resolution is too large" in large.text


TELEPHONE = base64.b64decode(  # 64 by 32 in HEVC, the left half red, held upright
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAchtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAA"
    "AAAAAAAAAAADRpbG9jAAAAAERAAAIAAQAAAAAB7AABAAAAAAAAACUAAgAAAAACEQABAAAAAAAAACQAAAA4aWluZgAA"
    "AAAAAgAAABVpbmZlAgAAAAABAABodmMxAAAAABVpbmZlAgAAAQACAABFeGlmAAAAAA5waXRtAAAAAAABAAABB2lwcn"
    "AAAADmaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroC"
    "QGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm"
    "5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAIAAAAAEAAAAAAAAAAv///+AA"
    "AAACAAAAEHBpeGkAAAAAAwgICAAAAAlpcm90AwAAABlpcG1hAAAAAAAAAAEAAQaBAgMFhIYAAAAaaXJlZgAAAAAAAA"
    "AOY2RzYwACAAEAAQAAAFFtZGF0AAAAISgBrxmA70mlv//ihh/5rWv+v7IX//LxJ34ken/W5ENtbwAAAAZFeGlmAABN"
    "TQAqAAAACAABARIAAwAAAAEABgAAAAAAAA=="
)


def drawn(kind: str) -> bytes:
    """Red on the left and blue on the right, as Pillow writes what libvips does not."""
    image = Image.new("RGB", (64, 32), "red")
    image.paste("blue", (32, 0, 64, 32))
    data = io.BytesIO()
    if kind == "ICO":
        image.convert("RGBA").save(data, kind, sizes=[(32, 16), (16, 8)])
    else:
        image.save(data, kind)
    return data.getvalue()


@pytest.mark.parametrize(
    ("kind", "size", "shown_as"),
    [
        ("HEIC", (32, 64), "image/jpeg"),
        ("BMP", (64, 32), "image/jpeg"),
        ("ICO", (32, 16), "image/png"),
    ],
)
async def test_images_of_telephones_and_of_old_programs_become_a_browsers(
    storage: Storage, kind: str, size: tuple[int, int], shown_as: str
):
    data = TELEPHONE if kind == "HEIC" else drawn(kind)
    await storage.put("open/foreign", data, "application/octet-stream")
    whole = await rendered(storage, "", "open/foreign")
    assert (whole.headers["content-type"], size_of(whole.content)) == (shown_as, size)
    small = await rendered(storage, "width=8&height=8&resize=fill&format=webp", "open/foreign")
    assert (small.headers["content-type"], size_of(small.content)) == ("image/webp", (8, 8))
    red, _, blue, *_ = opened(small.content)(1, 1)
    assert (red > 200, blue < 60) == (True, True)
    cropped = await rendered(storage, "width=10&height=10", "open/foreign", accept="image/webp")
    assert (cropped.headers["content-type"], size_of(cropped.content)) == ("image/webp", (10, 10))


@pytest.mark.parametrize(
    "data",
    [
        TELEPHONE[: len(TELEPHONE) // 2],
        b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(200),
        drawn("BMP")[:1000],
        drawn("ICO")[:60],
        b"BM",
        b"\0\0\1\0",
    ],
)
async def test_such_an_image_that_is_broken_is_refused(storage: Storage, data: bytes):
    await storage.put("open/broken", data, "image/heic")
    answer = await rendered(storage, "width=30", "open/broken")
    assert refusal(answer)[4].startswith("The source image is invalid")


async def test_such_a_bomb_is_refused_before_it_is_decoded(storage: Storage):
    head = struct.pack("<IHHI", 54, 0, 0, 54)
    size = struct.pack("<IiiHHIIiiII", 40, 30_000, 30_000, 1, 24, 0, 0, 0, 0, 0, 0)
    await storage.put("open/bomb.bmp", b"BM" + head + size, "image/bmp")
    in_icon = bomb(30_000, 30_000)
    icon = b"\0\0\1\0\1\0" + struct.pack("<BBBBHHII", 0, 0, 0, 0, 1, 32, len(in_icon), 22)
    await storage.put("open/bomb.ico", icon + in_icon, "image/x-icon")
    for name in ("bomb.bmp", "bomb.ico"):
        answer = await rendered(storage, "width=10", f"open/{name}")
        assert refusal(answer)[4] == "The source image resolution is too large to process", name


async def test_the_same_image_asked_for_by_many_at_once_is_whole_for_everybody(
    server: Server, services_database: str, storage: Storage, tmp_path: Path
):
    noise: Any = pyvips.Image.gaussnoise(900, 900).cast("uchar")
    url = server.url(services_database, "supabase_storage_admin")
    async with (
        open_storage(url, storage.url, tmp_path, IMAGE_WORKERS="2") as one,
        open_storage(url, storage.url, tmp_path, IMAGE_WORKERS="2") as other,  # a second node
    ):
        await one.put("open/noise.png", noise.pngsave_buffer(), "image/png")
        requests = (rendered(node, "width=700", "open/noise.png") for node in [one, other] * 4)
        answers = await asyncio.gather(*requests)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert size_of(answers[0].content) == (700, 700)
    assert [path.suffix for path in (tmp_path / ".images").iterdir()] == [".png"]


async def test_a_decoder_that_is_killed_costs_at_most_a_refusal(
    server: Server, services_database: str, storage: Storage, tmp_path: Path
):
    noise: Any = pyvips.Image.gaussnoise(3000, 3000).cast("uchar")
    url = server.url(services_database, "supabase_storage_admin")
    async with open_storage(url, storage.url, tmp_path) as killed:
        others = children(os.getpid())

        async def is_killed(after: float = 0) -> bool:
            """Whether the decoder was killed, which took so many seconds of processor before."""
            found = children(os.getpid()) - others
            found = {process for process in found if _seconds(process) >= after}
            for process in found:
                os.kill(process, signal.SIGKILL)
            return bool(found)

        async def is_reaped() -> bool:
            return not children(os.getpid()) - others

        await killed.put("open/small.png", picture(20, 10), "image/png")
        await killed.put("open/slow.png", noise.pngsave_buffer(), "image/png")
        assert (await rendered(killed, "width=10", "open/small.png")).status_code == 200
        assert await is_killed()  # while it waits
        await killed.until(is_reaped)
        assert (await rendered(killed, "width=11", "open/small.png")).status_code == 200
        [decoder] = children(os.getpid()) - others
        midst = _seconds(decoder) + 0.2
        requests = asyncio.create_task(rendered(killed, "width=2000&format=avif", "open/slow.png"))
        await killed.until(partial(is_killed, midst))
        assert (await requests).status_code in {400, 503}
        assert (await rendered(killed, "width=12", "open/small.png")).status_code == 200


ENDLESS = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000">'
    '<filter id="f" x="0" y="0" width="1" height="1">'
    + '<feGaussianBlur stdDeviation="50"/>'
    * 3000
    + "</filter>"
    '<rect width="2000" height="2000" filter="url(#f)"/></svg>'
)


async def test_drawings_that_take_for_ever_do_not_hold_up_who_asks_for_others(
    server: Server, services_database: str, storage: Storage, tmp_path: Path
):
    url = server.url(services_database, "supabase_storage_admin")
    async with open_storage(
        url, storage.url, tmp_path, IMAGE_SVG_SECONDS="1", IMGPROXY_REQUEST_TIMEOUT="1h"
    ) as drawing:
        names = [f"open/endless-{number}.svg" for number in range(5)]
        for name in names:
            await drawing.put(name, ENDLESS.encode(), "image/svg+xml")
        await drawing.put("open/small.png", picture(20, 10), "image/png")
        first = await rendered(drawing, "width=2000&format=webp", names[0])
        assert refusal(first)[4].startswith("The source image is invalid")

        others = children(os.getpid())

        async def is_drawing() -> bool:
            return bool(children(os.getpid()) - others)

        requests = [
            asyncio.create_task(rendered(drawing, "width=2000&format=webp", name))
            for name in names[1:]
        ]
        await drawing.until(is_drawing)
        async with drawing.another("192.0.2.1") as honest:
            small, again = await asyncio.gather(
                rendered(honest, "width=10", "open/small.png"),
                rendered(honest, "width=1999&format=webp", names[0]),
            )
        assert (small.status_code, again.json()) == (200, first.json())
        assert not all(
            task.done() for task in requests
        )  # in turn, and the one that is known at once
        assert {task.status_code for task in await asyncio.gather(*requests)} == {400}


def _seconds(process: int) -> float:
    """The processor time that a process took, with all its threads."""
    each = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(path.read_text().split()[0]) for path in each) / 1e9
