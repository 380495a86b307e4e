"""Uploads and downloads over HTTP (storage reference 4 and 5)."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os

import pytest

from tests.harness_storage import ANON, MEMBER, Storage, refusal

NO_KEY = (400, "404", "not_found", "NoSuchKey", "Object not found")


@pytest.fixture(scope="module", autouse=True)
async def buckets(storage: Storage):
    await storage.bucket("open", public=True)
    await storage.bucket("shut")
    await storage.bucket("small", file_size_limit=10)
    await storage.bucket("pictures", allowed_mime_types=["image/*"])


async def test_an_upload_is_read_back_with_its_headers(storage: Storage):
    headers = {"content-type": "text/css; charset=utf-8", "cache-control": "max-age=60"}
    answer = await storage.call(
        "POST", "/object/shut/a/b c.css", content=b"body {}", headers=headers
    )
    assert answer.json()["Key"] == "shut/a/b c.css"
    read = await storage.call("GET", "/object/authenticated/shut/a/b%20c.css")
    assert (read.status_code, read.content) == (200, b"body {}")
    etag = f'"{hashlib.md5(b"body {}").hexdigest()}"'
    assert {
        name: read.headers[name]
        for name in ("content-type", "cache-control", "etag", "accept-ranges", "x-robots-tag", "content-length")
    } == {
        "content-type": "text/css; charset=utf-8", "cache-control": "max-age=60", "etag": etag,
        "accept-ranges": "bytes", "x-robots-tag": "none", "content-length": "7",
    }  # fmt: skip


async def test_a_new_upload_over_an_existing_key_is_a_duplicate(storage: Storage):
    await storage.put("shut/dup")
    answer = await storage.call("POST", "/object/shut/dup", content=b"2")
    assert refusal(answer) == (
        400,
        "409",
        "Duplicate",
        "KeyAlreadyExists",
        "The resource already exists",
    )
    assert (await storage.call("GET", "/object/shut/dup")).content == b"hello"


async def test_an_upsert_keeps_the_id_and_drops_the_old_bytes(storage: Storage):
    first = await storage.put("shut/same", b"one", headers={"x-metadata": _base64({"a": 1})})
    before = await storage.rows("select * from storage.objects where name = 'same'")
    second = await storage.call("PUT", "/object/shut/same", content=b"two")
    after = await storage.rows("select * from storage.objects where name = 'same'")
    assert first.json()["Id"] == second.json()["Id"]
    assert before[0]["version"] != after[0]["version"]
    assert json.loads(before[0]["user_metadata"]) == {"a": 1}
    assert json.loads(after[0]["user_metadata"]) == {}
    await _gone(storage, before[0]["version"])


async def test_a_form_is_read_with_its_fields(storage: Storage):
    form = {"cacheControl": "99", "metadata": '{"k": "v"}'}
    files = {"": ("x.png", b"picture", "image/png")}
    answer = await storage.call("POST", "/object/shut/form.png", data=form, files=files)
    assert answer.json()["Key"] == "shut/form.png"
    info = (await storage.call("GET", "/object/info/shut/form.png")).json()
    assert (info["content_type"], info["cache_control"]) == ("image/png", "max-age=99")
    assert (info["size"], info["metadata"]) == (7, {"k": "v"})


async def test_fields_behind_a_small_file_count_too(storage: Storage):
    body = (
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nDATA\r\n'
        b'--b\r\nContent-Disposition: form-data; name="cacheControl"\r\n\r\n7\r\n'
        b'--b\r\nContent-Disposition: form-data; name="g"; filename="b"\r\n\r\nOTHER\r\n--b--\r\n'
    )
    headers = {"content-type": "multipart/form-data; boundary=b"}
    await storage.call("POST", "/object/shut/late", content=body, headers=headers)
    read = await storage.call("GET", "/object/shut/late")
    assert (read.content, read.headers["cache-control"]) == (b"DATA", "max-age=7")


async def test_what_a_form_says_behind_its_file_is_judged_as_what_it_says_before(storage: Storage):
    await storage.bucket("typed", allowed_mime_types=["image/png"])

    def form(kind: bytes) -> bytes:
        return (
            b'--b\r\nContent-Disposition: form-data; name=""; filename="a"\r\n'
            b"Content-Type: image/png\r\n\r\n" + bytes(200_000) + b"\r\n"
            b'--b\r\nContent-Disposition: form-data; name="contentType"\r\n\r\n'
            + kind
            + b"\r\n--b--\r\n"
        )

    headers = {"content-type": "multipart/form-data; boundary=b", "x-upsert": "true"}
    for kind in (b"image/svg+xml", b"image/png"):
        answer = await storage.call("POST", "/object/typed/p", content=form(kind), headers=headers)
        if kind == b"image/png":
            assert answer.status_code == 200
        else:
            assert refusal(answer)[1] == "415"
            assert await storage.rows("select from storage.objects where name = 'p'") == []


@pytest.mark.parametrize(
    ("body", "content_type", "message"),
    [
        (b"--b--\r\n", "multipart/form-data; boundary=b", "No content provided"),
        (b"x", "multipart/form-data", "Multipart: Boundary not found"),
        (
            b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nDA',
            "multipart/form-data; boundary=b",
            "Unexpected end of multipart data",
        ),
    ],
)
async def test_a_form_without_a_whole_file_is_refused(
    storage: Storage, body: bytes, content_type: str, message: str
):
    answer = await storage.call(
        "POST", "/object/shut/cut", content=body, headers={"content-type": content_type}
    )
    assert refusal(answer)[3:] == ("InvalidRequest", message)
    assert await storage.rows("select from storage.objects where name = 'cut'") == []


@pytest.mark.parametrize(
    "key", ["a%00b", "../x", "a/../b", "a/./b", "caf%C3%A9", "a%23b", "a%25b", "%22", "", "a%5Cb"]
)
async def test_a_key_of_other_characters_is_refused(storage: Storage, key: str):
    # httpx would take dots out of the path: what is sent is what a hostile client sends.
    answer = await storage.call("POST", f"/object/shut/{key.replace('.', '%2E')}", content=b"x")
    assert answer.status_code == 400
    assert answer.json()["code"] in {"InvalidKey", "FST_ERR_BAD_URL"}


async def test_every_character_of_a_key_comes_back(storage: Storage):
    key = "a//b_!.*'() &$=@;:+,?-/"
    await storage.put(f"shut/{key.replace('?', '%3F')}", b"odd")
    assert (await storage.call("GET", "/object/shut/a//b_!.*'()%20&$=@;:+,%3F-/")).content == b"odd"


async def test_a_limit_stops_raw_chunked_and_form_uploads(storage: Storage):
    async def chunks():
        for _ in range(20):
            yield b"x"

    large = (
        400,
        "413",
        "Payload too large",
        "EntityTooLarge",
        "The object exceeded the maximum allowed size",
    )
    assert refusal(await storage.call("POST", "/object/small/a", content=b"x" * 11)) == large
    assert refusal(await storage.call("POST", "/object/small/a", content=chunks())) == large
    files = {"": ("x", b"x" * 11, "text/plain")}
    assert refusal(await storage.call("POST", "/object/small/a", files=files)) == large
    assert (await storage.call("POST", "/object/small/a", content=b"x" * 10)).status_code == 200


async def test_a_bucket_takes_the_types_it_names(storage: Storage):
    refused = await storage.call(
        "POST", "/object/pictures/a", content=b"x", headers={"content-type": "text/plain"}
    )
    assert refusal(refused) == (
        400, "415", "invalid_mime_type", "InvalidMimeType", "mime type text/plain is not supported",
    )  # fmt: skip
    await storage.put("pictures/a", mime="image/png")
    placeholder = "pictures/x/.emptyFolderPlaceholder"
    await storage.put(placeholder, b"", "application/json")
    filled = await storage.call("POST", f"/object/{placeholder}2", content=b"")
    assert filled.json()["code"] == "InvalidMimeType"


@pytest.mark.parametrize("content_type", ["foo", "image/", "a b/c"])
async def test_a_malformed_content_type_is_refused_first(storage: Storage, content_type: str):
    answer = await storage.call(
        "POST",
        "/object/nowhere/x",
        content=b"x",
        headers={"content-type": content_type},
        token=None,
    )
    assert refusal(answer)[1:] == (
        "415",
        "invalid_mime_type",
        "InvalidMimeType",
        "Invalid Content-Type header",
    )


async def test_a_page_is_served_as_text(storage: Storage):
    await storage.put("open/p.html", b"<script>1</script>", "text/html; charset=utf-8")
    read = await storage.call("GET", "/object/public/open/p.html", token=None)
    assert (read.headers["content-type"], read.headers["x-robots-tag"]) == ("text/plain", "none")


async def test_a_robots_rule_is_checked_and_sent(storage: Storage):
    await storage.put("open/r", headers={"x-robots-tag": "googlebot: noindex, max-snippet: 5"})
    read = await storage.call("GET", "/object/public/open/r", token=None)
    assert read.headers["x-robots-tag"] == "googlebot: noindex, max-snippet: 5"
    refused = await storage.call(
        "POST", "/object/open/r2", content=b"", headers={"x-robots-tag": "maybe"}
    )
    assert refusal(refused)[2:4] == ("invalid_x_robots_tag", "InvalidRequest")
    refused = await storage.call(
        "POST", "/object/open/r2", content=b"", headers={"x-robots-tag": "noindex, , none"}
    )
    assert refusal(refused)[4] == (
        "Invalid X-Robots-Tag header: X-Robots-Tag header contains empty rule"
    )


@pytest.mark.parametrize(
    ("span", "status", "content", "placed"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=-2", 206, b"89", "bytes 8-9/10"),
        ("bytes=5-99", 206, b"56789", "bytes 5-9/10"),
        ("bytes=-99", 206, b"0123456789", "bytes 0-9/10"),
    ],
)
async def test_a_range_is_a_part(
    storage: Storage, span: str, status: int, content: bytes, placed: str
):
    await storage.put("open/ten", b"0123456789")
    read = await storage.call("GET", "/object/public/open/ten", token=None, headers={"range": span})
    assert (read.status_code, read.content, read.headers["content-range"]) == (
        status,
        content,
        placed,
    )


@pytest.mark.parametrize(
    "span", ["bytes=10-", "bytes=5-4", "bytes=-0", "bytes=0-1,3-4", "items=0-1", "bytes=-"]
)
async def test_every_odd_range_is_416(storage: Storage, span: str):
    await storage.put("open/ten", b"0123456789")
    read = await storage.call("GET", "/object/public/open/ten", token=None, headers={"range": span})
    assert refusal(read) == (416, "416", "invalid_range", "InvalidRange", "invalid range provided")


async def test_conditions_are_judged_as_the_original_does(storage: Storage):
    await storage.put("open/c", b"tagged")
    url = "/object/public/open/c"
    read = await storage.call("GET", url, token=None)
    tag, modified = read.headers["etag"], read.headers["last-modified"]

    async def status(**headers: str) -> int:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return (await storage.call("GET", url, token=None, headers=sent)).status_code

    assert await status(if_none_match=tag) == 304
    assert await status(if_none_match=f"W/{tag}") == 200
    assert await status(if_none_match="*") == 200
    assert await status(if_modified_since=modified) == 304
    assert await status(if_modified_since="never") == 200
    assert await status(if_none_match='"other"', if_modified_since=modified) == 304
    head = await storage.call("HEAD", url, token=None, headers={"if-none-match": tag})
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", "6")


async def test_a_download_is_saved_under_a_name(storage: Storage):
    await storage.put("open/d")

    async def saved(query: str) -> str | None:
        read = await storage.call("GET", f"/object/public/open/d{query}", token=None)
        return read.headers.get("content-disposition")

    assert await saved("") is None
    assert await saved("?download") == "attachment;"
    name = "a%20%C3%A9%22.txt"
    assert (
        await saved(f"?download={name}") == f"attachment; filename={name}; filename*=UTF-8''{name}"
    )
    twice = await storage.call("GET", "/object/public/open/d?download=a&download=b", token=None)
    assert refusal(twice)[4] == "querystring/download must be string"


async def test_who_may_read_what(storage: Storage):
    await storage.put("open/r1")
    await storage.put("shut/r1")

    async def read(path: str, token: str | None = None) -> tuple[int, str]:
        answer = await storage.call("GET", f"/object/{path}", token=token)
        is_json = answer.headers["content-type"].startswith("application/json")
        return answer.status_code, answer.json()["code"] if is_json else ""

    assert await read("public/open/r1") == (200, "")
    assert await read("public/shut/r1") == (400, "NoSuchBucket")
    assert await read("public/none/r1") == (400, "NoSuchBucket")
    assert await read("open/r1") == (200, "")
    assert await read("shut/r1") == (400, "NoSuchBucket")
    assert await read("shut/r1", "garbage") == (400, "NoSuchBucket")
    assert await read("open/r1", "garbage") == (200, "")
    assert await read("authenticated/open/r1") == (400, "InvalidRequest")
    assert await read("authenticated/open/r1", ANON) == (200, "")
    assert await read("authenticated/shut/r1", MEMBER) == (400, "NoSuchKey")
    assert await read("authenticated/shut/r1") == (400, "InvalidRequest")


async def test_a_missing_object_is_http_400_with_its_own_404(storage: Storage):
    assert refusal(await storage.call("GET", "/object/shut/none")) == NO_KEY
    head = await storage.call("HEAD", "/object/shut/none")
    assert (head.status_code, head.content) == (400, b"")


async def test_a_row_without_its_file_is_an_error_and_no_hang(storage: Storage):
    await storage.put("open/lost", b"lost")
    [row] = await storage.rows("select version from storage.objects where name = 'lost'")
    _file(storage, row["version"]).unlink()
    read = await storage.call("GET", "/object/public/open/lost", token=None)
    assert (read.status_code, read.json()["code"]) == (500, "InternalError")


async def test_a_version_out_of_sql_never_becomes_a_path(storage: Storage):
    await storage.put("open/trap")
    await storage.run(
        "update storage.objects set version = '../../../../etc/passwd' where name = 'trap'"
    )
    read = await storage.call("GET", "/object/public/open/trap", token=None)
    assert (read.status_code, read.json()["code"]) == (500, "InternalError")


async def test_a_large_object_comes_back_whole(storage: Storage):
    data = bytes(range(256)) * 8192
    await storage.put("open/large", data)
    read = await storage.call("GET", "/object/public/open/large", token=None)
    assert hashlib.sha256(read.content).digest() == hashlib.sha256(data).digest()


async def test_a_copy_is_written_where_a_file_can_have_no_further_name(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
):
    def no_link(*_: object) -> None:
        raise OSError(errno.EMLINK, "Too many links")

    await storage.put("shut/many-names", bytes(300_000))
    monkeypatch.setattr(os, "link", no_link)
    body = {"bucketId": "shut", "sourceKey": "many-names", "destinationKey": "one-more"}
    assert (await storage.call("POST", "/object/copy", json=body)).status_code == 200
    assert (await storage.call("GET", "/object/shut/one-more")).content == bytes(300_000)


async def test_names_of_files_are_the_services_own(storage: Storage):
    await storage.put("shut/secret-name.txt")
    assert not any("secret" in path.name for path in storage.files())


@pytest.mark.parametrize(
    ("metadata", "kept"),
    [("!!", {}), ("bnVsbA==", {}), ("MQ==", {}), ("e30=", {})],
)
async def test_metadata_that_is_no_object_is_empty(storage: Storage, metadata: str, kept: object):
    await storage.put("shut/meta", headers={"x-metadata": metadata})
    info = (await storage.call("GET", "/object/info/shut/meta")).json()
    assert info["metadata"] == kept


async def test_metadata_that_is_a_list_or_text_is_refused(storage: Storage):
    for value in ([1], "text"):
        headers = {"x-metadata": _base64(value)}
        answer = await storage.call("POST", "/object/shut/m2", content=b"", headers=headers)
        assert refusal(answer)[3:] == ("InvalidParameter", "invalid input syntax for type json")


def _base64(value: object) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def _file(storage: Storage, version: str):
    return storage.folder / "stub" / version[:2] / version


async def _gone(storage: Storage, version: str) -> None:
    """The old bytes are removed a moment after the answer."""

    async def is_gone() -> bool:
        return not _file(storage, version).exists()

    await storage.until(is_gone)


async def test_a_files_type_in_a_form_has_no_charset(storage: Storage):
    await storage.bucket("plain-files", allowed_mime_types=["text/plain"])
    files = {"": ("f.txt", b"x", "Text/Plain; charset=utf-8")}
    answer = await storage.call("POST", "/object/plain-files/f.txt", files=files)
    assert answer.status_code == 200, answer.text
    info = await storage.call("GET", "/object/info/plain-files/f.txt")
    assert info.json()["content_type"] == "text/plain"
