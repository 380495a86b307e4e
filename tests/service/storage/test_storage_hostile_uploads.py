"""Bodies, names and headers that no honest client sends: each a refusal, none a server error."""

from __future__ import annotations

import asyncio
import base64
import sys
from itertools import product
from time import thread_time

import pytest

from compat_base.values import jwt
from tests.harness_storage import ANON, SECRET, Storage, refusal

TUS = {"tus-resumable": "1.0.0"}
UNNAMED = b'content-disposition: form-data; name=""'
CHUNK = {"content-type": "application/offset+octet-stream"}
NUMBERS = ("-1", "1e3", "9" * 5000, "٣", "²", "0x1", " ", "0,0", "9223372036854775808", "NaN")
UNSTORABLE = ('{"a":"\\u0000"}', '{"a\\u0000":1}', '{"a":"\\ud800"}')
ODD = ('{"a":1e999}', '{"a":NaN}', "[" * 100_000, '{"a":' + "9" * 6000 + "}", "nul")
KEYS = (
    "%2e%2e%2fx", "..%2f..%2fx", "a%00b", "%ff", "%c3%28", "%ed%a0%80",
    "x" * 3000, "e%CC%81", "%C3%A9", "%E2%80%AE", "a%0ab", "a%0d%0aset-cookie:x", "%", "%zz",
    "C:%5Cx", "a%7f",
)  # fmt: skip


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def described(**pairs: str) -> str:
    return ",".join(f"{name} {encoded(text)}" for name, text in pairs.items())


async def names_of(storage: Storage, bucket: str) -> list[str]:
    rows = await storage.rows("select name from storage.objects where bucket_id = $1", bucket)
    return sorted(row["name"] for row in rows)


@pytest.fixture
async def bucket(storage: Storage) -> str:
    await storage.call("POST", "/bucket", json={"name": "b", "public": True})
    await storage.put("b/o")
    return "b"


@pytest.mark.parametrize("number", NUMBERS)
async def test_lengths_and_offsets_that_are_no_numbers(storage: Storage, bucket: str, number: str):
    metadata = {"upload-metadata": described(bucketName=bucket, objectName="t")}
    sent = number.encode()
    begun = await storage.call(
        "POST", "/upload/resumable", headers=TUS | metadata | {"upload-length": sent}
    )
    assert 400 <= begun.status_code < 500, begun.text
    made = await storage.call(
        "POST", "/upload/resumable", headers=TUS | metadata | {"upload-defer-length": "1"}
    )
    location = made.headers["location"]
    for headers in ({"upload-offset": sent}, {"upload-offset": "0", "upload-length": sent}):
        answer = await storage.call(
            "PATCH", location, headers=TUS | CHUNK | headers, content=b"abc"
        )
        assert 400 <= answer.status_code < 500, (headers, answer.text)
    head = await storage.call("HEAD", location, headers=TUS)
    assert head.headers["upload-offset"] == "0"


@pytest.mark.parametrize("text", [*UNSTORABLE, *ODD])
async def test_metadata_that_no_row_can_hold(storage: Storage, bucket: str, text: str):
    header = {"x-upsert": "true", "x-metadata": encoded(text)}
    copy = {
        "bucketId": bucket, "sourceKey": "o", "destinationKey": "c", "copyMetadata": False,
    }  # fmt: skip
    answers = [
        await storage.call("POST", "/object/b/m", content=b"x", headers=header),
        await storage.call("POST", "/object/upload/sign/b/m", headers=header),
        await storage.call("POST", "/object/copy", json=copy, headers=header),
        await storage.call(
            "POST", "/object/b/m", data={"metadata": text}, files={"": ("x", b"x", "text/plain")},
            headers={"x-upsert": "true"},
        ),
    ]  # fmt: skip
    for answer in answers:
        assert answer.status_code < 500, answer.text
        if text in UNSTORABLE:
            assert answer.json()["code"] == "InvalidParameter"
    upload_metadata = described(bucketName=bucket, objectName="t", metadata=text)
    begun = await storage.call(
        "POST", "/upload/resumable",
        headers=TUS | {"upload-length": "0", "x-upsert": "true", "upload-metadata": upload_metadata},
    )  # fmt: skip
    assert begun.status_code < 500, begun.text


