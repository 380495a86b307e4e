"""Buckets over HTTP (storage reference 3)."""

from __future__ import annotations

import re

import pytest

from tests.harness_storage import ANON, MEMBER, SERVICE, Storage, refusal, token
from tests.harness_storage_s3 import send

DENIED = (400, "403", "Unauthorized", "AccessDenied", "new row violates row-level security policy")
NO_BUCKET = (400, "404", "Bucket not found", "NoSuchBucket", "Bucket not found")


async def test_a_bucket_is_made_read_listed_changed_and_deleted(storage: Storage):
    made = await storage.call("POST", "/bucket", json={"name": "life", "file_size_limit": "1.5KB"})
    assert (made.status_code, made.json()) == (200, {"name": "life"})
    read = (await storage.call("GET", "/bucket/life")).json()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", read.pop("created_at"))
    read.pop("updated_at")
    assert read == {
        "id": "life", "name": "life", "owner": "11111111-1111-4111-8111-111111111111",
        "public": False, "file_size_limit": 1500, "allowed_mime_types": None,
    }  # fmt: skip
    changed = await storage.call(
        "PUT", "/bucket/life", json={"public": True, "file_size_limit": None}
    )
    assert changed.json() == {"message": "Successfully updated"}
    listed = (await storage.call("GET", "/bucket?search=LIF")).json()
    assert [(b["id"], b["public"], b["file_size_limit"], b["type"]) for b in listed] == [
        ("life", True, None, "STANDARD")
    ]
    assert (await storage.call("DELETE", "/bucket/life")).json() == {
        "message": "Successfully deleted"
    }
    assert refusal(await storage.call("GET", "/bucket/life")) == NO_BUCKET


async def test_an_old_python_client_gets_no_type(storage: Storage):
    await storage.bucket("typed")
    old = await storage.call("GET", "/bucket", headers={"x-client-info": "supabase-py/2.17.3"})
    assert "type" not in old.json()[0]


async def test_buckets_are_listed_in_pages_orders_and_by_a_part_of_their_name(storage: Storage):
    names = ["page-c", "page-a", "page-b", "page%_d"]
    for name in names:
        await storage.run(f"insert into storage.buckets (id, name) values ('{name}', '{name}')")

    async def listed(query: str) -> list[str]:
        return [b["name"] for b in (await storage.call("GET", f"/bucket?{query}")).json()]

    assert await listed("search=PAGE") == names  # as they were made
    assert await listed("search=page&sortOrder=desc") == names  # an order of no column is none
    assert await listed("search=%25_") == ["page%_d"]
    assert await listed("search=page-&sortColumn=name") == ["page-a", "page-b", "page-c"]
    assert await listed("search=page-&sortColumn=id&sortOrder=desc&limit=2") == ["page-c", "page-b"]
    assert await listed("search=page-&sortColumn=name&limit=1&offset=1") == ["page-b"]
    assert await listed("search=page&sortColumn=created_at&sortOrder=desc") == names[::-1]
    for query, message in (
        ("limit=0", "querystring/limit must be >= 1"),
        ("offset=-1", "querystring/offset must be >= 0"),
        ("sortColumn=public", "querystring/sortColumn must be equal to one of the allowed values"),
        ("sortOrder=up", "querystring/sortOrder must be equal to one of the allowed values"),
    ):
        assert refusal(await storage.call("GET", f"/bucket?{query}"))[4] == message


async def test_a_bucket_is_called_by_its_id_and_made_by_its_name(storage: Storage):
    body = {"name": "called", "id": "by-its-id", "unknown": 1}
    assert (await storage.call("POST", "/bucket", json=body)).json() == {"name": "called"}
    assert (await storage.call("GET", "/bucket/by-its-id")).json()["name"] == "called"
    change = {"id": "other", "name": "other", "public": True}
    await storage.call("PUT", "/bucket/by-its-id", json=change)
    read = (await storage.call("GET", "/bucket/by-its-id")).json()
    assert (read["id"], read["name"], read["public"]) == ("by-its-id", "called", True)
    nothing = refusal(await storage.call("PUT", "/bucket/by-its-id", json={"name": "x"}))
    assert nothing[4].endswith("body must match a schema in anyOf")


@pytest.mark.parametrize("name", ["..", "a b", "x" * 100, "!*'()&$=@;:+,?-._"])
async def test_a_bucket_may_have_any_such_name(storage: Storage, name: str):
    assert (await storage.call("POST", "/bucket", json={"name": name})).json() == {"name": name}
    assert name in [bucket["id"] for bucket in (await storage.call("GET", "/bucket")).json()]


@pytest.mark.parametrize("name", ["", "a/b", " a", "a ", "x" * 101, "añb", "x--table-s3", "a%b"])
async def test_a_bucket_needs_a_valid_name(storage: Storage, name: str):
    answer = await storage.call("POST", "/bucket", json={"name": name})
    assert refusal(answer) == (
        400,
        "400",
        "Invalid Input",
        "InvalidBucketName",
        "Bucket name invalid",
    )


