"""Lists, moves, copies, removals and signed URLs over HTTP (storage reference 6 to 8)."""

from __future__ import annotations

from typing import Any

import pytest

from compat_base.values import jwt
from tests.harness_storage import MEMBER, SECRET, Storage, refusal, token

KEYS = (
    "a.txt",
    "B.txt",
    "c/1.txt",
    "c/2.txt",
    "C/3.txt",
    "d/e/f.txt",
    "d.txt",
    "under_score",
    "x%y",
)


@pytest.fixture(scope="module", autouse=True)
async def buckets(storage: Storage):
    await storage.bucket("b")
    await storage.bucket("open", public=True)
    await storage.bucket("files")
    await storage.bucket("slashes")
    for key in KEYS[:-1]:
        await storage.put(f"files/{key}")


async def names(storage: Storage, **body: Any) -> list[tuple[str, bool]]:
    answer = await storage.call("POST", "/object/list/files", json={"prefix": "", **body})
    assert answer.status_code == 200, answer.text
    return [(entry["name"], entry["id"] is None) for entry in answer.json()]


async def test_a_folder_lists_files_and_folders_without_case(storage: Storage):
    assert await names(storage) == [
        ("a.txt", False), ("B.txt", False), ("c", True), ("d.txt", False), ("d", True),
        ("under_score", False),
    ]  # fmt: skip
    assert await names(storage, prefix="C") == [
        ("1.txt", False),
        ("2.txt", False),
        ("3.txt", False),
    ]
    assert await names(storage, prefix="d") == [("e", True)]
    assert await names(storage, prefix="a.txt") == []
    assert await names(storage, prefix="%") == []


async def test_a_list_has_pages_orders_and_a_search(storage: Storage):
    assert await names(storage, limit=2, offset=1) == [("B.txt", False), ("c", True)]
    down = {"column": "name", "order": "desc"}
    assert [name for name, _ in await names(storage, sortBy=down)] == [
        "under_score", "d", "d.txt", "C", "B.txt", "a.txt",
    ]  # fmt: skip
    by_time = await names(storage, sortBy={"column": "created_at", "order": "desc"})
    assert [is_folder for _, is_folder in by_time[:3]] == [True, True, True]
    assert by_time[3] == ("under_score", False)
    assert await names(storage, search="d") == [("d.txt", False), ("d", True)]
    assert await names(storage, search="txt") == []
    assert await names(storage, search="c/1") == [("c/1.txt", False)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "body must have required property 'prefix'"),
        ({"prefix": "", "limit": 0}, "body/limit must be >= 1"),
        ({"prefix": "", "limit": 1.5}, "body/limit must be integer"),
        (
            {"prefix": "", "sortBy": {"column": "size"}},
            "body/sortBy/column must be equal to one of the allowed values",
        ),
    ],
)
async def test_a_list_that_asks_for_what_is_not_there_is_refused(
    storage: Storage, body: Any, message: str
):
    assert refusal(await storage.call("POST", "/object/list/files", json=body))[4] == message


async def test_version_2_pages_through_names_and_folders(storage: Storage):
    async def pages(**body: Any) -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        for _ in range(20):
            more = {"cursor": cursor} if cursor else {}
            answer = await storage.call(
                "POST", "/object/list-v2/files", json={**body, "limit": 2, **more}
            )
            page = answer.json()
            entries = page["folders"] + page["objects"]
            found += sorted((entry["name"] for entry in entries), reverse="desc" in str(body))
            cursor = page.get("nextCursor")
            if not page["hasNext"]:
                return found
        raise AssertionError(found)

    flat = sorted(KEYS[:-1])
    level = sorted({key.partition("/")[0] + "/" if "/" in key else key for key in flat})
    assert await pages() == flat
    assert await pages(with_delimiter=True) == level
    down = {"column": "name", "order": "desc"}
    assert await pages(with_delimiter=True, sortBy=down) == level[::-1]
    assert await pages(prefix="c/") == ["c/1.txt", "c/2.txt"]
    by_time = {"column": "created_at", "order": "asc"}
    assert await pages(sortBy=by_time) == list(KEYS[:-1]) or set(
        await pages(sortBy=by_time)
    ) == set(flat)
    assert set(await pages(with_delimiter=True, sortBy=by_time)) == set(level)


async def test_a_folder_in_the_order_of_a_time_has_the_oldest_time_below_it(storage: Storage):
    body = {"prefix": "", "with_delimiter": True, "sortBy": {"column": "created_at"}}
    page = (await storage.call("POST", "/object/list-v2/files", json=body)).json()
    [folder] = [each for each in page["folders"] if each["name"] == "c/"]
    times = {folder[name] for name in ("created_at", "updated_at", "last_accessed_at")}
    below = {"prefix": "c/", "sortBy": {"column": "created_at"}}
    page = (await storage.call("POST", "/object/list-v2/files", json=below)).json()
    assert times == {page["objects"][0]["created_at"]}


