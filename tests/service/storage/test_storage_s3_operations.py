"""S3's operations as its clients ask for them, signed by hand (storage reference 11)."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from botocore.auth import S3SigV4QueryAuth, SigV4Auth
from botocore.awsrequest import AWSRequest

from tests.harness_storage import MEMBER, Storage
from tests.harness_storage_s3 import KEY, refused, send, session

XML = {"content-type": "application/xml"}


@pytest.fixture(scope="module", autouse=True)
async def objects(storage: Storage):
    await storage.bucket("ops")
    for key in ("a", "b c", "d/1", "d/2"):
        await storage.put(f"ops/{key}", b"0123456789")


def keys(answer: httpx2.Response) -> list[str]:
    return re.findall("<Key>([^<]+)", answer.text)


async def test_a_bucket_is_made_where_its_answer_says_and_may_be_public(storage: Storage):
    body = b"<CreateBucketConfiguration><LocationConstraint>x</LocationConstraint>"
    made = await send(storage, "PUT", "/s3/made", {"x-amz-acl": "public-read", **XML}, body)
    assert (made.status_code, made.headers["location"]) == (200, "/made")
    assert (await storage.call("GET", "/bucket/made")).json()["public"] is True
    await send(storage, "PUT", "/s3/private/")
    assert (await storage.call("GET", "/bucket/private")).json()["public"] is False
    gone = await send(storage, "DELETE", "/s3/made")
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await send(storage, "HEAD", "/s3/made")).content == b""


@pytest.mark.parametrize("query", ["acl", "policy", "cors", "lifecycle", "website"])
async def test_what_else_is_asked_of_a_bucket_is_its_list(storage: Storage, query: str):
    for path in (f"/s3/ops?{query}", f"/s3/ops/?{query}="):
        answer = await send(storage, "GET", path)
        assert (answer.status_code, keys(answer)) == (200, ["a", "b c", "d/1", "d/2"])


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("start-after=b%20c", ["d/1", "d/2"]),
        ("prefix=d%2F&max-keys=1", ["d/1"]),
        ("prefix=D", []),
        ("prefix=%25", []),
        ("prefix=_", []),
        ("delimiter=%20", ["a", "d/1", "d/2"]),
        ("max-keys=0", ["a", "b c", "d/1", "d/2"]),
        ("max-keys=5000", ["a", "b c", "d/1", "d/2"]),
    ],
)
async def test_a_list_begins_and_ends_where_it_is_asked_to(
    storage: Storage, query: str, found: list[str]
):
    answer = await send(storage, "GET", f"/s3/ops?list-type=2&{query}")
    assert keys(answer) == found, answer.text
    if "delimiter" in query:
        assert "<CommonPrefixes><Prefix>b </Prefix></CommonPrefixes>" in answer.text
    assert re.findall("<ETag>([^<]+)", answer.text)[:1] in (
        [],
        ['"781e5e245d69b566979b86e28d23f2c7"'],
    )


async def test_methods_and_paths_that_are_none_are_told_so(storage: Storage):
    unmatched = await send(storage, "POST", "/s3/ops/a")
    assert (unmatched.status_code, unmatched.content) == (404, b"")
    patched = await send(storage, "PATCH", "/s3/ops/a")
    assert patched.json() == {
        "message": "Route PATCH:/s3/ops/a not found", "error": "Not Found", "statusCode": 404,
    }  # fmt: skip
    unknown = await send(storage, "DELETE", "/s3/none/a")
    assert refused(unknown) == (404, "NoSuchBucket", "Bucket not found")


async def test_a_put_reads_neither_tags_nor_conditions_nor_sums(storage: Storage):
    tags = await send(storage, "PUT", "/s3/ops/put?tagging", body=b"<Tagging/>")
    assert tags.status_code == 200
    assert (await send(storage, "GET", "/s3/ops/put")).content == b"<Tagging/>"
    headers = {"if-none-match": "*", "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==",
               "x-amz-checksum-crc32": "AAAAAA=="}  # fmt: skip
    again = await send(storage, "PUT", "/s3/ops/put", headers, b"again")
    assert again.status_code == 200, again.text
    assert (await send(storage, "GET", "/s3/ops/put")).content == b"again"


async def test_a_read_may_be_conditional_and_its_headers_asked_for(storage: Storage):
    plain = await send(storage, "GET", "/s3/ops/a")
    tag, moment = plain.headers["etag"], plain.headers["last-modified"]
    for condition in ({"if-none-match": tag}, {"if-modified-since": moment}):
        answer = await send(storage, "GET", "/s3/ops/a", condition)
        assert (answer.status_code, answer.content) == (304, b"")
    beyond = await send(storage, "GET", "/s3/ops/a", {"range": "bytes=10-"})
    assert refused(beyond)[:2] == (416, "InvalidRange")
    overrides = {
        "response-content-disposition": "attachment", "response-content-encoding": "gzip",
        "response-content-language": "es", "response-cache-control": "no-store",
        "response-expires": "Thu, 01 Jan 1970 00:00:00 GMT",
    }  # fmt: skip
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in overrides.items())
    head = await send(storage, "HEAD", f"/s3/ops/a?{query}")
    assert {name: head.headers[name.removeprefix("response-")] for name in overrides} == overrides


async def test_a_copys_source_is_named_with_a_slash_or_without_and_not_decoded(storage: Storage):
    for source, status in (("/ops/b c", 200), ("ops/b c", 200), ("ops/b%20c", 404)):
        answer = await send(storage, "PUT", "/s3/ops/copy", {"x-amz-copy-source": source})
        assert answer.status_code == status, source


async def test_removals_are_told_though_quiet_is_asked_for(storage: Storage):
    body = b"<Delete><Quiet>true</Quiet><Object><Key>none</Key></Object></Delete>"
    answer = await send(storage, "POST", "/s3/ops?delete", XML, body)
    assert "<Deleted><Key>none</Key></Deleted>" in answer.text
    unknown = await send(storage, "POST", "/s3/none?delete", XML, body)
    assert refused(unknown)[:2] == (404, "NoSuchBucket")


# ── signatures ─────────────────────────────────────────────────────────────────────────────────


async def test_another_service_than_s3_is_none(storage: Storage):
    request: Any = AWSRequest("GET", "http://storage.test/s3/ops", {"x-amz-content-sha256": "x"})
    SigV4Auth(KEY, "ec2", "local").add_auth(request)
    headers = {name: str(value) for name, value in request.headers.items()}
    answer = await storage.call("GET", "/s3/ops", token=None, headers=headers)
    assert refused(answer) == (403, "AccessDenied", "Invalid Service")


@pytest.mark.parametrize(
    "path",
    [
        "/s3/ops/b%20c", "/s3/ops/d%2F1", "/s3/ops/%61", "/s3/ops//d", "/s3/ops/a+b", "/s3/ops/a%2Bb",
        "/s3/ops/%C3%B1", "/s3/ops/%2520", "/s3/ops/a;b=c,d@e:f!(g)*'$&",
        "/s3/ops?list-type=2&prefix=&delimiter=", "/s3/ops?list-type=2&prefix=a%2Bb%20%C3%B1",
        "/s3/ops?prefix=~&list-type=2&fetch-owner", "/s3/ops?prefix=a%3Db&list-type=2",
    ],
)  # fmt: skip
async def test_a_signature_holds_for_any_path_and_query(storage: Storage, path: str):
    answer = await send(storage, "GET", path)
    assert "SignatureDoesNotMatch" not in answer.text
    assert answer.status_code in {200, 400, 404}
    request: Any = AWSRequest("GET", f"http://storage.test{path}")
    S3SigV4QueryAuth(KEY, "s3", "local", expires=60).add_auth(request)
    presigned = request.url.removeprefix("http://storage.test")
    again = await storage.call("GET", presigned, token=None)
    assert again.status_code == answer.status_code, again.text


async def test_a_presigned_url_holds_with_more_headers_and_not_with_another_query(
    storage: Storage,
):
    request: Any = AWSRequest("GET", "http://storage.test/s3/ops/a?response-content-language=de")
    S3SigV4QueryAuth(KEY, "s3", "local", expires=60).add_auth(request)
    presigned = request.url.removeprefix("http://storage.test")
    more = {"range": "bytes=0-1", "x-forwarded-for": "192.0.2.1", "accept": "*/*"}
    answer = await storage.call("GET", presigned, token=None, headers=more)
    assert (answer.status_code, answer.content) == (206, b"01")
    for changed in (
        f"{presigned}&response-content-type=text%2Fcss",
        presigned.replace("language=de", "language=fr"),
        presigned.replace("/ops/a?", "/ops/b%20c?"),
        presigned.replace("X-Amz-Expires=60", "X-Amz-Expires=61"),
    ):
        refusal = refused(await storage.call("GET", changed, token=None))
        assert refusal[:2] == (403, "SignatureDoesNotMatch"), changed


async def test_a_session_presigns_too(storage: Storage):
    request: Any = AWSRequest("GET", "http://storage.test/s3/ops/a")
    S3SigV4QueryAuth(session(MEMBER), "s3", "local", expires=60).add_auth(request)
    answer = await storage.call("GET", request.url.removeprefix("http://storage.test"), token=None)
    assert refused(answer)[:2] == (404, "NoSuchKey")  # no policy shows it


@pytest.mark.parametrize("region", ["us-east-1", "auto", "eu-west-9", "local"])
async def test_any_region_may_be_signed_for(storage: Storage, region: str):
    request: Any = AWSRequest("GET", "http://storage.test/s3/ops/a")
    S3SigV4QueryAuth(KEY, "s3", region, expires=60).add_auth(request)
    answer = await storage.call("GET", request.url.removeprefix("http://storage.test"), token=None)
    assert answer.status_code == 200, answer.text
