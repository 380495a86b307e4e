"""Resumable uploads by TUS 1.0 (storage reference 9)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import pytest

from tests.harness_storage import MEMBER, SERVICE, USER, Storage, open_storage, token

START = "/upload/resumable"
BYTES = {"content-type": "application/offset+octet-stream"}


@pytest.fixture(scope="module", autouse=True)
async def buckets(storage: Storage):
    await storage.bucket("b")
    await storage.bucket("small", file_size_limit=10)
    await storage.bucket("pictures", allowed_mime_types=["image/*"])
    await storage.bucket("both", file_size_limit=10, allowed_mime_types=["image/*"])


def metadata(**values: str) -> str:
    return ",".join(f"{k} {base64.b64encode(v.encode()).decode()}" for k, v in values.items())


async def tus(
    storage: Storage, method: str, path: str = START, *, token: str | None = SERVICE, content: Any = b"",
    **headers: str | None,
) -> httpx2.Response:  # fmt: skip
    sent = {"tus-resumable": "1.0.0"} | {
        k.replace("_", "-"): v for k, v in headers.items() if v is not None
    }
    sent = {k: v for k, v in sent.items() if v != "none"}
    return await storage.call(method, path, token=token, content=content, headers=sent)


async def begin(storage: Storage, key: str, length: int, bucket: str = "b", **headers: str) -> str:
    named = metadata(
        bucketName=bucket,
        objectName=key,
        contentType="text/css",
        cacheControl="60",
        metadata='{"k":1}',
    )
    answer = await tus(storage, "POST", upload_length=str(length), upload_metadata=named, **headers)
    assert answer.status_code == 201, answer.text
    assert answer.headers["content-type"] == "text/plain;charset=UTF-8"
    location = answer.headers["location"]
    assert location.startswith("http://storage.test/upload/resumable/")
    return location.removeprefix("http://storage.test")


async def patch(
    storage: Storage, path: str, offset: int, content: bytes, **headers: str
) -> httpx2.Response:
    return await tus(
        storage, "PATCH", path, content=content, upload_offset=str(offset),
        content_type=BYTES["content-type"], **headers,
    )  # fmt: skip


async def test_an_upload_in_parts_is_an_object_at_its_end_alone(storage: Storage):
    data = bytes(range(256)) * 3000
    path = await begin(storage, "a/parts", len(data))
    third = len(data) // 3
    first = await patch(storage, path, 0, data[:third])
    assert (first.status_code, first.headers["upload-offset"]) == (204, str(third))
    assert (await storage.call("GET", "/object/b/a/parts")).json()["code"] == "NoSuchKey"
    head = await tus(storage, "HEAD", path)
    assert (head.status_code, head.headers["upload-offset"], head.headers["upload-length"]) == (
        200, str(third), str(len(data)),
    )  # fmt: skip
    assert head.headers["cache-control"] == "no-store"
    assert head.headers["content-type"] == "text/plain;charset=UTF-8"
    last = await patch(storage, path, third, data[third:])
    assert (last.status_code, last.headers["tus-complete"]) == (204, "1")
    read = await storage.call("GET", "/object/b/a/parts")
    assert hashlib.md5(read.content).digest() == hashlib.md5(data).digest()
    assert read.headers["etag"] == f'"{hashlib.md5(data).hexdigest()}"'
    assert (read.headers["content-type"], read.headers["cache-control"]) == (
        "text/css",
        "max-age=60",
    )
    info = (await storage.call("GET", "/object/info/b/a/parts")).json()
    assert info["metadata"] == {"k": 1}
    again = await tus(storage, "HEAD", path)
    assert again.headers["upload-offset"] == str(len(data))
    assert (await tus(storage, "DELETE", path)).status_code == 409
    assert (await tus(storage, "DELETE", path, x_upsert="true")).status_code == 400


@pytest.mark.parametrize("path", [f"{START}/", f"{START}/sign/", f"{START}/files"])
async def test_an_upload_begins_below_its_address_too(storage: Storage, path: str):
    headers = {"x-upsert": "true"}
    signed = await storage.call("POST", "/object/upload/sign/b/below", headers=headers)
    named = metadata(bucketName="b", objectName="below")
    answer = await tus(
        storage, "POST", path, upload_length="1", upload_metadata=named, x_upsert="true",
        x_signature=signed.json()["token"],
    )  # fmt: skip
    assert answer.status_code == 201, answer.text
    location = answer.headers["location"].removeprefix("http://storage.test")
    assert location.rpartition("/")[0] == (f"{START}/sign" if "sign" in path else START)


async def test_only_the_objects_bytes_are_left_at_the_end(storage: Storage):
    before = len(storage.files())
    path = await begin(storage, "left", 4)
    await patch(storage, path, 0, b"ab")
    await patch(storage, path, 2, b"cd")

    async def is_clean() -> bool:
        return len(storage.files()) == before + 1

    await storage.until(is_clean)
    assert (await storage.call("GET", "/object/b/left")).content == b"abcd"


async def test_one_part_and_none_complete_too(storage: Storage):
    path = await begin(storage, "one", 3)
    await patch(storage, path, 0, b"one")
    read = await storage.call("GET", "/object/b/one")
    assert (read.content, read.headers["etag"]) == (b"one", f'"{hashlib.md5(b"one").hexdigest()}"')
    await begin(storage, "none", 0)
    assert (await storage.call("GET", "/object/b/none")).content == b""


async def test_an_upload_begins_with_its_bytes_and_learns_its_length_later(storage: Storage):
    named = metadata(bucketName="b", objectName="later")
    answer = await tus(
        storage, "POST", upload_defer_length="1", upload_metadata=named, content=b"be", **_typed()
    )
    assert answer.headers["upload-offset"] == "2"
    path = answer.headers["location"].removeprefix("http://storage.test")
    assert (await tus(storage, "HEAD", path)).headers["upload-defer-length"] == "1"
    last = await patch(storage, path, 2, b"gin", upload_length="5")
    assert last.headers["tus-complete"] == "1"
    assert (await storage.call("GET", "/object/b/later")).content == b"begin"


def _typed() -> Mapping[str, str]:
    return {"content_type": BYTES["content-type"]}


NAMED = metadata(bucketName="b", objectName="x")


@pytest.mark.parametrize(
    ("headers", "status", "text"),
    [
        ({"tus_resumable": "none"}, 412, "Tus-Resumable Required"),
        ({"tus_resumable": "0.9"}, 400, "Invalid tus-resumable"),
        ({"upload_length": "x"}, 400, "Invalid upload-length"),
        ({"upload_length": "none"}, 400, "Upload-Length or Upload-Defer-Length header required"),
        ({"upload_length": "none", "upload_defer_length": "2"}, 400, "Invalid upload-defer-length"),
        ({"upload_metadata": "none"}, 400, "Metadata header is required"),
        ({"upload_metadata": "bucketName !"}, 400, "Invalid upload-metadata"),
        ({"upload_metadata": f"{NAMED}, a Yg=="}, 400, "Invalid upload-metadata"),
        ({"upload_metadata": f"{NAMED},bucketName Yg=="}, 400, "Invalid upload-metadata"),
        ({"upload_metadata": metadata(objectName="x")}, 400, "Bucket name invalid"),
        ({"upload_metadata": metadata(bucketName="b")}, 400, "Invalid key: "),
        ({"upload_metadata": metadata(bucketName="b", objectName="../x")}, 400, "Invalid key: ../x"),
        ({"upload_metadata": metadata(bucketName="no", objectName="x")}, 404, "Bucket not found"),
        ({"upload_metadata": metadata(bucketName="small", objectName="x")}, 413, "Maximum size exceeded"),
        (
            {"upload_metadata": metadata(bucketName="pictures", objectName="x", contentType="a/b")},
            415, "mime type a/b is not supported",
        ),
        ({"upload_metadata": metadata(bucketName="both", objectName="x", contentType="a/b")}, 413, "Maximum size exceeded"),
        ({"upload_metadata": f"{NAMED},{metadata(metadata='[1]')}"}, 400, "invalid input syntax for type json"),
        ({"upload_concat": "partial"}, 501, "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client."),
    ],
)  # fmt: skip
async def test_a_beginning_that_is_refused_says_why(
    storage: Storage, headers: dict[str, str], status: int, text: str
):
    answer = await tus(
        storage, "POST", **{"upload_length": "11", "upload_metadata": NAMED, **headers}
    )
    assert (answer.status_code, answer.text.removesuffix("\n")) == (status, text)
    assert answer.headers["content-type"].startswith("text/plain")


async def test_a_part_that_is_refused_changes_nothing(storage: Storage):
    path = await begin(storage, "refused", 5)
    await patch(storage, path, 0, b"12")

    async def refused(
        offset: str | None, content: Any = b"", **headers: str | None
    ) -> tuple[int, str]:
        sent = {"content_type": BYTES["content-type"], "upload_offset": offset, **headers}
        answer = await tus(storage, "PATCH", path, content=content, **sent)
        return answer.status_code, answer.text.removesuffix("\n")

    assert await refused("1", b"x") == (409, "Upload-Offset conflict")
    assert await refused("2", b"3456") == (413, "upload's size exceeded")

    async def chunks() -> AsyncIterator[bytes]:
        yield b"3456"

    assert await refused("2", chunks()) == (413, "Maximum size exceeded")
    assert await refused("x") == (400, "Invalid upload-offset")
    assert await refused(None) == (403, "Upload-Offset header required")
    assert await refused("2", content_type="a/b") == (400, "Invalid content-type")
    assert await refused("2", content_type=None) == (403, "Content-Type header required")
    assert (await tus(storage, "HEAD", path)).headers["upload-offset"] == "2"
    assert (await patch(storage, path, 2, b"")).status_code == 204
    unknown = await tus(storage, "HEAD", f"{START}/AAAA")
    assert unknown.status_code == 400
    other = base64.urlsafe_b64encode(b"b/refused/" + b"0" * 36).decode()
    assert (await tus(storage, "HEAD", f"{START}/{other}")).status_code == 404


async def test_an_upload_is_given_up(storage: Storage):
    before = len(storage.files())
    path = await begin(storage, "ended", 5)
    await patch(storage, path, 0, b"12")
    assert (await tus(storage, "DELETE", path)).status_code == 204
    assert (await tus(storage, "HEAD", path)).status_code == 404

    async def is_clean() -> bool:
        return len(storage.files()) == before

    await storage.until(is_clean)


async def test_rights_are_asked_at_the_beginning_and_at_each_part(storage: Storage):
    named = metadata(bucketName="b", objectName="rights")
    refused = await tus(storage, "POST", upload_length="2", upload_metadata=named, token=MEMBER)
    assert (refused.status_code, refused.text) == (
        403,
        "new row violates row-level security policy",
    )
    typed = metadata(bucketName="pictures", objectName="rights", contentType="a/b")
    refused = await tus(storage, "POST", upload_length="2", upload_metadata=typed, token=MEMBER)
    assert refused.status_code == 403  # before the type is judged
    path = await begin(storage, "rights", 2)
    assert (await tus(storage, "HEAD", path, token=MEMBER)).status_code == 200  # asks nothing
    assert (await tus(storage, "DELETE", path, token=MEMBER)).status_code == 403
    sent = {"upload_offset": "0", "content_type": BYTES["content-type"]}
    for offset in ("0", "1"):
        at = sent | {"upload_offset": offset}
        part = await tus(storage, "PATCH", path, token=MEMBER, content=b"12", **at)
        assert part.status_code == 403, offset
    bad = await tus(storage, "PATCH", path, token="garbage", content=b"12", **sent)
    assert bad.json()["message"] == "Invalid Compact JWS"


async def test_x_upsert_is_said_with_every_part(storage: Storage):
    await storage.put("b/there")
    named = metadata(bucketName="b", objectName="there")
    refused = await tus(storage, "POST", upload_length="2", upload_metadata=named)
    assert (refused.status_code, refused.text) == (409, "The resource already exists")
    path = await begin(storage, "there", 2, x_upsert="true")
    assert (await patch(storage, path, 0, b"12")).status_code == 409
    assert (await patch(storage, path, 0, b"12", x_upsert="true")).status_code == 204
    assert (await storage.call("GET", "/object/b/there")).content == b"12"


async def test_two_writers_at_one_offset_leave_one_of_them(storage: Storage):
    path = await begin(storage, "race", 4)
    import asyncio

    answers = await asyncio.gather(
        *(patch(storage, path, 0, word) for word in (b"aa", b"bb", b"cc"))
    )
    assert sorted(answer.status_code for answer in answers) == [204, 409, 409]
    assert (await tus(storage, "HEAD", path)).headers["upload-offset"] == "2"


async def test_a_signed_upload_needs_its_token_on_every_call(storage: Storage):
    made = (await storage.call("POST", "/object/upload/sign/b/tus-signed")).json()["token"]
    named = metadata(bucketName="b", objectName="tus-signed")
    sign = f"{START}/sign"
    missing = await tus(storage, "POST", sign, token=None, upload_length="2", upload_metadata=named)
    assert (missing.status_code, missing.text) == (400, "Missing x-signature header")
    begun = await tus(
        storage,
        "POST",
        sign,
        token=None,
        upload_length="2",
        upload_metadata=named,
        x_signature=made,
    )
    path = begun.headers["location"].removeprefix("http://storage.test")
    assert path.startswith(f"{sign}/")
    sent = {"upload_offset": "0", "content_type": BYTES["content-type"], "x_signature": made}
    assert (await tus(storage, "PATCH", path, token=None, content=b"ok", **sent)).status_code == 204
    other = metadata(bucketName="b", objectName="tus-other")
    refused = await tus(
        storage,
        "POST",
        sign,
        token=None,
        upload_length="2",
        upload_metadata=other,
        x_signature=made,
    )
    assert refused.text == "Invalid signature"


async def test_a_last_part_before_a_crash_is_completed_when_it_is_asked_after(storage: Storage):
    path = await begin(storage, "crash", 4)
    await patch(storage, path, 0, b"ab")
    await patch(storage, path, 2, b"cd")
    await storage.call("DELETE", "/object/b/crash")
    path = await begin(storage, "crash", 4)
    await patch(storage, path, 0, b"abc")
    version = base64.urlsafe_b64decode(path.rpartition("/")[2] + "==").decode().rpartition("/")[2]
    # As a process leaves it that is killed between the last bytes and the object's row
    await storage.run(
        f"update storage_compat.tus_uploads set length = 3 where version = '{version}'"
    )
    assert (await tus(storage, "HEAD", path)).headers["upload-offset"] == "3"
    assert (await storage.call("GET", "/object/b/crash")).content == b"abc"


async def test_what_a_server_can_do_is_told_to_any_origin(storage: Storage):
    answer = await storage.call("OPTIONS", START, token=None)
    assert (answer.status_code, answer.headers["tus-version"]) == (204, "1.0.0")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["tus-extension"] == (
        "creation,creation-with-upload,creation-defer-length,termination,expiration"
    )
    assert answer.headers["tus-max-size"] == "52428800"
    below = await storage.call("OPTIONS", f"{START}/sign/any", token=None)
    assert below.status_code == 204


async def test_a_part_may_not_hide_behind_another_method_and_sums_are_not_read(storage: Storage):
    path = await begin(storage, "hidden", 2)
    hidden = await tus(
        storage, "POST", path, content=b"12", upload_offset="0", x_http_method_override="PATCH",
        content_type=BYTES["content-type"],
    )  # fmt: skip
    assert hidden.text == "Upload-Length or Upload-Defer-Length header required\n"
    part = await patch(storage, path, 0, b"12", upload_checksum="sha1 bm9uZQ==")
    assert part.status_code == 204


async def test_how_long_an_upload_lives_and_where_it_is_are_settings(
    storage: Storage, server, services_database, tmp_path
):
    url = server.url(services_database, "supabase_storage_admin")
    settings = {
        "TUS_URL_EXPIRY_MS": "120000", "TUS_URL_PATH": "/resumable",
        "REQUEST_ALLOW_X_FORWARDED_PATH": "true",
    }  # fmt: skip
    async with open_storage(url, storage.url, tmp_path, **settings) as other:
        before = datetime.now(UTC).replace(microsecond=0)
        answer = await tus(
            other, "POST", upload_length="2", upload_metadata=NAMED,
            x_forwarded_prefix="/storage/v1/",
        )  # fmt: skip
    assert answer.headers["location"].startswith("http://storage.test/storage/v1/resumable/")
    until = parsedate_to_datetime(answer.headers["upload-expires"])
    assert before <= until - timedelta(seconds=120) <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("sent", "stored"), [("5", "max-age=5"), ("max-age=5", "no-cache"), ("", "no-cache")]
)
async def test_caching_is_a_number_of_seconds_or_none(storage: Storage, sent: str, stored: str):
    named = metadata(bucketName="b", objectName="cached", cacheControl=sent)
    answer = await tus(storage, "POST", upload_length="0", upload_metadata=named, x_upsert="true")
    assert answer.status_code == 201, answer.text
    assert (await storage.call("GET", "/object/b/cached")).headers["cache-control"] == stored


async def test_an_upload_expires_and_a_day_later_its_bytes_go(storage: Storage):
    path = await begin(storage, "late", 4)
    await patch(storage, path, 0, b"la")
    [part] = await storage.rows(
        "select p.version from storage_compat.tus_parts p"
        " join storage_compat.tus_uploads u on u.version = p.upload where u.key = 'late'"
    )
    late = "update storage_compat.tus_uploads set expires_at = now() - interval '{}' where key = 'late'"
    await storage.run(late.format("1 minute"))
    assert (await tus(storage, "HEAD", path)).status_code == 410
    assert (await patch(storage, path, 2, b"te")).status_code == 410
    await storage.put("b/kept")  # and with it the garbage collector wakes
    assert part["version"] in {file.name for file in storage.files()}
    await storage.run(late.format("25 hours"))
    await storage.put("b/kept")

    async def is_gone() -> bool:  # the row goes once the bytes are gone
        return (await tus(storage, "HEAD", path)).status_code == 404

    await storage.until(is_gone)
    assert part["version"] not in {file.name for file in storage.files()}


async def test_more_parts_than_the_limit_are_refused(
    storage: Storage, server, services_database, tmp_path
):
    url = server.url(services_database, "supabase_storage_admin")
    async with open_storage(url, storage.url, tmp_path, TUS_MAX_PARTS="2") as small:
        path = await begin(small, "many", 4)
        for offset in (0, 1):
            await patch(small, path, offset, b"x")
        refused = await patch(small, path, 2, b"x")
        assert (refused.status_code, refused.text) == (400, "The upload has more than 2 parts\n")
        assert (await tus(small, "HEAD", path)).headers["upload-offset"] == "2"


async def test_the_address_of_an_upload_is_the_clients(
    storage: Storage, server, services_database, tmp_path
):
    named = metadata(bucketName="b", objectName="where")
    forwarded = {
        "x_forwarded_proto": "https",
        "x_forwarded_host": "files.example",
        "x_forwarded_port": "8443",
    }
    answer = await tus(storage, "POST", upload_length="2", upload_metadata=named, **forwarded)
    assert answer.headers["location"].startswith("https://files.example:8443/upload/resumable/")
    url = server.url(services_database, "supabase_storage_admin")
    public = "https://a.example/storage/v1"
    async with open_storage(url, storage.url, tmp_path, STORAGE_PUBLIC_URL=public) as known:
        answer = await tus(known, "POST", upload_length="2", upload_metadata=named, **forwarded)
        assert answer.headers["location"].startswith(f"{public}/upload/resumable/")


async def test_a_page_of_any_origin_reads_the_answers(storage: Storage):
    path = await begin(storage, "cors", 3)
    answers = [
        await tus(storage, "HEAD", path),
        await patch(storage, path, 0, b"one"),
        await tus(storage, "HEAD", "/upload/resumable/nothing"),
        await tus(storage, "POST"),
    ]
    assert [answer.status_code for answer in answers] == [200, 204, 400, 400]
    assert {answer.headers["access-control-allow-origin"] for answer in answers} == {"*"}
    assert all(
        "Upload-Offset" in answer.headers["access-control-expose-headers"] for answer in answers
    )


async def test_an_upload_belongs_to_whom_began_it_and_takes_over_no_metadata(storage: Storage):
    path = await begin(storage, "owned", 3)
    nobody = {"token": token("service_role"), "upload_offset": "0", "x_upsert": "true"}
    sent = BYTES["content-type"]
    done = await tus(storage, "PATCH", path, content=b"one", content_type=sent, **nobody)
    assert done.status_code == 204, done.text
    query = "select owner_id, user_metadata from storage.objects where name = 'owned'"
    assert await storage.rows(query) == [{"owner_id": USER, "user_metadata": '{"k": 1}'}]
    plain = metadata(bucketName="b", objectName="owned")
    over = await tus(
        storage, "POST", upload_length="1", upload_metadata=plain, x_upsert="true", content=b"2",
        content_type=sent,
    )  # fmt: skip
    assert over.status_code == 201, over.text
    assert (await storage.rows(query))[0]["user_metadata"] is None