@pytest.mark.parametrize("column", ["name", "created_at", "updated_at"])
async def test_pages_of_version_2_end_where_keys_have_slashes_at_their_ends(
    storage: Storage, column: str
):
    for key in ("t/", "t//", "t///", "t/u"):
        await storage.put(f"slashes/{key}")
    for order in ("asc", "desc"):
        body = {
            "prefix": "t/",
            "with_delimiter": True,
            "sortBy": {"column": column, "order": order},
        }
        found, page = list[str](), dict[str, Any](hasNext=True)
        for _ in range(9):
            if page["hasNext"]:
                more = {"limit": 1, "cursor": page.get("nextCursor", "")}
                answer = await storage.call("POST", "/object/list-v2/slashes", json=body | more)
                page = answer.json()
                found += [entry["name"] for entry in page["folders"] + page["objects"]]
        assert sorted(found) == ["t/", "t//", "t/u"]


async def test_what_comes_next_is_said_as_the_original_says_it(storage: Storage):
    body = {"with_delimiter": True, "limit": 2}
    answer = await storage.call("POST", "/object/list-v2/files", json=body)
    assert answer.json()["folders"][-1]["name"] == "C/"
    assert answer.json()["nextCursorKey"] == "C"
    ordered = await storage.call("POST", "/object/list-v2/files", json={"sortBy": {"order": "asc"}})
    assert refusal(ordered)[4] == "body/sortBy must have required property 'column'"


async def test_a_garbled_cursor_is_refused(storage: Storage):
    for cursor in ("%%%", "AAAA", "bDo="):
        answer = await storage.call("POST", "/object/list-v2/files", json={"cursor": cursor})
        assert refusal(answer)[3:] == ("InvalidParameter", "Invalid Parameter continuation token")


async def test_a_move_keeps_the_bytes_and_refuses_a_taken_place(storage: Storage):
    await storage.put("b/m1", b"moved")
    await storage.put("b/m2", b"there")
    taken = {"bucketId": "b", "sourceKey": "m1", "destinationKey": "m2"}
    answer = await storage.call("POST", "/object/move", json=taken, headers={"x-upsert": "true"})
    assert refusal(answer) == (
        400,
        "409",
        "Duplicate",
        "ResourceAlreadyExists",
        "The resource already exists",
    )
    itself = await storage.call("POST", "/object/move", json=taken | {"destinationKey": "m1"})
    assert itself.json() == {"message": "Successfully moved"}
    far = taken | {"destinationKey": "x/m1", "destinationBucket": "open"}
    assert (await storage.call("POST", "/object/move", json=far)).status_code == 200
    assert (await storage.call("GET", "/object/public/open/x/m1", token=None)).content == b"moved"
    assert refusal(await storage.call("POST", "/object/move", json=far))[3] == "NoSuchKey"
    nowhere = {
        "bucketId": "b",
        "sourceKey": "m2",
        "destinationKey": "m3",
        "destinationBucket": "none",
    }
    assert refusal(await storage.call("POST", "/object/move", json=nowhere))[1:] == (
        "404", "InvalidRequest", "InvalidRequest", "The related resource does not exist",
    )  # fmt: skip


async def test_a_copy_takes_over_or_replaces_metadata(storage: Storage):
    await storage.put(
        "b/c1",
        b"copied",
        "text/x",
        headers={"x-metadata": "eyJrIjoxfQ==", "cache-control": "max-age=5"},
    )
    body = {"bucketId": "b", "sourceKey": "c1", "destinationKey": "c2"}
    made = (await storage.call("POST", "/object/copy", json=body)).json()
    assert (made["Key"], made["user_metadata"], made["metadata"]["mimetype"]) == (
        "b/c2",
        {"k": 1},
        "text/x",
    )
    assert refusal(await storage.call("POST", "/object/copy", json=body))[3] == "KeyAlreadyExists"
    unread = {"x-upsert": "true", "x-metadata": "WzFd"}  # a list: not asked for, so not judged
    made = (await storage.call("POST", "/object/copy", json=body, headers=unread)).json()
    assert made["user_metadata"] == {"k": 1}
    replaced = body | {"copyMetadata": False, "metadata": {"mimetype": "text/y"}}
    made = (
        await storage.call("POST", "/object/copy", json=replaced, headers={"x-upsert": "true"})
    ).json()
    assert (made["metadata"]["mimetype"], made["metadata"]["cacheControl"], made["user_metadata"]) == (
        "text/y", "max-age=5", None,
    )  # fmt: skip
    await storage.call("DELETE", "/object/b/c1")
    assert (await storage.call("GET", "/object/b/c2")).content == b"copied"


