"""What is read of an object, its headers and its information (storage reference 4.12, 5)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import AsyncIterator

import pytest

from compat_base.values import jsontext, jwt
from tests.harness_storage import MEMBER, SECRET, SERVICE, USER, Storage, refusal

MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture(scope="module", autouse=True)
async def buckets(storage: Storage):
    await storage.bucket("open", public=True)
    await storage.bucket("shut")
    await storage.bucket("ten", file_size_limit=10, allowed_mime_types=["text/*"])
    await storage.put("open/k", b"0123456789", headers={"cache-control": "max-age=7"})


async def test_the_row_of_an_object_says_what_was_stored(storage: Storage):
    await storage.put("shut/row", b"abc", "a/b", headers={"x-robots-tag": "noindex"})
    [row] = await storage.rows("select metadata from storage.objects where name = 'row'")
    metadata = json.loads(row["metadata"])
    assert re.fullmatch(MOMENT, metadata.pop("lastModified"))
    assert metadata == {
        "eTag": f'"{hashlib.md5(b"abc").hexdigest()}"', "size": 3, "mimetype": "a/b",
        "cacheControl": "no-cache", "contentLength": 3, "httpStatusCode": 200,
        "xRobotsTag": "noindex",
    }  # fmt: skip


async def test_what_there_is_to_know_of_an_object_is_told_by_three_paths(storage: Storage):
    paths = (
        "/object/info/public/open/k",
        "/object/info/authenticated/open/k",
        "/object/info/open/k",
    )
    answers = [await storage.call("GET", path, token=MEMBER) for path in paths]
    info = answers[0].json()
    assert [answer.json() for answer in answers[1:]] == [info, info]
    assert list(info) == [
        "id", "name", "version", "bucket_id", "size", "content_type", "cache_control", "etag",
        "metadata", "last_modified", "created_at",
    ]  # fmt: skip
    assert re.fullmatch(MOMENT, info["last_modified"])
    for answer in answers:
        assert answer.headers["etag"] == info["etag"]
        assert answer.headers["cache-control"] == info["cache_control"] == "max-age=7"
        assert answer.headers["last-modified"].endswith("GMT")
    for bearer in (None, "garbage"):
        anybody = await storage.call("GET", "/object/info/open/k", token=bearer)
        assert anybody.json() == info
        shut = await storage.call("GET", "/object/info/shut/k", token=bearer)
        assert refusal(shut)[3] == "NoSuchBucket"
    # Of a bucket that is called public: the path is none of HEAD's own
    assert (await storage.call("HEAD", paths[0])).status_code == 400
    assert (await storage.call("HEAD", paths[2])).status_code == 200


async def test_head_is_answered_by_each_path_and_saves_nothing(storage: Storage):
    for path, bearer in (("public/open", None), ("authenticated/open", MEMBER), ("open", None)):
        head = await storage.call("HEAD", f"/object/{path}/k?download=x", token=bearer)
        assert (head.status_code, head.headers["content-length"]) == (200, "10")
        assert "content-disposition" not in head.headers
        missing = await storage.call("HEAD", f"/object/{path}/none", token=bearer)
        assert (missing.status_code, missing.content) == (400, b"")


@pytest.mark.parametrize(
    "header",
    [
        ("if-match", '"other"'),
        ("if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("if-range", '"other"'),
    ],
)
async def test_other_conditions_change_nothing(storage: Storage, header: tuple[str, str]):
    ranged = {header[0]: header[1], "range": "bytes=0-1"}
    answer = await storage.call("GET", "/object/public/open/k", token=None, headers=ranged)
    assert (answer.status_code, answer.content) == (206, b"01")


async def test_an_empty_file_has_no_part(storage: Storage):
    await storage.put("open/empty", b"")
    for span in ("bytes=0-", "bytes=-1", "bytes=0-0"):
        answer = await storage.call("GET", "/object/public/open/empty", headers={"range": span})
        assert refusal(answer)[3] == "InvalidRange"
    assert (await storage.call("GET", "/object/public/open/empty")).content == b""


# ── uploads ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        ("application/json", b"{not json"),
        ("application/x-www-form-urlencoded", b"a=1&b"),
        ("text/plain; charset=latin-1", b"\xe9"),
    ],
)
async def test_a_body_of_any_type_is_stored_as_it_came(
    storage: Storage, content_type: str, content: bytes
):
    await storage.put("open/as-it-came", content, content_type)
    read = await storage.call("GET", "/object/public/open/as-it-came", token=None)
    assert (read.content, read.headers["content-type"]) == (content, content_type)


async def test_a_body_without_a_type_is_bytes(storage: Storage):
    request = storage.client.build_request("POST", "/object/open/untyped", content=b"x")
    request.headers["authorization"] = f"Bearer {SERVICE}"
    assert "content-type" not in request.headers
    assert (await storage.client.send(request)).status_code == 200
    read = await storage.call("GET", "/object/public/open/untyped", token=None)
    assert read.headers["content-type"] == "application/octet-stream"
    assert read.headers["cache-control"] == "no-cache"


async def test_a_length_above_the_limit_is_refused_before_the_bytes(storage: Storage):
    async def never() -> AsyncIterator[bytes]:
        raise AssertionError("no byte may be asked for")
        yield b""

    headers = {"content-length": "11", "content-type": "text/plain"}
    answer = await storage.call("POST", "/object/ten/long", content=never(), headers=headers)
    assert refusal(answer)[3] == "EntityTooLarge"


async def test_a_placeholder_of_a_folder_is_empty(storage: Storage):
    path = "/object/ten/folder/.emptyFolderPlaceholder"
    refused = await storage.call("POST", path, content=b"x")
    assert refusal(refused)[3] == "EntityTooLarge"
    assert (await storage.call("POST", path, content=b"")).status_code == 200


async def test_limits_and_types_of_a_bucket_do_not_hold_for_moves_and_copies(storage: Storage):
    await storage.put("shut/large", bytes(11), "image/png")
    body = {"bucketId": "shut", "sourceKey": "large", "destinationBucket": "ten"}
    copied = await storage.call("POST", "/object/copy", json=body | {"destinationKey": "copied"})
    moved = await storage.call("POST", "/object/move", json=body | {"destinationKey": "moved"})
    assert (copied.status_code, moved.status_code) == (200, 200)


async def test_a_number_beyond_all_numbers_is_null_in_metadata(storage: Storage):
    text = '{"a":1e999,"b":[-1e999,2]}'
    files = {"": ("f", b"x", "text/plain")}
    await storage.call(
        "POST", "/object/open/beyond", data={"metadata": text}, files=files,
    )  # fmt: skip
    info = (await storage.call("GET", "/object/info/open/beyond")).json()
    assert info["metadata"] == {"a": None, "b": [None, 2]}


async def test_a_form_with_something_before_its_first_boundary_is_read(storage: Storage):
    form = (
        b"This is a message of several parts.\r\n"
        b'--x\r\nContent-Disposition: form-data; name=""; filename="f"\r\n\r\nfile\r\n--x--\r\n'
    )
    headers = {"content-type": "multipart/form-data; boundary=x"}
    answer = await storage.call("POST", "/object/open/preamble", content=form, headers=headers)
    assert answer.status_code == 200, answer.text
    read = await storage.call("GET", "/object/open/preamble")
    assert (read.content, read.headers["cache-control"]) == (b"file", "no-cache")


# ── copies, signed URLs, lists ─────────────────────────────────────────────────────────────────


async def test_a_copy_is_told_as_its_row(storage: Storage):
    body = {"bucketId": "open", "sourceKey": "k", "destinationKey": "told", "destinationBucket": ""}
    made = (await storage.call("POST", "/object/copy", json=body)).json()
    assert set(made) == {
        "Id", "Key", "id", "name", "bucket_id", "owner", "owner_id", "version", "metadata",
        "user_metadata", "created_at", "updated_at", "last_accessed_at",
    }  # fmt: skip
    assert (made["Id"], made["Key"], made["owner"]) == (made["id"], "open/told", USER)
    assert re.fullmatch(MOMENT, made["created_at"])
    [removed] = (
        await storage.call("DELETE", "/object/open", json={"prefixes": ["told", "tol", "%"]})
    ).json()
    assert {key: made[key] for key in removed} == removed
    moved = {"bucketId": "open", "sourceKey": "k", "destinationKey": "k", "destinationBucket": None}
    assert (await storage.call("POST", "/object/move", json=moved)).status_code == 200
    for path in ("/object/copy", "/object/move"):
        bad = body | {"bucketId": "a/b", "destinationKey": "x"}
        assert refusal(await storage.call("POST", path, json=bad))[3] == "InvalidBucketName"
        none = body | {"bucketId": "none", "destinationKey": "x"}
        assert refusal(await storage.call("POST", path, json=none))[3] == "NoSuchKey"


@pytest.mark.parametrize(
    ("header", "kept"), [("e30=", {}), ("bm8ganNvbg==", None), ("eyJhIjoxfQ==", {"a": 1})]
)
async def test_a_copy_that_keeps_no_metadata_has_what_its_header_says(
    storage: Storage, header: str, kept: object
):
    body = {"bucketId": "open", "sourceKey": "k", "destinationKey": "said", "copyMetadata": False}
    headers = {"x-upsert": "true", "x-metadata": header}
    made = (await storage.call("POST", "/object/copy", json=body, headers=headers)).json()
    assert made["user_metadata"] == kept


async def test_many_urls_are_told_with_their_paths_and_errors(storage: Storage):
    body = {"expiresIn": 9, "paths": ["k", "none", "k"]}
    first, second, third = (await storage.call("POST", "/object/sign/open", json=body)).json()
    assert list(first) == ["error", "path", "signedURL"]
    assert (first["error"], first["path"]) == (third["error"], third["path"]) == (None, "k")
    assert second == {
        "error": "Either the object does not exist or you do not have access to it",
        "path": "none",
        "signedURL": None,
    }
    read = await storage.call("GET", first["signedURL"], token=None)
    assert read.content == b"0123456789"
    for paths, message in (
        ([], "body/paths must NOT have fewer than 1 items"),
        (["k"] * 1001, "body/paths must NOT have more than 1000 items"),
    ):
        refused = await storage.call("POST", "/object/sign/open", json=body | {"paths": paths})
        assert refusal(refused)[4] == message
    refused = await storage.call("POST", "/object/sign/open", json=body | {"expiresIn": 0})
    assert refusal(refused)[4] == "body/expiresIn must be >= 1"


async def test_entries_of_lists_have_the_originals_members(storage: Storage):
    await storage.bucket("listed")
    for key in ("a", "c/1"):
        await storage.put(f"listed/{key}")
    file, folder = (
        await storage.call("POST", "/object/list/listed", json={"prefix": None, "limit": "5"})
    ).json()
    assert list(file) == [
        "name", "id", "updated_at", "created_at", "last_accessed_at", "metadata",
    ]  # fmt: skip
    assert re.fullmatch(MOMENT, file["last_accessed_at"])
    assert folder == dict.fromkeys(file) | {"name": "c"}
    body = {"with_delimiter": True, "limit": 1, "sortBy": {"column": "name", "order": "desc"}}
    first = (await storage.call("POST", "/object/list-v2/listed", json=body)).json()
    assert set(first) == {"hasNext", "nextCursor", "nextCursorKey", "folders", "objects"}
    assert first["folders"] == [
        dict.fromkeys(("id", "updated_at", "created_at", "last_accessed_at", "metadata"))
        | {"key": "c", "name": "c/"}
    ]
    up = body | {"cursor": first["nextCursor"], "sortBy": {"column": "name", "order": "asc"}}
    rest = (await storage.call("POST", "/object/list-v2/listed", json=up)).json()  # still down
    assert (rest["hasNext"], rest["folders"]) == (False, [])
    assert [(entry["key"], entry["name"]) for entry in rest["objects"]] == [("a", "a")]
    flat = (await storage.call("POST", "/object/list-v2/listed", json={"limit": 9999})).json()
    assert ([entry["name"] for entry in flat["objects"]], flat["folders"]) == (["a", "c/1"], [])
    assert "key" not in flat["objects"][0]


async def test_a_list_has_at_most_1500_entries(storage: Storage):
    await storage.bucket("long")
    await storage.run(
        "insert into storage.objects (bucket_id, name, version)"
        " select 'long', number, gen_random_uuid() from generate_series(1, 1600) number"
    )
    listed = await storage.call("POST", "/object/list/long", json={"prefix": "", "limit": 5000})
    assert len(listed.json()) == 1500
    page = await storage.call("POST", "/object/list-v2/long", json={"limit": 5000})
    assert (len(page.json()["objects"]), page.json()["hasNext"]) == (1000, True)


async def test_a_token_of_an_upload_says_whose_it_is_and_for_how_long(storage: Storage):
    made = await storage.call("POST", "/object/upload/sign/open/new")
    payload = made.json()["token"].split(".")[1]
    claims = jsontext.decode_object(base64.urlsafe_b64decode(payload + "=="))
    assert claims.pop("exp") - claims.pop("iat") == 60
    assert claims == {"url": "open/new", "scope": "upload", "upsert": False, "owner": USER}
    old = jwt.sign({"url": "open/k", "upsert": False}, jwt.secret_key(SECRET))
    refused = await storage.call("GET", f"/object/sign/open/k?token={old}", token=None)
    assert refusal(refused)[4] == "Token is not scoped for download"


async def test_the_version_is_the_originals(storage: Storage):
    answer = await storage.call("GET", "/version", token=None)
    assert (answer.status_code, answer.text) == (200, "1.11.2")
