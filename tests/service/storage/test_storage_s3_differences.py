"""Where S3 answers otherwise than the original, row by row (storage reference 11)."""

from __future__ import annotations

import re

import pytest
import pytest_asyncio
from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest

from tests.harness_storage import Storage
from tests.harness_storage_s3 import KEY, refused, send

XML = {"content-type": "application/xml"}


@pytest_asyncio.fixture(scope="module", autouse=True)
async def _buckets(storage: Storage) -> None:
    await storage.bucket("d")
    await storage.bucket("images", allowed_mime_types=["image/png"])
    await storage.put("d/source")


async def begin(storage: Storage, key: str) -> str:
    """The path of a new upload in parts."""
    begun = await send(storage, "POST", f"/s3/d/{key}?uploads")
    [upload] = re.findall("<UploadId>([^<]+)", begun.text)
    return f"/s3/d/{key}?uploadId={upload}"


def parts(etag: str) -> bytes:
    part = f"<Part><PartNumber>1</PartNumber><ETag>{etag}</ETag></Part>"
    return f"<CompleteMultipartUpload>{part}</CompleteMultipartUpload>".encode()


@pytest.mark.parametrize("quote", ["", '"'])
async def test_a_part_is_named_by_its_tag_with_or_without_quotes(storage: Storage, quote: str):
    path = await begin(storage, "quotes")
    stored = await send(storage, "PUT", f"{path}&partNumber=1", body=b"one")
    tag = stored.headers["etag"].strip('"')
    done = await send(storage, "POST", path, XML, parts(f"{quote}{tag}{quote}"))
    assert done.status_code == 200, done.text


async def test_an_upload_under_another_key_than_its_own_is_not_found(storage: Storage):
    path = await begin(storage, "own")
    stored = await send(storage, "PUT", f"{path}&partNumber=1", body=b"one")
    other = path.replace("/own?", "/other?")
    copy = {"x-amz-copy-source": "d/source"}
    answers = [
        await send(storage, "GET", other),
        await send(storage, "PUT", f"{other}&partNumber=2", body=b"two"),
        await send(storage, "PUT", f"{other}&partNumber=2", copy),
        await send(storage, "POST", other, XML, parts(stored.headers["etag"])),
        await send(storage, "DELETE", other),
    ]
    assert {refused(answer)[:2] for answer in answers} == {(404, "NoSuchUpload")}
    assert re.findall("<PartNumber>([^<]+)", (await send(storage, "GET", path)).text) == ["1"]


async def test_an_upload_without_a_type_is_refused_where_its_bucket_has_types(storage: Storage):
    answer = await send(storage, "POST", "/s3/images/x?uploads")
    message = "mime type application/octet-stream is not supported"
    assert refused(answer) == (415, "InvalidMimeType", message)
    typed = await send(storage, "POST", "/s3/images/x?uploads", {"content-type": "image/png"})
    assert typed.status_code == 200, typed.text


async def test_an_upload_in_parts_begins_by_a_presigned_url(storage: Storage):
    request = AWSRequest("POST", "http://storage.test/s3/d/presigned?uploads=", headers={})
    S3SigV4QueryAuth(KEY, "s3", "local", expires=60).add_auth(request)
    path = request.url.partition("storage.test")[2]
    answer = await storage.call("POST", path, token=None)
    assert (answer.status_code, "<UploadId>" in answer.text) == (200, True)


async def test_a_part_that_is_copied_from_a_bucket_without_a_key_is_refused(storage: Storage):
    path = await begin(storage, "copied")
    copy = {"x-amz-copy-source": "d"}
    of_a_part = refused(await send(storage, "PUT", f"{path}&partNumber=1", copy))
    of_an_object = refused(await send(storage, "PUT", "/s3/d/copied", copy))
    assert of_a_part == of_an_object
    assert of_a_part[:2] == (400, "MissingParameter")


async def test_an_object_written_without_a_type_is_read_as_bytes(storage: Storage):
    await send(storage, "PUT", "/s3/d/typeless", body=b"x")
    answer = await send(storage, "GET", "/s3/d/typeless")
    assert answer.headers["content-type"] == "application/octet-stream"


async def test_removals_without_a_document_are_refused(storage: Storage):
    status, code, message = refused(await send(storage, "POST", "/s3/d?delete"))
    assert (status, code) == (400, "InvalidRequest")
    assert message == "Body, Delete must have required property 'Object'"


async def test_a_token_of_a_page_that_is_no_utf8_is_refused_as_a_token(storage: Storage):
    answer = await send(storage, "GET", "/s3/d?list-type=2&continuation-token=%FF")
    assert refused(answer) == (400, "InvalidParameter", "Invalid Parameter continuation token")


@pytest.mark.parametrize(
    "added",
    [
        {"x-amz-copy-source": "d/secret"},
        {"x-amz-meta-a": "b"},
        {"x-amz-metadata-directive": "REPLACE"},
    ],
)
async def test_who_was_given_a_signed_url_adds_no_header_that_makes_another_request_of_it(
    storage: Storage, added: dict[str, str]
):
    await storage.put("d/secret", b"secret")
    request = AWSRequest("PUT", "http://storage.test/s3/d/given", headers={})
    S3SigV4QueryAuth(KEY, "s3", "local", expires=60).add_auth(request)
    path = str(request.url).removeprefix("http://storage.test")
    answer = await storage.call("PUT", path, token=None, content=b"mine", headers=added)
    assert refused(answer) == (
        403,
        "AccessDenied",
        "There were headers present in the request which were not signed",
    )
    assert (await storage.call("GET", "/object/d/given")).json()["code"] == "NoSuchKey"