async def test_removals_answer_with_what_went(storage: Storage):
    for key in ("r1", "r2"):
        await storage.put(f"b/{key}")
    removed = await storage.call("DELETE", "/object/b", json={"prefixes": ["r1", "none", "r1"]})
    assert [(row["name"], row["owner"]) for row in removed.json()] == [
        ("r1", "11111111-1111-4111-8111-111111111111")
    ]
    assert (await storage.call("DELETE", "/object/b/r2")).json() == {
        "message": "Successfully deleted"
    }
    assert refusal(await storage.call("DELETE", "/object/b/r2"))[3] == "NoSuchKey"
    assert (await storage.call("DELETE", "/object/none", json={"prefixes": ["x"]})).json() == []
    refused = await storage.call("DELETE", "/object/b", json={"prefixes": []})
    assert refusal(refused)[4] == "body/prefixes must NOT have fewer than 1 items"


# ── signed URLs ────────────────────────────────────────────────────────────────────────────────


async def signed(storage: Storage, key: str, seconds: int = 60) -> str:
    answer = await storage.call("POST", f"/object/sign/b/{key}", json={"expiresIn": seconds})
    return answer.json()["signedURL"]


async def test_a_signed_url_reads_one_object_without_rights(storage: Storage):
    await storage.put("b/s 1", b"signed")
    url = await signed(storage, "s 1")
    assert url.startswith("/object/sign/b/s 1?token=")
    read = await storage.call("GET", url, token=None)
    assert (read.content, "cache-control" in read.headers) == (b"signed", False)
    assert read.headers["expires"].endswith("GMT")
    assert (await storage.call("HEAD", url, token=None)).status_code == 200


async def test_a_signed_upload_may_send_its_key_percent_encoded(storage: Storage):
    await storage.bucket("encoded")
    key = "/object/upload/sign/encoded/a%40b%2Bc%2Fd%20e"
    token = (await storage.call("POST", key)).json()["token"]
    answer = await storage.call("PUT", f"{key}?token={token}", token=None, content=b"x")
    assert answer.json() == {"Key": "encoded/a@b+c/d e"}
    other = await storage.call("PUT", f"{key}x?token={token}", token=None, content=b"x")
    assert refusal(other)[3] == "InvalidSignature"


async def test_head_of_a_signed_url_says_what_get_would(storage: Storage):
    await storage.bucket("heads")
    await storage.put("heads/f", b"0123456789")
    signed = await storage.call("POST", "/object/sign/heads/f", json={"expiresIn": 60})
    url = f"{signed.json()['signedURL']}&download=n"
    etag = (await storage.call("GET", url, token=None)).headers["etag"]
    for headers in ({}, {"range": "bytes=2-4"}, {"range": "bytes=20-"}, {"if-none-match": etag}):
        get, head = [
            await storage.call(method, url, token=None, headers=headers)
            for method in ("GET", "HEAD")
        ]
        assert (head.status_code, head.content) == (get.status_code, b"")
        answered = [{k: v for k, v in each.headers.items() if k != "date"} for each in (get, head)]
        assert answered[0] == answered[1]


async def test_a_signed_url_is_of_no_other_object_purpose_or_time(storage: Storage):
    await storage.put("b/s1")
    await storage.put("b/s2")
    url = await signed(storage, "s1")
    bearer = url.partition("token=")[2]

    async def refused(path: str) -> tuple[str, str]:
        return refusal(await storage.call("GET", path, token=None))[3:]

    assert await refused(f"/object/sign/b/s2?token={bearer}") == (
        "InvalidSignature",
        "Invalid signature",
    )
    assert await refused(f"/object/sign/b/s1?token={bearer}x") == (
        "InvalidJWT",
        "signature verification failed",
    )
    assert (await refused("/object/sign/b/s1"))[
        1
    ] == "querystring must have required property 'token'"
    key = jwt.secret_key(SECRET)
    late = jwt.sign({"url": "b/s1", "exp": 1}, key)
    assert await refused(f"/object/sign/b/s1?token={late}") == (
        "InvalidJWT",
        '"exp" claim timestamp check failed',
    )
    upload = jwt.sign({"url": "b/s1", "scope": "upload", "upsert": False}, key)
    assert (await refused(f"/object/sign/b/s1?token={upload}"))[
        1
    ] == "Token is not scoped for download"
    assert (await refused(f"/object/sign/b/s1?token={token()}"))[1] == "Invalid signature"
    old = jwt.sign({"url": "b/s1"}, key)
    assert (
        await storage.call("GET", f"/object/sign/b/s1?token={old}", token=None)
    ).status_code == 200
    put = await storage.call(
        "PUT", f"/object/upload/sign/b/s1?token={bearer}", token=None, content=b""
    )
    assert refusal(put)[4] == "Token is not scoped for upload"
    listed = await storage.call("POST", "/object/list/b", json={"prefix": ""}, token=bearer)
    assert listed.json() == []