@pytest.mark.parametrize("key", KEYS)
async def test_names_that_are_tricks(storage: Storage, bucket: str, key: str):
    before = await names_of(storage, bucket)
    for method in ("POST", "PUT", "GET", "HEAD", "DELETE"):
        content = b"x" if method in {"POST", "PUT"} else None
        answer = await storage.call(method, f"/object/{bucket}/{key}", content=content)
        assert 400 <= answer.status_code < 500, (method, answer.text)
    for path in (f"/object/info/{bucket}/{key}", f"/render/image/public/{bucket}/{key}?width=5"):
        assert 400 <= (await storage.call("GET", path)).status_code < 500
    assert await names_of(storage, bucket) == before


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--x",
        b"--x--",
        b"--x\r\n\r\n",
        b"--x\r\n" + b"a: b\r\n" * 20_000 + b"\r\nx\r\n--x--",
        b'--x\r\ncontent-disposition: form-data; name="' + b"a" * 100_000 + b'"\r\n\r\nx\r\n--x--',
        b'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n'
        + b"v" * 2_000_000
        + b"\r\n--x--",
        b"--x\r\ncontent-disposition: form-data; name=a\r\n\r\nv\r\n" * 5000 + b"--x--",
        b"-" * 300_000,
        b'--x\r\ncontent-disposition: form-data; name=""; filename="f"\r\n\r\nhalf',
        b'--x\r\n%b; filename="f"\r\ncontent-type: a/b\0\r\n\r\nx\r\n--x--' % UNNAMED,
    ],
)
async def test_forms_that_are_malformed(storage: Storage, bucket: str, body: bytes):
    headers = {"content-type": "multipart/form-data; boundary=x"}
    answer = await storage.call("POST", f"/object/{bucket}/form", content=body, headers=headers)
    assert answer.status_code == 400, answer.text
    assert (await storage.call("GET", f"/object/{bucket}/form")).status_code == 400


@pytest.mark.parametrize("boundary", ["", "x" * 300, '"' + "x" * 300 + '"', "é"])
async def test_boundaries_that_no_parser_takes(storage: Storage, bucket: str, boundary: str):
    content_type = f"multipart/form-data; boundary={boundary}".encode()
    answer = await storage.call(
        "POST", f"/object/{bucket}/form", content=b"x", headers={"content-type": content_type}
    )
    assert answer.status_code == 400, answer.text


async def test_a_file_of_a_form_may_have_any_name(storage: Storage, bucket: str):
    answer = await storage.call(
        "POST", f"/object/{bucket}/named", files={"": ("日本 é.txt", b"named", "text/plain")}
    )
    assert answer.status_code == 200, answer.text
    assert (await storage.call("GET", f"/object/{bucket}/named")).content == b"named"


@pytest.mark.parametrize(
    "text",
    [
        "bytes=0-0,1-1",
        "bytes=-",
        "bytes=-0",
        "bytes=" + "9" * 5000 + "-",
        "bytes=0-1" + ",2-3" * 3000,
    ],
)
async def test_ranges_that_are_lists_or_nothing(storage: Storage, bucket: str, text: str):
    answer = await storage.call("GET", f"/object/{bucket}/o", headers={"range": text})
    assert answer.status_code == 416


@pytest.mark.parametrize(
    "claims",
    [
        {"url": "b/other", "scope": "download"},
        {"url": "b2/o", "scope": "download"},
        {"url": "b/o", "scope": "upload"},
        {"url": "b/o", "exp": 1},
        {"url": "b/o", "nbf": 10**10},
        {"url": ["b/o"]},
        {"url": 5},
        {"scope": "download"},
    ],
)
async def test_a_token_of_another_object_method_or_time(
    storage: Storage, bucket: str, claims: dict[str, object]
):
    token = jwt.sign(claims, jwt.secret_key(SECRET))
    for path, method in product(("/object/sign", "/render/image/sign"), ("GET", "HEAD")):
        answer = await storage.call(method, f"{path}/{bucket}/o?token={token}", token=None)
        assert answer.status_code == 400, (path, method, answer.text)
    if claims.get("scope") != "upload":
        upload = f"/object/upload/sign/{bucket}/o?token={token}"
        refused = await storage.call("PUT", upload, token=None, content=b"x")
        assert refused.status_code == 400
    assert (await storage.call("GET", f"/object/{bucket}/o")).content == b"hello"


