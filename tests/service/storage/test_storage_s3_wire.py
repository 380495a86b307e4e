"""S3's documents and refusals as they are on the wire (storage reference 11)."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from xml.etree import ElementTree as ET

import httpx2
import pytest
import pytest_asyncio
from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest

from tests.harness_storage import MEMBER, Storage
from tests.harness_storage_s3 import KEY, refused, send

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
XML = {"content-type": "application/xml"}


@pytest_asyncio.fixture(scope="module", autouse=True)
async def _objects(storage: Storage) -> None:
    await storage.bucket("w")
    for key in ("a b", "d/1", "d/2", "z"):
        await send(storage, "PUT", f"/s3/w/{key.replace(' ', '%20')}", body=b"0123456789")


def elements(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [element.tag.partition("}")[2] for element in ET.fromstring(answer.content)]


async def test_documents_are_of_one_namespace_and_say_nothing_shortly(storage: Storage):
    empty = await send(storage, "GET", "/s3/w?list-type=2&prefix=none")
    assert empty.content == (
        b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
        b'<ListBucketResult xmlns="%b"><Name>w</Name><Prefix>none</Prefix><MaxKeys>1000</MaxKeys>'
        b"<IsTruncated>false</IsTruncated><KeyCount>0</KeyCount></ListBucketResult>"
        % NAMESPACE.encode()
    )
    assert b"<Prefix/>" in (await send(storage, "GET", "/s3/w")).content
    assert elements(await send(storage, "GET", "/s3/")) == ["Buckets"]
    location = await send(storage, "GET", "/s3/w?location")
    assert location.content.endswith(b'/">local</LocationConstraint>')


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("list-type=2", ["Name", "Prefix", "MaxKeys", "IsTruncated", "Contents", "KeyCount"]),
        ("", ["Name", "Prefix", "MaxKeys", "IsTruncated", "Contents"]),
        ("marker=d%2F1", ["Name", "Prefix", "Marker", "MaxKeys", "IsTruncated", "Contents"]),
        ("uploads", ["Name", "Bucket", "Prefix", "IsTruncated", "MaxUploads", "KeyCount"]),
    ],
)
async def test_a_list_says_what_it_was_asked_and_no_more(
    storage: Storage, query: str, expected: list[str]
):
    assert list(dict.fromkeys(elements(await send(storage, "GET", f"/s3/w?{query}")))) == expected


async def test_a_page_of_folders_goes_on_behind_its_last_folder(storage: Storage):
    page = await send(storage, "GET", "/s3/w?max-keys=2&delimiter=%2F")
    assert "<NextMarker>d/</NextMarker>" in page.text
    rest = await send(storage, "GET", "/s3/w?max-keys=2&delimiter=%2F&marker=d%2F")
    assert re.findall("<(?:Key|Prefix)>([^<]+)", rest.text) == ["z"]


async def test_keys_are_written_as_asked(storage: Storage):
    for query in ("list-type=2&encoding-type=url", "encoding-type=url"):
        shown = (await send(storage, "GET", f"/s3/w?{query}")).text
        assert re.findall("<Key>([^<]+)", shown) == ["a%20b", "d%2F1", "d%2F2", "z"]
    allowed = "Querystring, encoding-type must be equal to one of the allowed values"
    for query in ("list-type=2&encoding-type=x", "encoding-type=", "uploads&encoding-type=x"):
        answer = await send(storage, "GET", f"/s3/w?{query}")
        assert refused(answer) == (400, "InvalidRequest", allowed)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("max-keys=x", "Querystring, max-keys must be integer"),
        ("max-keys=", "Querystring, max-keys must be integer"),
        ("uploads&max-uploads=", "Querystring, max-uploads must be integer"),
        ("max-keys=-1", "Querystring, max-keys must be >= 0"),
        ("uploads&max-uploads=0", "Querystring, max-uploads must be >= 1"),
        ("uploads&max-uploads=1001", "Querystring, max-uploads must be <= 1000"),
        ("uploads&max-uploads=x", "Querystring, max-uploads must be integer"),
        ("list-type=2&continuation-token=%21", "Invalid Parameter continuation token"),
    ],
)
async def test_a_page_that_does_not_fit_is_refused(storage: Storage, query: str, message: str):
    status, code, text = refused(await send(storage, "GET", f"/s3/w?{query}"))
    assert (status, text) == (400, message)
    assert code == ("InvalidRequest" if message.startswith("Query") else "InvalidParameter")


@pytest.mark.parametrize("key", [".", "x/..", "./x"])
async def test_an_upload_in_parts_to_a_path_out_of_its_bucket_is_refused_at_once(
    storage: Storage, key: str
):
    refusal = refused(await send(storage, "POST", f"/s3/w/{key.replace('.', '%2E')}?uploads="))
    assert refusal == (400, "InvalidKey", f"Invalid key: {key}")


async def test_a_refusal_names_its_resource_without_empty_segments(storage: Storage):
    answer = await send(storage, "GET", "/s3/w//none/")
    assert "<Resource>w/none</Resource>" in answer.text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<Delete/>", "Body, Delete must be object"),
        (
            b"<Other><Object><Key>x</Key></Object></Other>",
            "Body must have required property 'Delete'",
        ),
        (b"<Delete><Object/></Delete>", "Body, Delete, Object, 0 must be object"),
        (
            b"<Delete><Object><Size>1</Size></Object></Delete>",
            "Body, Delete, Object, 0 must have required property 'Key'",
        ),
        (
            b"<Delete><Quiet>true</Quiet></Delete>",
            "Body, Delete must have required property 'Object'",
        ),
    ],
)
async def test_a_document_that_names_nothing_to_be_removed_is_refused(
    storage: Storage, body: bytes, message: str
):
    answer = await send(storage, "POST", "/s3/w?delete", XML, body)
    assert refused(answer) == (400, "InvalidRequest", message)


async def test_parts_that_are_wrong_or_missing_are_named(storage: Storage):
    begun = await send(storage, "POST", "/s3/w/parts?uploads")
    [upload] = re.findall("<UploadId>([^<]+)", begun.text)
    path = f"/s3/w/parts?uploadId={upload}"
    stored = await send(storage, "PUT", f"{path}&partNumber=1", body=b"one")
    assert stored.headers["access-control-expose-headers"] == "etag"
    assert "PartNumberMarker" not in elements(await send(storage, "GET", path))

    async def complete(number: int, etag: str) -> httpx2.Response:
        part = f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>"
        body = f"<CompleteMultipartUpload>{part}</CompleteMultipartUpload>"
        return await send(storage, "POST", path, XML, body.encode())

    wrong = await complete(1, "x")
    assert refused(wrong) == (400, "InvalidChecksum", "Invalid ETag for part 1")
    missing = await complete(7, "x")
    message = f"Part 7 is missing for upload id {upload}"
    assert refused(missing) == (400, "MissingPart", message)
    done = await complete(1, stored.headers["etag"])
    assert "<Location>w/parts</Location>" in done.text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<CompleteMultipartUpload/>", "Body, CompleteMultipartUpload must be object"),
        (b"{}", ""),
    ],
)
async def test_a_document_of_parts_is_judged_before_its_upload_is_sought(
    storage: Storage, body: bytes, message: str
):
    status, code, text = refused(await send(storage, "POST", "/s3/w/none?uploadId=none", XML, body))
    assert (status, code) == (400, "InvalidRequest" if message else "MalformedXML")
    assert text.startswith(message)


@pytest.mark.parametrize(
    ("query", "refusal"),
    [
        ("partNumber=-1", ("InvalidRequest", "Querystring, partNumber must be >= 1")),
        ("partNumber=-0", ("InvalidRequest", "Querystring, partNumber must be >= 1")),
        ("partNumber=10001", ("InvalidRequest", "Querystring, partNumber must be <= 10000")),
        ("partNumber=--1", ("InvalidRequest", "Querystring, partNumber must be integer")),
        (
            "part-number-marker=abc",
            ("InvalidParameter", 'invalid input syntax for type integer: "abc"'),
        ),
    ],
)
async def test_a_number_of_a_part_that_is_none_is_refused(
    storage: Storage, query: str, refusal: tuple[str, str]
):
    begun = await send(storage, "POST", "/s3/w/numbers?uploads")
    [upload] = re.findall("<UploadId>([^<]+)", begun.text)
    method = "PUT" if query.startswith("partNumber") else "GET"
    answer = await send(storage, method, f"/s3/w/numbers?uploadId={upload}&{query}")
    assert refused(answer) == (400, *refusal)


async def test_an_upload_is_completed_with_all_its_parts_where_none_is_named(storage: Storage):
    begun = await send(storage, "POST", "/s3/w/all?uploads")
    [upload] = re.findall("<UploadId>([^<]+)", begun.text)
    for number in (2, 1):
        path = f"/s3/w/all?uploadId={upload}&partNumber={number}"
        await send(storage, "PUT", path, body=b"part %d " % number)
    done = await send(storage, "POST", f"/s3/w/all?uploadId={upload}")
    digest = hashlib.md5(b"part 1 part 2 ").hexdigest()
    assert f'<ETag>"{digest}"</ETag>' in done.text
    assert (await send(storage, "GET", "/s3/w/all")).content == b"part 1 part 2 "


async def test_parts_are_joined_by_their_numbers_and_each_once(storage: Storage):
    begun = await send(storage, "POST", "/s3/w/twice?uploads")
    [upload] = re.findall("<UploadId>([^<]+)", begun.text)
    path, parts = f"/s3/w/twice?uploadId={upload}", ""
    for number in (1, 2):
        answer = await send(storage, "PUT", f"{path}&partNumber={number}", body=b"%d" % number)
        tag = answer.headers["etag"]
        parts = f"<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>{parts * 2}"
    body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>"
    assert (await send(storage, "POST", path, XML, body.encode())).status_code == 200
    assert (await send(storage, "GET", "/s3/w/twice")).content == b"12"


async def test_parts_that_come_at_the_same_time_are_no_more_than_the_limit(storage: Storage):
    await storage.bucket("ten", file_size_limit=10)
    begun = await send(storage, "POST", "/s3/ten/sum?uploads")
    [upload] = re.findall("<UploadId>([^<]+)", begun.text)
    path = f"/s3/ten/sum?uploadId={upload}"
    answers = await asyncio.gather(
        *(send(storage, "PUT", f"{path}&partNumber={n}", body=bytes(6)) for n in range(1, 6))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 413, 413, 413, 413]
    assert (await send(storage, "POST", path)).status_code == 200
    assert (await send(storage, "GET", "/s3/ten/sum")).content == bytes(6)


async def test_a_part_that_is_sent_again_counts_once(storage: Storage):
    await storage.bucket("eleven", file_size_limit=11)
    begun = await send(storage, "POST", "/s3/eleven/again?uploads")
    [upload] = re.findall("<UploadId>([^<]+)", begun.text)
    path = f"/s3/eleven/again?uploadId={upload}"
    sent = ((1, 6, 200), (2, 5, 200), (1, 6, 200), (2, 6, 413), (2, 5, 200))
    for number, size, status in sent:
        answer = await send(storage, "PUT", f"{path}&partNumber={number}", body=bytes(size))
        assert answer.status_code == status, (number, size)
    assert (await send(storage, "POST", path)).status_code == 200
    assert (await send(storage, "GET", "/s3/eleven/again")).content == bytes(11)


async def test_a_part_whose_upload_ends_meanwhile_is_told_so(storage: Storage):
    begun = await send(storage, "POST", "/s3/w/over?uploads")
    [upload] = re.findall("<UploadId>([^<]+)", begun.text)
    path = f"/s3/w/over?uploadId={upload}"
    async with asyncio.timeout(60):
        part, aborted = await asyncio.gather(
            send(storage, "PUT", f"{path}&partNumber=1", body=bytes(3_000_000)),
            send(storage, "DELETE", path),
        )
    assert aborted.status_code == 200
    if part.status_code != 200:  # else it came first
        assert refused(part) == (404, "NoSuchUpload", "Upload not found")
    late = await send(storage, "PUT", f"{path}&partNumber=1", body=b"late")
    assert refused(late) == (404, "NoSuchUpload", "Upload not found")
    rows = await storage.rows("select from storage.s3_multipart_uploads_parts where key = 'over'")
    assert rows == []


async def test_an_object_read_by_s3_is_cached_as_it_was_stored(storage: Storage):
    await send(storage, "PUT", "/s3/w/z", {"cache-control": "max-age=5"}, b"x")
    for method in ("GET", "HEAD"):
        answer = await send(storage, method, "/s3/w/z", {"if-none-match": '"other"'})
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "max-age=5")


async def test_head_sends_the_headers_that_get_would(storage: Storage):
    path = "/s3/w/d/1?response-content-type=a%2Fb&response-content-language=de"
    answers = [await send(storage, method, path) for method in ("GET", "HEAD")]
    read, head = ({**answer.headers, "date": ""} for answer in answers)
    assert (read, read["content-type"]) == (head, "a/b")
    empty = await send(storage, "GET", "/s3/w/d/1?response-content-type=")
    assert empty.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize(
    ("authorization", "expected"),
    [
        ("", (403, "AccessDenied", "Missing signature")),
        ("AWS4-HMAC-SHA256", (403, "AccessDenied", "Missing signature")),
        ("AWS4-HMAC-SHA256 Credential=x", (400, "InvalidSignature", "Invalid signature format")),
        (
            "AWS4-HMAC-SHA256 Credential=a/b/l/s3/aws4_request, SignedHeaders=host, Signature=x",
            (400, "InvalidSignature", "Invalid signature format"),
        ),
        ("AWS x:y", (403, "AccessDenied", "Missing signature")),
    ],
)
async def test_a_header_that_is_no_signature_is_refused(
    storage: Storage, authorization: str, expected: tuple[int, str, str]
):
    headers = {"authorization": authorization}
    answer = await storage.call("GET", "/s3/w", token=None, headers=headers)
    assert refused(answer) == expected


async def test_a_wrong_secret_of_a_session_says_that_it_is_one(storage: Storage):
    variables = {"x-amz-date": "20260101T000000Z", "x-amz-security-token": MEMBER}
    signature = (
        "AWS4-HMAC-SHA256 Credential=stub/20260101/local/s3/aws4_request,"
        " SignedHeaders=host, Signature=x"
    )
    headers = {"authorization": signature, **variables}
    answer = await storage.call("GET", "/s3/w", token=None, headers=headers)
    message = "Check your credentials. The session token should be a valid JWT token"
    status, code, text = refused(answer)
    assert (status, code, text.endswith(message)) == (403, "SignatureDoesNotMatch", True)


async def test_a_presigned_time_that_is_none_is_refused(storage: Storage):
    request = AWSRequest("GET", "http://storage.test/s3/w/z", headers={})
    S3SigV4QueryAuth(KEY, "s3", "local", expires=-1).add_auth(request)
    path = request.url.partition("storage.test")[2]
    answer = await storage.call("GET", path, token=None)
    assert refused(answer) == (400, "InvalidSignature", "Invalid expiration")


async def test_a_bucket_of_no_name_is_none(storage: Storage):
    answers = [await send(storage, method, "/s3/") for method in ("PUT", "DELETE")]
    assert [refused(answer)[:2] for answer in answers] == [
        (400, "InvalidBucketName"),
        (404, "NoSuchBucket"),
    ]
    outside = await send(storage, "PUT", "/s3")
    message = {"message": "Route PUT:/s3 not found", "error": "Not Found", "statusCode": 404}
    assert (outside.status_code, outside.json()) == (404, message)


async def test_metadata_that_no_header_can_hold_is_counted(storage: Storage):
    encoded = base64.b64encode('{"plain": "a b", "other": "ñ", "number": 5}'.encode()).decode()
    await storage.put("w/counted", headers={"x-metadata": encoded})
    answer = await send(storage, "GET", "/s3/w/counted")
    assert answer.headers["x-amz-meta-plain"] == "a b"
    assert answer.headers["x-amz-missing-meta"] == "2"
    assert "x-amz-meta-other" not in answer.headers


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
async def test_a_signed_header_may_come_in_either_encoding(storage: Storage, encoding: str):
    request = AWSRequest("PUT", "http://storage.test/s3/w/copied", {"x-amz-copy-source": "w/é"})
    S3SigV4Auth(KEY, "s3", "local").add_auth(request)
    signed = [(name, str(value).encode(encoding)) for name, value in request.headers.items()]
    answer = await storage.client.put("/s3/w/copied", headers=signed)
    assert refused(answer) == (404, "NoSuchKey", "Object not found")


async def test_a_type_that_is_none_is_refused_in_xml(storage: Storage):
    answer = await send(
        storage, "PUT", "/s3/w/typeless", body=b"x", headers={"content-type": "bad"}
    )
    assert refused(answer) == (415, "InvalidRequest", "Unsupported Media Type")


async def test_a_query_of_thousands_of_parameters_is_refused_before_its_signature(storage: Storage):
    answer = await storage.client.get("/s3/w?" + "&".join(["a=b"] * 201))
    assert (answer.status_code, "<Code>FST_ERR_BAD_URL</Code>" in answer.text) == (400, True)
    assert (await storage.client.get("/s3/w?" + "&".join(["a=b"] * 200))).status_code == 403