async def test_many_are_signed_in_their_order(storage: Storage):
    await storage.put("b/s1")
    answer = await storage.call(
        "POST", "/object/sign/b", json={"expiresIn": 9, "paths": ["s1", "no", "s1"]}
    )
    assert [bool(entry["signedURL"]) for entry in answer.json()] == [True, False, True]


async def test_an_endless_url_is_refused(storage: Storage):
    await storage.put("b/s1")
    answer = await storage.call("POST", "/object/sign/b/s1", json={"expiresIn": 2**53})
    assert refusal(answer)[4] == "Invalid Parameter expiresIn"
    url = await signed(storage, "s1", 10**12)
    assert (await storage.call("GET", url, token=None)).status_code == 200


async def test_a_signed_upload_writes_one_key_and_no_other(storage: Storage):
    made = (
        await storage.call("POST", "/object/upload/sign/b/up", headers={"x-upsert": "true"})
    ).json()
    assert made["url"] == f"/object/upload/sign/b/up?token={made['token']}"
    for content in (b"one", b"two"):
        put = await storage.call("PUT", made["url"], token=None, content=content)
        assert put.json() == {"Key": "b/up"}
    assert (await storage.call("GET", "/object/b/up")).content == b"two"
    other = await storage.call(
        "PUT", made["url"].replace("b/up", "b/down"), token=None, content=b""
    )
    assert refusal(other)[4] == "Invalid signature"
    plain = await storage.call("POST", "/object/upload/sign/b/up")
    assert refusal(plain)[3] == "KeyAlreadyExists"


async def test_a_signed_upload_without_upsert_writes_over_nothing(storage: Storage):
    made = (await storage.call("POST", "/object/upload/sign/b/once")).json()
    assert (await storage.call("PUT", made["url"], token=None, content=b"1")).status_code == 200
    again = await storage.call(
        "PUT", made["url"], token=None, content=b"2", headers={"x-upsert": "true"}
    )
    assert refusal(again)[3] == "KeyAlreadyExists"
    assert (await storage.call("POST", "/object/upload/sign/b/m", token=MEMBER)).status_code == 400


# ── routes ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/nowhere?a=1", {"message": "Route GET:/nowhere?a=1 not found", "error": "Not Found", "statusCode": 404}),
        (
            "PATCH", "/bucket",
            {"statusCode": "404", "error": "Not Found", "message": "Route PATCH:/bucket not found", "code": "InvalidRequest"},
        ),
        *(
            ("GET", path, {"message": f"Route GET:{path} not found", "error": "Not Found", "statusCode": 404})
            for path in ("/metrics", "/documentation", "/iceberg/v1/config", "/tenants", "/upload/x", "/status/", "/version/")
        ),
        (
            "POST", "/vector/ListIndexes",
            {"statusCode": "404", "error": "Not Found", "message": "Route POST:/vector/ListIndexes not found", "code": "InvalidRequest"},
        ),
    ],
)  # fmt: skip
async def test_a_route_that_is_not_there_is_named(
    storage: Storage, method: str, path: str, body: Any
):
    answer = await storage.call(method, path)
    assert (answer.status_code, answer.json()) == (404, body)


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "Body cannot be empty"), (b"{", "Body is not valid JSON")]
)
async def test_a_body_that_is_no_json_is_refused(storage: Storage, content: bytes, message: str):
    headers = {"content-type": "application/json"}
    answer = await storage.call("POST", "/bucket", content=content, headers=headers)
    assert refusal(answer)[2:4] == ("FastifyError", "InvalidRequest")
    assert refusal(answer)[4].startswith(message)


async def test_health_status_and_the_cache(storage: Storage):
    assert (await storage.call("GET", "/status", token=None)).content == b""
    assert (await storage.call("GET", "/health")).json() == {"healthy": True}
    assert (await storage.call("DELETE", "/cdn/b/k", token=MEMBER)).status_code == 403
    assert refusal(await storage.call("DELETE", "/cdn/b/k"))[3] == "MissingParameter"
    assert refusal(await storage.call("GET", "/bucket/%zz"))[3] == "FST_ERR_BAD_URL"


async def test_thousands_of_names_are_removed_by_one_request(storage: Storage):
    await storage.bucket("many")
    names = [f"n/{number}" for number in range(1_600)]
    await storage.run(
        "insert into storage.objects (bucket_id, name, version)"
        " select 'many', 'n/' || number, gen_random_uuid() from generate_series(0, 1599) number"
    )
    answer = await storage.call(
        "DELETE", "/object/many", json={"prefixes": [*names, *names, "absent"]}
    )
    removed = [row["name"] for row in answer.json()]
    assert sorted(removed) == sorted(names)
    assert not await storage.rows("select from storage.objects where bucket_id = 'many'")
