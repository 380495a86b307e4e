"""S3 by the stock client (boto3) against the service as a process (storage reference 11)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from botocore.exceptions import ClientError

from tests.conftest import Server
from tests.harness_storage import ANON, MEMBER, storage_process
from tests.harness_storage_s3 import KEY, S3_VARIABLES, client


@pytest.fixture(scope="module")
def address(
    server: Server, services_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    url = server.url(services_database, "supabase_storage_admin")
    extra = S3_VARIABLES | {"ANON_KEY": ANON, "UPLOAD_FILE_SIZE_LIMIT": "20000000"}
    with storage_process(url, tmp_path_factory.mktemp("s3"), **extra) as (_, address):
        yield address


@pytest.fixture(scope="module")
def s3(address: str) -> Any:
    made = client(address)
    made.create_bucket(Bucket="b")
    return made


def code(error: pytest.ExceptionInfo[ClientError]) -> tuple[int, str]:
    answer = error.value.response
    return answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]


def test_buckets_are_made_found_and_deleted(s3: Any):
    s3.create_bucket(Bucket="open", ACL="public-read")
    assert {"b", "open"} <= {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}
    assert (
        s3.head_bucket(Bucket="open")["ResponseMetadata"]["HTTPHeaders"]["x-amz-bucket-region"]
        == "local"
    )
    assert s3.get_bucket_location(Bucket="b")["LocationConstraint"] == "local"
    assert s3.get_bucket_versioning(Bucket="b")["Status"] == "Suspended"
    with pytest.raises(ClientError) as taken:
        s3.create_bucket(Bucket="open")
    assert code(taken) == (409, "BucketAlreadyExists")
    s3.delete_bucket(Bucket="open")
    with pytest.raises(ClientError) as missing:
        s3.head_bucket(Bucket="open")
    assert code(missing)[0] == 404


def test_an_object_comes_back_with_its_metadata(s3: Any):
    s3.put_object(
        Bucket="b", Key="a/b c+d.txt", Body=b"hello", ContentType="text/css", Metadata={"k": "v"}
    )
    read = s3.get_object(Bucket="b", Key="a/b c+d.txt")
    assert (read["Body"].read(), read["ContentType"], read["Metadata"]) == (
        b"hello",
        "text/css",
        {"k": "v"},
    )
    assert read["ETag"] == f'"{hashlib.md5(b"hello").hexdigest()}"'
    assert s3.head_object(Bucket="b", Key="a/b c+d.txt")["ContentLength"] == 5
    part = s3.get_object(
        Bucket="b", Key="a/b c+d.txt", Range="bytes=1-2", ResponseContentType="a/b"
    )
    assert (part["Body"].read(), part["ContentType"]) == (b"el", "a/b")
    assert s3.get_object_tagging(Bucket="b", Key="a/b c+d.txt")["TagSet"] == []
    with pytest.raises(ClientError) as missing:
        s3.get_object(Bucket="b", Key="nothing")
    assert code(missing) == (404, "NoSuchKey")


def test_lists_have_pages_and_prefixes(s3: Any):
    for key in ("l/1", "l/2", "l/c/3", "l/d/4", "l/z"):
        s3.put_object(Bucket="b", Key=key, Body=b"x")
    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket="b", Prefix="l/", Delimiter="/", PaginationConfig={"PageSize": 2}
    )
    found = [
        entry for page in pages
        for entry in [*(o["Key"] for o in page.get("Contents", [])), *(p["Prefix"] for p in page.get("CommonPrefixes", []))]
    ]  # fmt: skip
    assert sorted(found) == ["l/1", "l/2", "l/c/", "l/d/", "l/z"]
    first = s3.list_objects(Bucket="b", Prefix="l/", MaxKeys=2)
    assert [entry["Key"] for entry in first["Contents"]] == ["l/1", "l/2"]
    rest = s3.list_objects(Bucket="b", Prefix="l/", Marker="l/2")
    assert [entry["Key"] for entry in rest["Contents"]] == ["l/c/3", "l/d/4", "l/z"]
    with pytest.raises(ClientError) as missing:
        s3.list_objects_v2(Bucket="none")
    assert code(missing) == (404, "NoSuchBucket")


def test_copies_and_removals(s3: Any):
    s3.put_object(Bucket="b", Key="c1", Body=b"copied", Metadata={"a": "1"})
    s3.copy_object(Bucket="b", Key="c2", CopySource="b/c1")
    assert s3.head_object(Bucket="b", Key="c2")["Metadata"] == {"a": "1"}
    s3.copy_object(
        Bucket="b", Key="c2", CopySource="b/c1", MetadataDirective="REPLACE", Metadata={"b": "2"}
    )
    assert s3.head_object(Bucket="b", Key="c2")["Metadata"] == {"b": "2"}
    s3.delete_object(Bucket="b", Key="c1")
    s3.delete_object(Bucket="b", Key="c1")
    many = s3.delete_objects(Bucket="b", Delete={"Objects": [{"Key": "c2"}, {"Key": "none"}]})
    assert sorted(entry["Key"] for entry in many["Deleted"]) == ["c2", "none"]


def test_an_upload_in_parts(s3: Any):
    upload = s3.create_multipart_upload(Bucket="b", Key="big", ContentType="a/b")["UploadId"]
    data = [b"a" * 5_300_000, b"b" * 10]
    parts = [
        {
            "PartNumber": n,
            "ETag": s3.upload_part(Bucket="b", Key="big", UploadId=upload, PartNumber=n, Body=body)[
                "ETag"
            ],
        }
        for n, body in enumerate(data, 1)
    ]
    s3.put_object(Bucket="b", Key="source", Body=b"0123456789")
    copied = s3.upload_part_copy(
        Bucket="b",
        Key="big",
        UploadId=upload,
        PartNumber=3,
        CopySource="b/source",
        CopySourceRange="bytes=2-4",
    )
    parts.append({"PartNumber": 3, "ETag": copied["CopyPartResult"]["ETag"]})
    listed = s3.list_parts(Bucket="b", Key="big", UploadId=upload)["Parts"]
    assert [part["Size"] for part in listed] == [5_300_000, 10, 3]
    wrong = [{"PartNumber": 1, "ETag": "no"}]
    with pytest.raises(ClientError) as refused:
        s3.complete_multipart_upload(
            Bucket="b", Key="big", UploadId=upload, MultipartUpload={"Parts": wrong}
        )
    assert code(refused) == (400, "InvalidChecksum")
    absent = [{"PartNumber": 9, "ETag": "no"}]
    with pytest.raises(ClientError) as refused:
        s3.complete_multipart_upload(
            Bucket="b", Key="big", UploadId=upload, MultipartUpload={"Parts": absent}
        )
    assert code(refused) == (400, "MissingPart")
    s3.complete_multipart_upload(
        Bucket="b", Key="big", UploadId=upload, MultipartUpload={"Parts": parts}
    )
    whole = b"".join(data) + b"234"
    read = s3.get_object(Bucket="b", Key="big")
    assert (read["Body"].read() == whole, read["ContentType"]) == (True, "a/b")
    assert read["ETag"] == f'"{hashlib.md5(whole).hexdigest()}"'
    with pytest.raises(ClientError) as gone:
        s3.abort_multipart_upload(Bucket="b", Key="big", UploadId=upload)
    assert code(gone) == (404, "NoSuchUpload")


def test_an_upload_in_parts_is_given_up(s3: Any):
    upload = s3.create_multipart_upload(Bucket="b", Key="up")["UploadId"]
    s3.upload_part(Bucket="b", Key="up", UploadId=upload, PartNumber=1, Body=b"x")
    s3.abort_multipart_upload(Bucket="b", Key="up", UploadId=upload)
    with pytest.raises(ClientError) as gone:
        s3.list_parts(Bucket="b", Key="up", UploadId=upload)
    assert code(gone) == (404, "NoSuchUpload")


def test_a_presigned_url_is_of_one_method_and_object(s3: Any):
    s3.put_object(Bucket="b", Key="pre signed", Body=b"signed")
    url = s3.generate_presigned_url(
        "get_object", {"Bucket": "b", "Key": "pre signed"}, ExpiresIn=60
    )
    assert httpx2.get(url).content == b"signed"
    for changed in (
        url.replace("pre%20signed", "other"),
        url.replace("X-Amz-Expires=60", "X-Amz-Expires=600"),
    ):
        refused = httpx2.get(changed)
        assert (refused.status_code, "SignatureDoesNotMatch" in refused.text) == (403, True)
    assert httpx2.put(url, content=b"x").status_code == 403
    late = s3.generate_presigned_url(
        "get_object", {"Bucket": "b", "Key": "pre signed"}, ExpiresIn=-5
    )
    assert httpx2.get(late).status_code in {400, 403}
    put = s3.generate_presigned_url("put_object", {"Bucket": "b", "Key": "pre put"}, ExpiresIn=60)
    assert httpx2.put(put, content=b"by url").status_code == 200


def test_a_wrong_key_secret_or_none_is_refused(s3: Any, address: str):
    for key, secret, expected in (
        (KEY.access_key, "wrong", "SignatureDoesNotMatch"),
        ("unknown", KEY.secret_key, "AccessDenied"),
    ):
        with pytest.raises(ClientError) as refused:
            client(address, key, secret).list_buckets()
        assert code(refused) == (403, expected)
    plain = httpx2.get(f"{address}/s3/b", headers={"authorization": f"Bearer {MEMBER}"})
    assert (plain.status_code, "Missing signature" in plain.text) == (403, True)


def test_a_session_token_acts_as_its_user(s3: Any, address: str):
    s3.put_object(Bucket="b", Key="hidden", Body=b"x")
    user = client(address, "stub", ANON, MEMBER)
    assert user.list_buckets()["Buckets"] == []
    assert "Contents" not in user.list_objects_v2(Bucket="b")
    with pytest.raises(ClientError) as refused:
        user.put_object(Bucket="b", Key="mine", Body=b"x")
    assert code(refused) == (403, "AccessDenied")
    many = user.delete_objects(Bucket="b", Delete={"Objects": [{"Key": "hidden"}]})
    assert many["Errors"][0]["Code"] == "AccessDenied"
    with pytest.raises(ClientError) as invalid:
        client(address, "stub", ANON, "garbage").list_buckets()
    assert code(invalid) == (403, "AccessDenied")


def test_a_limit_stops_an_upload(s3: Any):
    with pytest.raises(ClientError) as refused:
        s3.put_object(Bucket="b", Key="huge", Body=b"x" * 20_000_001)
    assert code(refused) == (413, "EntityTooLarge")
