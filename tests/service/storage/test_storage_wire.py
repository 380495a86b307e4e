"""Small rows of the wire that clients rarely meet: storage reference 1, 3, 4, 5, 6 and 8.

What is expected is what the original answered to the same requests.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest

from compat_base.values import jsontext
from tests.harness_storage import SERVICE, USER, Storage, refusal, token

JSON = {"content-type": "application/json"}
FORM = {"content-type": "multipart/form-data; boundary=x"}
FILE = '--x\r\nContent-Disposition: form-data; name=""; filename="f"\r\n'


def invalid(message: str, error: str = "Error") -> tuple[int, str, str, str, str]:
    return 400, "400", error, "InvalidRequest", message


NO_HEADER = invalid("headers must have required property 'authorization'")
NO_JSON = invalid(
    "Body is not valid JSON but content-type is set to 'application/json'", "FastifyError"
)
EMPTY = invalid(
    "Body cannot be empty when content-type is set to 'application/json'", "FastifyError"
)
BAD_TOKEN = (400, "403", "Unauthorized", "AccessDenied", "Invalid Compact JWS")
BAD_NAME = (400, "400", "Invalid Input", "InvalidBucketName", "Bucket name invalid")


@pytest.fixture
async def files(storage: Storage) -> Storage:
    await storage.call("POST", "/bucket", json={"name": "b"})
    await storage.call("PUT", "/bucket/b", json={"file_size_limit": None})
    await storage.put("b/o", b"0123456789")
    return storage


@pytest.mark.parametrize(
    ("method", "path", "bearer", "content", "expected"),
    [
        ("POST", "/bucket", None, "{}", invalid("body must have required property 'name'")),
        ("POST", "/bucket", "x", "{}", invalid("body must have required property 'name'")),
        ("POST", "/bucket", None, '{"name":"n"}', NO_HEADER),
        ("POST", "/bucket", "x", '{"name":"n"}', BAD_TOKEN),
        ("GET", "/bucket?limit=x", None, "", invalid("querystring/limit must be integer")),
        ("GET", "/render/image/authenticated/b/o", None, "", BAD_TOKEN),
        ("POST", "/upload/resumable", None, "", BAD_TOKEN),
        ("DELETE", "/object/b/o", SERVICE, "", EMPTY),
        ("DELETE", "/object/b/o", SERVICE, "{", NO_JSON),
        ("DELETE", "/bucket/b", SERVICE, "{", NO_JSON),
        ("POST", "/bucket", SERVICE, '{"__proto__":1,"name":"n"}', NO_JSON),
        ("POST", "/bucket", SERVICE, '{"name":"n","public":{}}', invalid("body/public must be boolean")),
        ("POST", "/object/list/b", SERVICE, '{"prefix":"","sortBy":null}', invalid("body/sortBy must be object")),
        ("POST", "/object/list/%C3%A9", SERVICE, '{"prefix":""}', BAD_NAME),
        ("DELETE", "/object/b", SERVICE, '{"prefixes":{}}', invalid("body/prefixes must be array")),
    ],
)  # fmt: skip
async def test_shapes_are_judged_before_tokens(  # noqa: PLR0917 — a row of the table
    files: Storage, method: str, path: str, bearer: str | None, content: str, expected: object
):
    answer = await files.call(
        method, path, token=bearer, content=content, headers=JSON if method != "GET" else {}
    )
    assert refusal(answer) == expected


async def test_a_body_that_is_too_large_is_413(files: Storage):
    content = jsontext.encode({"name": "x" * 1_100_000})
    answer = await files.call("POST", "/bucket", content=content, headers=JSON)
    assert refusal(answer) == (
        413, "413", "FastifyError", "EntityTooLarge", "Request body is too large",
    )  # fmt: skip


async def test_a_broken_path_has_a_body_of_its_own(files: Storage):
    for method, path in (("GET", "/bucket/%zz"), ("POST", "/nowhere/%ff")):
        answer = await files.call(method, path)
        message = f"'{path}' is not a valid url component"
        assert answer.status_code == 400
        assert answer.json() == {
            "error": "Bad Request", "code": "FST_ERR_BAD_URL", "message": message, "statusCode": 400,
        }  # fmt: skip


@pytest.mark.parametrize(
    "path", ["/bucket", "/bucket/b", "/health", "/object/info/b/o", "/bucket/no"]
)
async def test_head_says_the_length_that_get_has(files: Storage, path: str):
    get, head = await files.call("GET", path), await files.call("HEAD", path)
    assert head.status_code == get.status_code
    assert head.headers["content-length"] == get.headers["content-length"]
    assert head.content == b""


async def test_a_get_may_say_any_content_type(files: Storage):
    answer = await files.call("GET", "/object/b/o", headers={"content-type": "image"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("limit", "stored"),
    [
        ("52.43MB", 52_400_000),
        ("1e3", 1000),
        ("+5", 5),
        (True, 1),
        ("  ", 0),
        ("", None),
        (None, None),
    ],
)
async def test_a_size_is_read_as_a_number_or_a_text(files: Storage, limit: object, stored: object):
    assert (
        await files.call("PUT", "/bucket/b", json={"file_size_limit": limit})
    ).status_code == 200
    assert (await files.call("GET", "/bucket/b")).json()["file_size_limit"] == stored


@pytest.mark.parametrize(
    ("limit", "errors"),
    [
        (-1, ["must be >= 0", "must match pattern"]),
        (1.5, ["must be integer", "must match pattern"]),
        (
            "1 KB",
            ["must be integer", 'must pass "finite" keyword validation', "must match pattern"],
        ),
        ({}, ["must be integer", 'must pass "finite" keyword validation', "must be string"]),
    ],
)
async def test_a_size_that_is_none_is_told_why(files: Storage, limit: object, errors: list[str]):
    body = refusal(await files.call("PUT", "/bucket/b", json={"file_size_limit": limit}))
    parts = [part.split(" ", 1)[1].partition(' "^')[0] for part in body[4].split(", body/")]
    assert parts[1:] == [*errors[1:], "must match a schema in anyOf"]
    assert body[4].startswith(f"body/file_size_limit {errors[0]}")


@pytest.mark.parametrize("key", ["%C3%A9", "%23", "~", "[a]"])
async def test_a_key_that_none_can_have_is_told_so_where_it_is_read(files: Storage, key: str):
    for method, path in (
        ("GET", f"/object/b/{key}"), ("GET", f"/object/info/b/{key}"), ("POST", f"/object/sign/b/{key}"),
    ):  # fmt: skip
        json = {"expiresIn": 60} if method == "POST" else None
        assert refusal(await files.call(method, path, json=json))[3] == "InvalidKey"
    assert refusal(await files.call("GET", "/object/b/a/../b"))[3] == "NoSuchKey"


async def test_a_signed_url_is_that_of_the_path_as_sent(files: Storage):
    await files.put("b/p+q", b"plus")
    answer = await files.call("POST", "/object/sign/b/p%2Bq", json={"expiresIn": 60})
    url = answer.json()["signedURL"]
    assert url.startswith("/object/sign/b/p%2Bq?token=")
    assert (await files.call("GET", url, token=None)).content == b"plus"
    twice = url.replace("%2B", "%252B")
    assert refusal(await files.call("GET", twice, token=None))[3] == "InvalidSignature"


@pytest.mark.parametrize(
    ("transform", "kind", "claim"),
    [
        ({"width": 10}, "render/image", "width:10,resize:undefined"),
        ({"quality": 50}, "render/image", "quality:50"),
        ({"width": 10, "gravity": "no", "y_offset": 3}, "render/image", "width:10,resize:undefined,gravity:no:0:3"),
        ({"resize": "cover"}, "object", None),
        ({"format": "origin"}, "object", None),
    ],
)  # fmt: skip
async def test_a_token_says_what_of_an_image_was_asked(
    files: Storage, transform: dict[str, Any], kind: str, claim: str | None
):
    body = {"expiresIn": 60, "transform": transform}
    url = (await files.call("POST", "/object/sign/b/o", json=body)).json()["signedURL"]
    assert url.startswith(f"/{kind}/sign/")
    payload = url.partition("token=")[2].split(".")[1]
    claims = jsontext.decode_object(base64.urlsafe_b64decode(payload + "=="))
    assert claims.get("transformations") == claim


async def test_head_and_info_say_how_an_image_would_be_rendered(files: Storage):
    for method, path in (("HEAD", "/object/b/o"), ("GET", "/object/info/b/o")):
        answer = await files.call(method, f"{path}?width=5&gravity=fp&x_offset=0.5&y_offset=0")
        assert answer.headers["x-transformations"] == "width:5,resizing_type:fill,gravity:fp:0.5:0"
        assert (await files.call(method, f"{path}?width=x")).status_code == 400
    assert (await files.call("GET", "/object/b/o?width=x")).content == b"0123456789"


async def test_an_empty_condition_and_an_empty_range_are_none(files: Storage):
    answer = await files.call("GET", "/object/b/o", headers={"if-none-match": "", "range": ""})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("NOINDEX", 'Invalid X-Robots-Tag rule: "NOINDEX"'),
        ("max-snippet:x", 'X-Robots-Tag "max-snippet" value must be an integer >= -1, got: "x"'),
        ("unavailable_after: x", 'X-Robots-Tag "unavailable_after" value must be a valid date, got: "x"'),
        ("bot:", 'X-Robots-Tag user agent "bot" has no rules specified'),
    ],
)  # fmt: skip
async def test_a_robots_rule_that_is_none_is_told_why(files: Storage, rule: str, reason: str):
    answer = await files.call("PUT", "/object/b/o", content=b"x", headers={"x-robots-tag": rule})
    assert refusal(answer)[2:] == (
        "invalid_x_robots_tag", "InvalidRequest", f"Invalid X-Robots-Tag header: {reason}",
    )  # fmt: skip


@pytest.mark.parametrize(
    "rule",
    [
        "noindex,",
        "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noindex",
        "bot: max-snippet:5, none",
    ],
)
async def test_a_robots_rule_is_sent_as_it_was_given(files: Storage, rule: str):
    await files.put("b/r", headers={"x-robots-tag": rule})
    assert (await files.call("GET", "/object/b/r")).headers["x-robots-tag"] == rule


@pytest.mark.parametrize(
    ("form", "content_type", "metadata"),
    [
        (f"{FILE}\r\nv\r\n--x--", "text/plain", {}),
        (f"{FILE}Content-Type: odd\r\n\r\nv\r\n--x--", "odd", {}),
        (
            '--x\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"a":1}\r\n' * 2
            + f"{FILE}\r\nv\r\n--x--",
            "text/plain", {},
        ),
    ],
)  # fmt: skip
async def test_what_a_form_says_of_its_file(
    files: Storage, form: str, content_type: str, metadata: dict[str, Any]
):
    headers = FORM | {"x-metadata": base64.b64encode(b'{"h":1}').decode()}
    answer = await files.call("PUT", "/object/b/f", content=form.encode(), headers=headers)
    assert answer.status_code == 200, answer.text
    info = (await files.call("GET", "/object/info/b/f")).json()
    assert (info["content_type"], info["metadata"]) == (content_type, metadata)


async def test_metadata_may_be_base64_of_either_alphabet(files: Storage):
    header = base64.urlsafe_b64encode('{"a":"ÿÿ?>"}'.encode()).decode().rstrip("=")
    await files.put("b/m", headers={"x-metadata": header})
    assert (await files.call("GET", "/object/info/b/m")).json()["metadata"] == {"a": "ÿÿ?>"}


async def test_who_writes_without_a_name_leaves_the_owner(files: Storage):
    nobody = token("service_role")
    copy = {"bucketId": "b", "sourceKey": "o", "destinationKey": "fresh"}
    answer = await files.call("POST", "/object/copy", json=copy, token=nobody)
    assert (answer.json()["owner"], answer.json()["owner_id"]) == ("", "")
    await files.put("b/o", b"new", token=nobody)
    rows = await files.rows("select owner_id from storage.objects where name = 'o'")
    assert rows == [{"owner_id": USER}]


async def test_a_copy_may_go_where_no_bucket_is(files: Storage):
    body = {"bucketId": "b", "sourceKey": "o", "destinationKey": "o", "destinationBucket": "é"}
    answer = refusal(await files.call("POST", "/object/copy", json=body))
    assert answer[3:] == ("InvalidRequest", "The related resource does not exist")


@pytest.mark.parametrize(
    ("path", "headers", "code"),
    [
        ("none/a%23b", {"x-robots-tag": "bad"}, "NoSuchBucket"),
        ("none/a", {"x-metadata": "WzFd"}, "NoSuchBucket"),
        ("none/a", FORM, "NoSuchBucket"),
        ("a%7Cb/a%23b", FORM, "InvalidBucketName"),
        ("typed/a%23b", {"content-type": "text/plain"}, "InvalidMimeType"),
        ("typed/a%23b", {"content-type": "image/png", "content-length": "9"}, "EntityTooLarge"),
        ("typed/a%23b", {"content-type": "image/png", "content-length": "1"}, "InvalidKey"),
    ],
)
async def test_an_upload_is_judged_by_its_bucket_then_its_type_length_and_key(
    files: Storage, path: str, headers: dict[str, str], code: str
):
    limits = {"file_size_limit": 5, "allowed_mime_types": ["image/png"]}
    await files.call("POST", "/bucket", json={"name": "typed", **limits})
    length = int(headers.get("content-length", 2))
    for method in ("POST", "PUT"):
        answer = await files.call(method, f"/object/{path}", content=b"x" * length, headers=headers)
        assert refusal(answer)[3] == code, method


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("PUT", "/bucket/{}", "InvalidBucketName"),
        ("GET", "/object/public/{}/k", "InvalidBucketName"),
        ("GET", "/render/image/public/{}/k", "InvalidBucketName"),
        ("GET", "/object/info/public/{}/k", "NoSuchBucket"),
        ("GET", "/object/{}/k", "NoSuchBucket"),
        ("GET", "/bucket/{}", "NoSuchBucket"),
    ],
)
async def test_a_bucket_that_none_can_be_named_so_is_told_by_each_route_in_its_own_words(
    files: Storage, method: str, path: str, code: str
):
    json = {"public": True} if method == "PUT" else None
    answer = await files.call(method, path.format("a%7Cb"), json=json)
    assert refusal(answer)[3] == code


def part(head: str, content: str = "v") -> str:
    return f"--x\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n"


TYPED_FILE = 'name=""; filename="f"\r\nContent-Type: text/css'
PICTURE = part('name="contentType"', "image/png")


@pytest.mark.parametrize(
    ("form", "mime_type"),
    [
        (part(TYPED_FILE) + PICTURE, "image/png"),
        (PICTURE + part(TYPED_FILE), "image/png"),
        (part("name=f; filename*=UTF-8''%e2%82%ac.png") + PICTURE, "image/png"),
        (part('name="f"; filename="a\\"b.png"\r\nContent-Type: image/gif'), "image/gif"),
        (part('name="f"; filename="ñ"\r\nContent-Type: image/gif\r\nContent-Type: a/b'), "image/gif"),
    ],
)  # fmt: skip
async def test_the_type_of_a_forms_file_is_judged_when_all_of_a_small_form_is_there(
    files: Storage, form: str, mime_type: str
):
    await files.call(
        "POST", "/bucket", json={"name": "pictures", "allowed_mime_types": ["image/*"]}
    )
    content = f"{form}--x--\r\n".encode()
    answer = await files.call("PUT", "/object/pictures/p", content=content, headers=FORM)
    assert answer.status_code == 200, answer.text
    assert (await files.call("GET", "/object/pictures/p")).headers["content-type"] == mime_type


async def test_an_empty_list_as_metadata_is_no_metadata(files: Storage):
    await files.put("b/m", headers={"x-metadata": base64.b64encode(b"[]").decode()})
    assert (await files.call("GET", "/object/info/b/m")).json()["metadata"] == {}


async def test_a_field_of_more_than_a_mebibyte_is_refused(files: Storage):
    form = part('name="metadata"', "x" * 1_048_577) + part(TYPED_FILE) + "--x--\r\n"
    answer = await files.call("PUT", "/object/b/f", content=form.encode(), headers=FORM)
    assert refusal(answer) == invalid("Malformed multipart data", "InvalidRequest")
