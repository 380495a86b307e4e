"""Images in other sizes and formats (storage reference 10)."""

from __future__ import annotations

import struct
import zlib

import pytest
import pyvips

from tests.conftest import Server
from tests.harness_storage import MEMBER, Storage, open_storage, refusal


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


@pytest.mark.parametrize(
    "data",
    [
        b"no image",
        b"",
        b"%PDF-1.4 hello",
    ],
)
async def test_what_is_no_image_is_refused(storage: Storage, data: bytes):
    await storage.put("open/bad", data, "image/png")
    answer = await rendered(storage, "width=10", "open/bad")
    assert answer.status_code == 400
    assert answer.json()["statusCode"] == "400"
    assert (await rendered(storage, "width=10")).status_code == 200


async def test_a_bomb_is_refused_before_it_is_decoded(storage: Storage):
    await storage.put("open/bomb.png", bomb(30_000, 30_000), "image/png")
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