async def test_a_bucket_that_exists_is_a_duplicate(storage: Storage):
    await storage.bucket("twice")
    answer = await storage.call("POST", "/bucket", json={"name": "twice"})
    assert refusal(answer) == (
        400, "409", "Duplicate", "BucketAlreadyExists", "The resource already exists",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "body must have required property 'name'"),
        ({"name": "x", "public": "yes"}, "body/public must be boolean"),
        ([], "body must be object"),
        (None, "body must be object"),
    ],
)
async def test_a_body_that_does_not_fit_is_named(storage: Storage, body: object, message: str):
    answer = await storage.call("POST", "/bucket", json=body)
    assert refusal(answer) == (400, "400", "Error", "InvalidRequest", message)


async def test_limits_and_types_of_a_bucket_are_checked(storage: Storage):
    async def made(**more: object) -> tuple[int, str, str, str, str]:
        return refusal(await storage.call("POST", "/bucket", json={"name": "limits", **more}))

    assert (await made(file_size_limit="100GB"))[3] == "EntityTooLarge"
    assert (await made(file_size_limit="much"))[4].endswith("must match a schema in anyOf")
    assert (await made(allowed_mime_types=["image"]))[3] == "InvalidMimeType"
    assert (await made(type="ANALYTICS"))[3] == "FeatureNotEnabled"
    await storage.bucket("limits", allowed_mime_types=["", "image/*", "text/plain;charset=x", "*"])
    kept = (await storage.call("GET", "/bucket/limits")).json()["allowed_mime_types"]
    assert kept == ["image/*", "text/plain;charset=x", "*"]
    await storage.call("PUT", "/bucket/limits", json={"allowed_mime_types": "text/css"})
    assert (await storage.call("GET", "/bucket/limits")).json()["allowed_mime_types"] == [
        "text/css"
    ]
    long = f"text/{'x' * 1000}"
    assert (await made(allowed_mime_types=[long]))[3] == "InvalidMimeType"


async def test_policies_decide_who_makes_and_sees_buckets(storage: Storage):
    await storage.bucket("hidden")
    assert (
        refusal(await storage.call("POST", "/bucket", json={"name": "m"}, token=MEMBER)) == DENIED
    )
    assert (await storage.call("GET", "/bucket", token=MEMBER)).json() == []
    for method, body in (("GET", None), ("PUT", {"public": True}), ("DELETE", None)):
        answer = await storage.call(method, "/bucket/hidden", json=body, token=MEMBER)
        assert refusal(answer) == NO_BUCKET


async def test_a_bucket_with_objects_is_not_deleted_whoever_asks(storage: Storage):
    await storage.bucket("full")
    await storage.put("full/a.txt")
    for caller in (MEMBER, ANON):
        answer = await storage.call("DELETE", "/bucket/full", token=caller)
        assert refusal(answer)[1:4] == ("409", "ResourceNotEmpty", "ResourceNotEmpty")


async def test_only_the_service_role_empties_a_bucket(storage: Storage):
    await storage.bucket("emptied")
    await storage.put("emptied/a.txt")
    refused = await storage.call("POST", "/bucket/emptied/empty", token=MEMBER)
    assert refusal(refused) == (
        403,
        "403",
        "Unauthorized",
        "AccessDenied",
        "Access denied: Invalid role",
    )
    answer = await storage.call("POST", "/bucket/emptied/empty")
    assert answer.json()["message"].startswith("Empty bucket has been queued")
    rows = "select count(*) from storage.objects where bucket_id = 'emptied'"

    async def is_empty() -> bool:
        return (await storage.rows(rows))[0]["count"] == 0

    await storage.until(is_empty)
    assert (await storage.call("DELETE", "/bucket/emptied")).status_code == 200


async def test_a_bucket_with_an_upload_in_parts_is_not_deleted(storage: Storage):
    await storage.bucket("parts")
    begun = await send(storage, "POST", "/s3/parts/key?uploads")
    refused = refusal(await storage.call("DELETE", "/bucket/parts"))
    assert refused == (
        400, "409", "ResourceReferenced", "ResourceReferenced",
        "The bucket is referenced by a pending multipart upload.",
    )  # fmt: skip
    upload = begun.text.partition("<UploadId>")[2].partition("<")[0]
    await send(storage, "DELETE", f"/s3/parts/key?uploadId={upload}")
    assert (await storage.call("DELETE", "/bucket/parts")).status_code == 200


async def test_emptying_and_deleting_take_an_empty_body_of_type_json(storage: Storage):
    await storage.bucket("bodiless")
    json = {"content-type": "application/json"}
    for method, path in (("POST", "/bucket/bodiless/empty"), ("DELETE", "/bucket/bodiless")):
        answer = await storage.call(method, path, content=b"", headers=json)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/json; charset=utf-8"


async def test_the_key_of_the_api_is_no_token(storage: Storage):
    answer = await storage.call("GET", "/bucket", token=None, headers={"apikey": SERVICE})
    assert refusal(answer)[4] == "headers must have required property 'authorization'"
    foreign = token(sub="x", aud="somebody", iss="https://elsewhere.example")
    assert (await storage.call("GET", "/bucket", token=foreign)).status_code == 200
    empty = await storage.call("GET", "/bucket", token=None, headers={"authorization": "Bearer "})
    assert refusal(empty)[4] == "Invalid Compact JWS"
    assert not any(name.startswith("access-control") for name in empty.headers)  # the gateway's