async def test_an_anonymous_caller_lists_nothing(storage: Storage, bucket: str):
    for path, body in (
        (f"/object/list/{bucket}", {"prefix": ""}),
        (f"/object/list-v2/{bucket}", {"prefix": ""}),
    ):
        answer = await storage.call("POST", path, json=body, token=ANON)
        found = answer.json()
        assert (found if isinstance(found, list) else found["objects"]) == []
        assert (await storage.call("POST", path, json=body, token=None)).status_code == 400
    assert (await storage.call("GET", "/bucket", token=ANON)).json() == []


@pytest.mark.parametrize("item", ["1", "null", "1.5", '"\\ud83d\\ude00"'])
async def test_a_long_list_of_names_leaves_the_event_loop_to_others(
    storage: Storage, bucket: str, item: str
):
    """It took half a second at once; by the processor's time, which others do not add to."""
    body = '{"prefixes":[' + ",".join([item] * (1_000_000 // (len(item) + 1))) + "]}"
    longest, began, is_done = 0.0, thread_time(), False

    async def watch() -> None:
        nonlocal longest, began
        while not is_done:
            longest, began = max(longest, thread_time() - began), thread_time()
            await asyncio.sleep(0)

    watching = asyncio.create_task(watch())
    answer = await storage.call(
        "DELETE", f"/object/{bucket}", content=body, headers={"content-type": "application/json"}
    )
    is_done = True
    await watching
    assert (answer.status_code, answer.json()) == (200, [])
    assert longest < 0.15


async def test_bodies_of_very_many_lists_and_types_are_refused(storage: Storage, bucket: str):
    json = {"content-type": "application/json"}
    answer = await storage.call(
        "DELETE", f"/object/{bucket}", content='{"prefixes":[' + "[1]," * 50_000 + "1]}",
        headers=json,
    )  # fmt: skip
    assert answer.json()["statusCode"] == "413"
    answer = await storage.call(
        "PUT", f"/bucket/{bucket}", json={"allowed_mime_types": ["a/b"] * 1001}
    )
    assert "must NOT have more than 1000 items" in answer.json()["message"]


async def test_a_body_with_nul_characters_is_refused(storage: Storage, bucket: str):
    for method, path, body in (
        ("POST", "/bucket", {"name": "nul\0"}),
        ("POST", f"/object/list/{bucket}", {"prefix": "", "search": "\0"}),
        ("DELETE", f"/object/{bucket}", {"prefixes": ["a\0b"]}),
        ("POST", "/object/move", {"bucketId": bucket, "sourceKey": "\0", "destinationKey": "b"}),
    ):
        answer = await storage.call(method, path, json=body)
        assert refusal(answer)[4] == "body must not have NUL characters", path


async def test_a_long_body_is_decoded_beside_the_event_loop(storage: Storage, bucket: str):
    called = set[str]()
    sys.setprofile(lambda frame, _event, _argument: called.add(frame.f_code.co_name))
    try:
        body = {"prefix": "", "more": [1e-323] * 12_000}
        answer = await storage.call("POST", f"/object/list/{bucket}", json=body)
    finally:
        sys.setprofile(None)
    assert answer.status_code == 200
    assert "json_body" in called
    assert "_finite" not in called  # which reads each number


async def test_a_path_with_nul_characters_is_no_key(storage: Storage, bucket: str):
    for path in ("/object/{}", "/object/public/{}", "/object/info/{}", "/object/authenticated/{}"):
        answer = await storage.call("GET", path.format(f"{bucket}/a%00b"))
        assert refusal(answer)[3:] == ("InvalidKey", "Invalid key: a\0b"), path
        answer = await storage.call("GET", path.format("a%00b/key"))
        code = "InvalidBucketName" if path == "/object/public/{}" else "NoSuchBucket"
        assert refusal(answer)[3] == code, path
    path = f"/object/sign/{bucket}/a%00b"
    assert refusal(await storage.call("POST", path, json={"expiresIn": 60}))[3] == "InvalidKey"
