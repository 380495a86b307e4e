"""S3 where no SDK call is: browsers' forms, uploads under way, dates and hashes (storage reference 11)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import ClientError

from tests.conftest import Server
from tests.harness_storage import ANON, MEMBER, storage_process
from tests.harness_storage_s3 import KEY, S3_VARIABLES, client


@pytest.fixture(scope="module")
def address(
    server: Server, services_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    url = server.url(services_database, "supabase_storage_admin")
    extra = S3_VARIABLES | {"ANON_KEY": ANON, "S3_PROTOCOL_CLOCK_SKEW": "900"}
    with storage_process(url, tmp_path_factory.mktemp("forms"), **extra) as (_, address):
        yield address


@pytest.fixture(scope="module")
def s3(address: str) -> Any:
    made = client(address)
    made.create_bucket(Bucket="b")
    return made


def post(made: dict[str, Any], body: bytes = b"by form", **more: str) -> httpx2.Response:
    return httpx2.post(
        made["url"], data={**made["fields"], **more}, files={"file": ("x", body, "text/css")}
    )


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.text.partition("<Code>")[2].partition("</Code>")[0]


def test_a_form_uploads_what_its_policy_allows(s3: Any):
    made = s3.generate_presigned_post(
        "b",
        "form/a.css",
        Fields={"Content-Type": "text/css", "x-amz-meta-by": "form"},
        Conditions=[
            {"Content-Type": "text/css"},
            ["starts-with", "$x-amz-meta-by", "fo"],
            ["content-length-range", 2, 10],
        ],
    )
    answer = post(made)
    assert answer.status_code == 200, answer.text
    read = s3.get_object(Bucket="b", Key="form/a.css")
    assert (read["Body"].read(), read["ContentType"], read["Metadata"]) == (
        b"by form",
        "text/css",
        {"by": "form"},
    )
    assert answer.headers["etag"] == read["ETag"]
    assert code(post(made, b"0123456789a")) == (413, "EntityTooLarge")
    assert code(post(made, b"0")) == (400, "EntityTooSmall")
    assert s3.get_object(Bucket="b", Key="form/a.css")["Body"].read() == b"by form"


@pytest.mark.parametrize(
    "changed",
    [
        {"key": "form/other"},
        {"Content-Type": "text/html"},
        {"x-amz-meta-more": "1"},
        {"x-amz-meta-by": "somebody"},
    ],
)
def test_a_field_that_the_policy_does_not_allow_is_refused(s3: Any, changed: dict[str, str]):
    made = s3.generate_presigned_post(
        "b",
        "form/b",
        Fields={"Content-Type": "text/css", "x-amz-meta-by": "form"},
        Conditions=[{"Content-Type": "text/css"}, ["eq", "$x-amz-meta-by", "form"]],
    )
    answer = post(made, **changed)
    assert code(answer) == (403, "AccessDenied")
    assert "Policy condition failed" in answer.text
    assert (
        code(httpx2.get(made["url"]))[0] == 403
    )  # nothing of the form is a signature of anything else


def test_a_form_of_another_bucket_time_or_secret_is_refused(s3: Any, address: str):
    s3.create_bucket(Bucket="elsewhere")
    made = s3.generate_presigned_post("b", "form/c")
    elsewhere = {**made, "url": made["url"].replace("/s3/b", "/s3/elsewhere")}
    assert code(post(elsewhere)) == (403, "AccessDenied")
    late = s3.generate_presigned_post("b", "form/c", ExpiresIn=-5)
    assert code(post(late)) == (400, "ExpiredToken")
    wrong = client(address, KEY.access_key, "wrong").generate_presigned_post("b", "form/c")
    assert code(post(wrong)) == (403, "SignatureDoesNotMatch")
    unknown = client(address, "unknown").generate_presigned_post("b", "form/c")
    assert code(post(unknown)) == (403, "AccessDenied")
    for missing in ("policy", "x-amz-signature", "x-amz-credential", "x-amz-date"):
        fields = {name: text for name, text in made["fields"].items() if name != missing}
        assert code(post({**made, "fields": fields})) == (400, "InvalidSignature"), missing
    no_key = {**made, "fields": {k: v for k, v in made["fields"].items() if k != "key"}}
    assert code(post(no_key)) == (403, "AccessDenied")
    unsigned = httpx2.post(f"{address}/s3/b", files={"file": ("x", b"x")})
    assert code(unsigned) == (400, "InvalidSignature")


def test_a_field_given_twice_is_refused(s3: Any):
    made = s3.generate_presigned_post("b", "form/d")
    assert code(post(made, KEY="form/d")) == (400, "InvalidSignature")


def test_a_form_of_a_session_asks_the_policies(s3: Any, address: str):
    made = client(address, "stub", ANON, MEMBER).generate_presigned_post("b", "form/e")
    answer = post(made)
    assert code(answer) == (403, "AccessDenied")
    assert "row-level security" in answer.text


@pytest.mark.parametrize(
    "policy",
    [
        "no base64",
        base64.b64encode(b"[]").decode(),
        base64.b64encode(b"{}").decode(),
        base64.b64encode(json.dumps({"expiration": "2999-01-01T00:00:00Z"}).encode()).decode(),
        base64.b64encode(
            json.dumps({"expiration": "2999-01-01T00:00:00Z", "conditions": [["eq", 1]]}).encode()
        ).decode(),
        base64.b64encode(json.dumps({"expiration": "no", "conditions": []}).encode()).decode(),
    ],
)
def test_a_policy_that_is_none_is_refused(s3: Any, policy: str):
    made = s3.generate_presigned_post("b", "form/f")
    made["fields"]["policy"] = policy
    signature = SigV4Auth(KEY, "s3", "local")
    request = AWSRequest("POST", made["url"])
    request.context["timestamp"] = made["fields"]["x-amz-date"]
    made["fields"]["x-amz-signature"] = signature.signature(policy, request)
    assert code(post(made)) == (400, "InvalidSignature")


def test_uploads_under_way_are_listed_by_pages_and_folders(s3: Any):
    s3.create_bucket(Bucket="pending")
    begun = [
        (key, s3.create_multipart_upload(Bucket="pending", Key=key)["UploadId"])
        for key in ("a", "a", "f/1", "f/2", "g/1", "z")
    ]
    whole = s3.list_multipart_uploads(Bucket="pending")
    assert [(one["Key"], one["UploadId"]) for one in whole["Uploads"]] == sorted(begun)
    assert not whole["IsTruncated"]
    found: list[str] = []
    pages = s3.get_paginator("list_multipart_uploads").paginate(
        Bucket="pending", Delimiter="/", PaginationConfig={"PageSize": 2}
    )
    for page in pages:
        found += [one["Key"] for one in page.get("Uploads", [])]
        found += [one["Prefix"] for one in page.get("CommonPrefixes", [])]
    assert sorted(found) == ["a", "a", "f/", "g/", "z"]
    below = s3.list_multipart_uploads(Bucket="pending", Prefix="f/")
    assert [one["Key"] for one in below["Uploads"]] == ["f/1", "f/2"]
    with pytest.raises(ClientError) as missing:
        s3.list_multipart_uploads(Bucket="none")
    assert missing.value.response["Error"]["Code"] == "NoSuchBucket"
    with pytest.raises(ClientError) as refused:
        s3.delete_bucket(Bucket="pending")
    assert refused.value.response["Error"]["Code"] == "ResourceReferenced"


def test_who_may_not_see_uploads_sees_none(s3: Any, address: str):
    begun = s3.create_multipart_upload(Bucket="b", Key="unseen")
    user = client(address, "stub", ANON, MEMBER)
    assert "Uploads" not in user.list_multipart_uploads(Bucket="b")
    with pytest.raises(ClientError) as refused:
        user.list_parts(Bucket="b", Key="unseen", UploadId=begun["UploadId"])
    assert refused.value.response["Error"]["Code"] == "AccessDenied"


def test_a_folder_of_nothing_is_its_placeholder(s3: Any):
    s3.put_object(Bucket="b", Key="folder/", Body=b"")
    listed = s3.list_objects_v2(Bucket="b", Prefix="folder/")["Contents"]
    assert [one["Key"] for one in listed] == ["folder/.emptyFolderPlaceholder"]


def test_more_than_a_thousand_removals_at_once_are_refused(s3: Any):
    many = [{"Key": f"k{number}"} for number in range(1001)]
    with pytest.raises(ClientError) as refused:
        s3.delete_objects(Bucket="b", Delete={"Objects": many})
    assert refused.value.response["Error"]["Code"] == "MalformedXML"


def signed(
    address: str, when: datetime, digest: str | None = None, body: bytes = b"signed"
) -> httpx2.Response:
    """A PUT signed as of a moment, its body's hash as given."""
    request = AWSRequest("PUT", f"{address}/s3/b/dated", data=body)
    request.context["timestamp"] = when.strftime("%Y%m%dT%H%M%SZ")
    request.headers["X-Amz-Date"] = request.context["timestamp"]
    auth = SigV4Auth(KEY, "s3", "local")
    digest = digest or auth.payload(request)
    request.headers["X-Amz-Content-SHA256"] = digest
    headers = auth.headers_to_sign(request)
    canonical = "\n".join(
        ("PUT", "/s3/b/dated", "", f"{auth.canonical_headers(headers)}\n", auth.signed_headers(headers), digest)
    )  # fmt: skip
    text = auth.string_to_sign(request, canonical)
    credential = f"{KEY.access_key}/{auth.credential_scope(request)}"
    request.headers["Authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={auth.signed_headers(headers)},"
        f" Signature={auth.signature(text, request)}"
    )
    return httpx2.put(request.url, content=body, headers=dict(request.headers.items()))


def test_a_request_signed_at_another_time_is_refused_where_clocks_are_compared(
    s3: Any, address: str
):
    now = datetime.now(UTC)
    assert signed(address, now).status_code == 200
    for when in (now - timedelta(hours=1), now + timedelta(hours=1)):
        assert code(signed(address, when)) == (403, "RequestTimeTooSkewed")


def test_a_body_that_is_not_the_signed_one_is_refused_and_not_kept(s3: Any, address: str):
    s3.put_object(Bucket="b", Key="dated", Body=b"before")
    answer = signed(address, datetime.now(UTC), "0" * 64, b"other")
    assert code(answer) == (400, "XAmzContentSHA256Mismatch")
    assert s3.get_object(Bucket="b", Key="dated")["Body"].read() == b"before"


def test_a_type_that_a_presigned_url_asks_for_makes_no_page(s3: Any):
    s3.put_object(Bucket="b", Key="page", Body=b"<script>1</script>")
    url = s3.generate_presigned_url(
        "get_object", {"Bucket": "b", "Key": "page", "ResponseContentType": "text/html"}
    )
    answer = httpx2.get(url)
    assert answer.headers["content-type"] == "text/plain"
    assert answer.headers["x-content-type-options"] == "nosniff"
