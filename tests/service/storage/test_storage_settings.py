"""What the original's variables change in answers (storage reference 15)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pyvips
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt import encode
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from tests.conftest import Server
from tests.harness_storage import SERVICE, Storage, open_storage, refusal
from tests.harness_storage_s3 import KEY

Opening = Callable[..., AbstractAsyncContextManager[Storage]]


@pytest.fixture
def opening(server: Server, services_database: str, storage: Storage, tmp_path: Path) -> Opening:
    """The service once more, on the same rows, with variables of the test."""
    url = server.url(services_database, "supabase_storage_admin")
    return lambda **variables: open_storage(url, storage.url, tmp_path, **variables)


@pytest.fixture(scope="module", autouse=True)
async def bucket(storage: Storage):
    await storage.bucket("b", public=True)


async def test_hard_limits_refuse_more_than_a_thousand_names(opening: Opening, storage: Storage):
    body = {"prefixes": [f"n{number}" for number in range(1001)]}
    assert (await storage.call("DELETE", "/object/b", json=body)).json() == []
    async with opening(REQUEST_HARD_LIMITS_ENABLED="true") as limited:
        refused = refusal(await limited.call("DELETE", "/object/b", json=body))
        assert refused[4] == "body/prefixes must NOT have more than 1000 items"


async def test_a_bucket_of_more_than_the_most_is_not_emptied(opening: Opening):
    async with opening(STORAGE_EMPTY_BUCKET_MAX="1") as limited:
        await limited.bucket("full")
        for name in ("one", "two"):
            await limited.put(f"full/{name}")
        assert refusal(await limited.call("POST", "/bucket/full/empty"))[:2] == (400, "409")


async def test_caches_in_front_are_told_how_long(opening: Opening):
    async with opening(
        RESPONSE_S_MAXAGE="60", REQUEST_ETAG_HEADERS="if-none-match,if-match"
    ) as one:
        await one.put("b/cached", headers={"cache-control": "max-age=5"})
        tag = (await one.call("GET", "/object/public/b/cached", token=None)).headers["etag"]
        messages = {
            (method, name, value): (
                await one.call(
                    method, "/object/public/b/cached", token=None, headers={name: value}
                )
            ).headers["cache-control"]
            for method, name, value in (
                ("GET", "if-none-match", '"other"'), ("GET", "if-none-match", tag),
                ("GET", "if-match", "x"), ("GET", "x-other", "x"),
                ("HEAD", "if-none-match", '"other"'), ("HEAD", "if-none-match", tag),
            )
        }  # fmt: skip
    assert messages == {
        ("GET", "if-none-match", '"other"'): "max-age=5, s-maxage=60, stale-while-revalidate=30",
        ("GET", "if-none-match", tag): "max-age=5, s-maxage=60",
        ("GET", "if-match", "x"): "max-age=5, s-maxage=60, stale-while-revalidate=30",
        ("GET", "x-other", "x"): "max-age=5",
        ("HEAD", "if-none-match", '"other"'): "max-age=5, must-revalidate",
        ("HEAD", "if-none-match", tag): "max-age=5",
    }


async def test_a_limit_of_standard_uploads_is_the_lowest_that_counts(opening: Opening):
    limits = {"UPLOAD_FILE_SIZE_LIMIT": "100", "UPLOAD_FILE_SIZE_LIMIT_STANDARD": "10"}
    async with opening(**limits) as limited:
        await limited.put("b/ten", bytes(10))
        refused = await limited.call("PUT", "/object/b/eleven", content=bytes(11))
        assert refusal(refused)[1:4] == ("413", "Payload too large", "EntityTooLarge")
        large = await limited.call("POST", "/bucket", json={"name": "l", "file_size_limit": 101})
        assert refusal(large)[3] == "EntityTooLarge"


def escaped(name: str) -> str:
    """The path of an object, every byte of it as a percent code."""
    return "/object/b/" + "".join(f"%{byte:02X}" for byte in name.encode())


@pytest.mark.parametrize(
    "name", ["é.txt", "写真/猫.jpg", "a\u202fb", "#1 [x] {y}~^`|<>%.txt", "😀"]
)
async def test_a_key_of_any_script_where_such_are_taken(
    opening: Opening, storage: Storage, name: str
):
    refused = await storage.call("PUT", escaped(name), content=b"x")
    assert refusal(refused)[3:] == ("InvalidKey", f"Invalid key: {name}")
    async with opening(STORAGE_UNICODE_KEYS="true") as wide:
        written = await wide.call("PUT", escaped(name), content=name.encode())
        assert (written.status_code, written.json()["Key"]) == (200, f"b/{name}")
        assert (await wide.call("GET", escaped(name))).content == name.encode()
        body = {"expiresIn": 60, "paths": [name]}
        [signed] = (await wide.call("POST", "/object/sign/b", json=body)).json()
        assert signed["error"] is None
        listed = await wide.call("POST", "/object/list-v2/b", json={"prefix": name[:2]})
        assert name in [each["name"] for each in listed.json()["objects"]]


@pytest.mark.parametrize("name", ["a\0b", "a\x1fb", "a/../b", "a\x7f"])
async def test_a_key_that_no_name_can_be_is_refused_there_too(opening: Opening, name: str):
    async with opening(STORAGE_UNICODE_KEYS="true") as wide:
        assert (await wide.call("PUT", escaped(name), content=b"x")).status_code == 400


async def test_sizes_of_images_are_brought_within_their_limits(opening: Opening):
    made: Any = pyvips.Image.black(80, 40, bands=3).cast("uchar")
    limits = {
        "IMAGE_TRANSFORMATION_LIMIT_MIN_SIZE": "10",
        "IMAGE_TRANSFORMATION_LIMIT_MAX_SIZE": "20",
    }
    async with opening(**limits) as limited:
        await limited.put("b/image.png", made.pngsave_buffer(), "image/png")
        for wanted, width in ((5, 10), (15, 15), (500, 20)):
            answer = await limited.call("GET", f"/render/image/public/b/image.png?width={wanted}")
            shown: Any = pyvips.Image.new_from_buffer(answer.content, "")
            assert shown.width == width
            assert answer.headers["x-transformations"] == f"width:{width},resizing_type:fill"


async def test_more_images_than_may_wait_are_put_off(opening: Opening):
    made: Any = pyvips.Image.gaussnoise(3000, 2000).cast("uchar")
    async with opening(IMAGE_QUEUE="1") as limited:
        await limited.put("b/slow.png", made.pngsave_buffer(), "image/png")
        answers = await asyncio.gather(
            *(
                limited.call("GET", f"/render/image/public/b/slow.png?width={w}")
                for w in range(1, 9)
            )
        )
    assert {answer.status_code for answer in answers} == {200, 503}
    late = next(answer for answer in answers if answer.status_code == 503)
    assert (late.headers["retry-after"], late.json()["code"]) == ("1", "SlowDown")


# ── S3 ─────────────────────────────────────────────────────────────────────────────────────────


async def listed(
    storage: Storage, address: str, region: str = "local", **headers: str
) -> httpx2.Response:
    """A list of buckets, signed for an address that clients know."""
    request: Any = AWSRequest("GET", address)
    S3SigV4Auth(KEY, "s3", region).add_auth(request)
    signed = {name: str(value) for name, value in request.headers.items()}
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return await storage.call("GET", "/s3", token=None, headers=signed | more)


async def test_s3_is_signed_for_the_address_outside(opening: Opening, storage: Storage):
    inside, outside = "http://storage.test/s3", "http://storage.test/storage/v1/s3"
    assert (await listed(storage, inside)).status_code == 200
    assert (await listed(storage, outside)).status_code == 403
    async with opening(S3_PROTOCOL_PREFIX="/storage/v1") as known:
        assert (await listed(known, outside)).status_code == 200
        assert (await listed(known, inside)).status_code == 403
    async with opening(REQUEST_ALLOW_X_FORWARDED_PATH="true") as prefixed:
        prefix = {"x_forwarded_prefix": "/storage/v1"}
        assert (await listed(prefixed, outside, **prefix)).status_code == 200


async def test_s3_is_signed_for_the_host_that_the_client_asked(opening: Opening, storage: Storage):
    elsewhere, usual = "http://files.example:8443/s3", "https://files.example/s3"
    host = {"x_forwarded_host": "Files.example", "x_forwarded_port": "8443"}
    assert (await listed(storage, elsewhere)).status_code == 403
    assert (await listed(storage, elsewhere, **host)).status_code == 200
    assert (await listed(storage, usual, **host | {"x_forwarded_port": "443"})).status_code == 200
    assert (await listed(storage, "http://storage.test/s3", **host)).status_code == 200
    assert (await listed(storage, "http://evil.example/s3", **host)).status_code == 403
    standard = {"forwarded": 'for=10.0.0.1;host="files.example:8443";proto=https'}
    assert (await listed(storage, elsewhere, **standard)).status_code == 403
    async with opening(S3_ALLOW_FORWARDED_HEADER="true") as behind:
        assert (await listed(behind, elsewhere, **standard)).status_code == 200
    async with opening(STORAGE_PUBLIC_URL="https://files.example/storage/v1") as known:
        assert (await listed(known, usual)).status_code == 200


async def test_s3_has_one_region_where_it_is_enforced_and_may_be_off(opening: Opening):
    async with opening(S3_PROTOCOL_ENFORCE_REGION="true") as strict:
        assert (await listed(strict, "http://storage.test/s3")).status_code == 200
        refused = await listed(strict, "http://storage.test/s3", region="eu-west-1")
        assert refused.status_code == 403
        assert "<Message>Invalid Region</Message>" in refused.text
    async with opening(S3_PROTOCOL_ENABLED="false") as off:
        answer = await listed(off, "http://storage.test/s3")
        assert answer.json() == {
            "message": "Route GET:/s3 not found", "error": "Not Found", "statusCode": 404,
        }  # fmt: skip


# ── tokens ─────────────────────────────────────────────────────────────────────────────────────


async def test_tokens_of_a_key_set_are_taken_by_name_and_by_kind(opening: Opening):
    rsa_key, curve = rsa.generate_private_key(65_537, 2048), ec.generate_private_key(ec.SECP256R1())
    edwards = ed25519.Ed25519PrivateKey.generate()
    public: list[dict[str, Any]] = [
        RSAAlgorithm.to_jwk(rsa_key.public_key(), as_dict=True) | {"kid": "r", "alg": "RS256"},
        ECAlgorithm.to_jwk(curve.public_key(), as_dict=True) | {"kid": "e", "alg": "ES256"},
        OKPAlgorithm.to_jwk(edwards.public_key(), as_dict=True) | {"kid": "d", "alg": "EdDSA"},
    ]
    claims = {"role": "service_role"}
    async with opening(JWT_JWKS=json.dumps({"keys": public})) as known:
        for key, algorithm, kid in (
            (rsa_key, "RS256", "r"), (curve, "ES256", "e"), (edwards, "EdDSA", "d"),
        ):  # fmt: skip
            for headers in ({"kid": kid}, {}):
                token = encode(claims, key, algorithm, headers=headers)
                assert (await known.call("GET", "/bucket", token=token)).status_code == 200
        assert (await known.call("GET", "/bucket", token=SERVICE)).status_code == 200
        other = ec.generate_private_key(ec.SECP256R1())
        forged = encode(claims, other, "ES256", headers={"kid": "e"})
        refused = refusal(await known.call("GET", "/bucket", token=forged))
        assert refused[4] == "signature verification failed"
