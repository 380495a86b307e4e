"""Which policies an operation needs: storage reference 2.10, each without and with them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from jwt.api_jws import PyJWS

from tests.harness_storage import ANON, MEMBER, OTHER, SECRET, USER, Storage, refusal, token
from tests.harness_storage_s3 import send, session

DENIED, NO_KEY, NO_BUCKET = "AccessDenied", "NoSuchKey", "NoSuchBucket"
ALL = ("select", "insert", "update", "delete")


@pytest.fixture(scope="module", autouse=True)
async def buckets(storage: Storage):
    await storage.bucket("b")
    await storage.bucket("other")


@asynccontextmanager
async def allowed(
    storage: Storage, *kinds: str, condition: str = "true", table: str = "objects", check: str = ""
) -> AsyncIterator[None]:
    """Policies of these kinds on a table, for the length of the block; `check` is UPDATE's own."""
    clause = {"insert": f"with check ({condition})"}
    if check:
        clause["update"] = f"using ({condition}) with check ({check})"
    await storage.run(
        *(
            f"create policy may_{kind} on storage.{table} for {kind} to authenticated"
            f" {clause.get(kind, f'using ({condition})')}"
            for kind in kinds
        )
    )
    try:
        yield
    finally:
        await storage.run(*(f"drop policy may_{kind} on storage.{table}" for kind in kinds))


async def outcome(storage: Storage, method: str, path: str, **more: Any) -> str:
    """`ok`, the code of the refusal, or the status where there is none."""
    if path.startswith("/s3"):
        headers, body = more.get("headers"), more.get("content", b"")
        answer = await send(storage, method, path, headers, body, session(MEMBER))
    else:
        answer = await storage.call(method, path, token=MEMBER, **more)
    if answer.status_code < 300:
        return "ok" if "<Error>" not in answer.text else answer.text.split("Code>")[1][:-2]
    if answer.headers.get("content-type", "").startswith("application/json") and answer.content:
        return answer.json()["code"]
    return answer.text.split("Code>")[1][:-2] if "Code>" in answer.text else str(answer.status_code)


async def state(storage: Storage) -> list[dict[str, Any]]:
    """What is there, by its rows."""
    return await storage.rows(
        "select b.id as bucket, b.public, o.name, o.version, o.owner_id from storage.objects o"
        " full join storage.buckets b on o.bucket_id = b.id order by 1, 3"
    )


UPSERT = {"x-upsert": "true"}
COPY = {"bucketId": "b", "sourceKey": "k", "destinationKey": "new"}
OVER = COPY | {"destinationKey": "k2"}
TUS = {
    "tus-resumable": "1.0.0", "upload-length": "1",
    "upload-metadata": "bucketName Yg==,objectName bmV3",  # new in b
}  # fmt: skip
TUS_OVER = TUS | UPSERT | {"upload-metadata": "bucketName Yg==,objectName aw=="}  # k in b
XML = {"content-type": "application/xml"}
REMOVED = b"<Delete><Object><Key>k</Key></Object></Delete>"
S3_COPY = {"x-amz-copy-source": "b/k"}
UPSERTING = {"insert": DENIED, "select": DENIED, "update": DENIED}
CASES: list[tuple[str, str, str, dict[str, Any], dict[str, str]]] = [
    # what it is, the request, and each policy it needs with the refusal where that one is missing
    ("upload", "POST", "/object/b/new", {"content": b"x"}, {"insert": DENIED}),
    (
        "upsert of a new key", "PUT", "/object/b/new", {"content": b"x"},
        {"insert": DENIED, "select": DENIED},
    ),
    ("upsert of a key", "POST", "/object/b/k", {"content": b"x", "headers": UPSERT}, UPSERTING),
    ("put of a key", "PUT", "/object/b/k", {"content": b"x"}, UPSERTING),
    ("sign an upload", "POST", "/object/upload/sign/b/new", {}, {"insert": DENIED}),
    ("sign an upsert", "POST", "/object/upload/sign/b/k", {"headers": UPSERT}, UPSERTING),
    ("download", "GET", "/object/authenticated/b/k", {}, {"select": NO_KEY}),
    ("download by the short path", "GET", "/object/b/k", {}, {"select": NO_KEY}),
    ("headers", "HEAD", "/object/authenticated/b/k", {}, {"select": "400"}),
    ("information", "GET", "/object/info/authenticated/b/k", {}, {"select": NO_KEY}),
    ("sign", "POST", "/object/sign/b/k", {"json": {"expiresIn": 9}}, {"select": NO_KEY}),
    ("copy", "POST", "/object/copy", {"json": COPY}, {"select": NO_KEY, "insert": DENIED}),
    (
        "copy over a key", "POST", "/object/copy", {"json": OVER, "headers": UPSERT},
        {"select": NO_KEY, "insert": DENIED, "update": DENIED},
    ),
    (
        "copy to a bucket", "POST", "/object/copy", {"json": COPY | {"destinationBucket": "other"}},
        {"select": NO_KEY, "insert": DENIED},
    ),
    ("move", "POST", "/object/move", {"json": COPY}, {"select": NO_KEY, "update": NO_KEY}),
    (
        "move to a bucket", "POST", "/object/move", {"json": COPY | {"destinationBucket": "other"}},
        {"select": NO_KEY, "update": NO_KEY},
    ),
    (
        "move nowhere", "POST", "/object/move", {"json": COPY | {"destinationKey": "k"}},
        {"select": NO_KEY, "update": NO_KEY},
    ),
    ("remove", "DELETE", "/object/b/k", {}, {"select": DENIED, "delete": DENIED}),
    ("resumable", "POST", "/upload/resumable", {"headers": TUS}, {"insert": "403"}),
    (
        "resumable over a key", "POST", "/upload/resumable", {"headers": TUS_OVER},
        {"insert": "403", "select": "403", "update": "403"},
    ),
    ("put by S3", "PUT", "/s3/b/new", {"content": b"x"}, {"insert": DENIED, "select": DENIED}),
    ("put over a key by S3", "PUT", "/s3/b/k", {"content": b"x"}, UPSERTING),
    ("get by S3", "GET", "/s3/b/k", {}, {"select": NO_KEY}),
    ("head by S3", "HEAD", "/s3/b/k", {}, {"select": "404"}),
    ("tags by S3", "GET", "/s3/b/k?tagging", {}, {"select": NO_KEY}),
    (
        "copy by S3", "PUT", "/s3/b/new", {"headers": S3_COPY},
        {"select": NO_KEY, "insert": DENIED},
    ),
    ("remove by S3", "DELETE", "/s3/b/k", {}, {"select": DENIED, "delete": DENIED}),
    (
        "remove many by S3", "POST", "/s3/b?delete", {"headers": XML, "content": REMOVED},
        {"select": DENIED, "delete": DENIED},
    ),
    ("parts by S3", "POST", "/s3/b/new?uploads", {}, {"insert": DENIED, "select": DENIED}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
async def test_an_operation_needs_its_policies_and_no_other(
    storage: Storage, case: tuple[str, str, str, dict[str, Any], dict[str, str]]
):
    _, method, path, more, needs = case
    for bucket in ("b", "other"):
        await storage.call("DELETE", f"/object/{bucket}", json={"prefixes": ["new"]})
    for key in ("b/k", "b/k2"):
        await storage.put(key)
    before, files = await state(storage), set(storage.files())
    for missing, refused in needs.items():
        async with allowed(storage, *(kind for kind in ALL if kind != missing)):
            assert await outcome(storage, method, path, **more) == refused, missing
        assert await state(storage) == before, missing
        assert set(storage.files()) <= files, missing
    async with allowed(storage, *needs):
        assert await outcome(storage, method, path, **more) == "ok"


BUCKET = {"json": {"public": True}}
BUCKET_CASES: list[tuple[str, str, str, dict[str, Any], dict[str, str]]] = [
    ("create", "POST", "/bucket", {"json": {"name": "fresh"}}, {"insert": DENIED}),
    ("get", "GET", "/bucket/empty", {}, {"select": NO_BUCKET}),
    ("update", "PUT", "/bucket/empty", BUCKET, {"select": NO_BUCKET, "update": NO_BUCKET}),
    ("delete", "DELETE", "/bucket/empty", {}, {"select": NO_BUCKET, "delete": NO_BUCKET}),
    ("create by S3", "PUT", "/s3/fresh", {}, {"insert": DENIED}),
    ("head by S3", "HEAD", "/s3/empty", {}, {"select": "404"}),
    ("location by S3", "GET", "/s3/empty?location", {}, {"select": NO_BUCKET}),
    ("versions by S3", "GET", "/s3/empty?versioning", {}, {"select": NO_BUCKET}),
    ("delete by S3", "DELETE", "/s3/empty", {}, {"select": NO_BUCKET, "delete": NO_BUCKET}),
]


@pytest.mark.parametrize("case", BUCKET_CASES, ids=[case[0] for case in BUCKET_CASES])
async def test_an_operation_on_a_bucket_needs_its_policies_and_no_other(
    storage: Storage, case: tuple[str, str, str, dict[str, Any], dict[str, str]]
):
    _, method, path, more, needs = case
    await storage.call("DELETE", "/bucket/fresh")
    await storage.call("POST", "/bucket", json={"name": "empty"})
    before = await state(storage)
    for missing, refused in needs.items():
        kinds = [kind for kind in ALL if kind != missing]
        async with allowed(storage, *kinds, table="buckets"):
            assert await outcome(storage, method, path, **more) == refused, missing
        assert await state(storage) == before, missing
    async with allowed(storage, *needs, table="buckets"):
        assert await outcome(storage, method, path, **more) == "ok"


async def test_a_bucket_with_files_is_not_empty_to_anybody(storage: Storage):
    await storage.put("b/k")
    assert await outcome(storage, "DELETE", "/bucket/b") == "ResourceNotEmpty"
    assert await outcome(storage, "POST", "/bucket/b/empty") == DENIED
    assert (await storage.call("GET", "/bucket", token=MEMBER)).json() == []


async def test_a_move_asks_of_the_old_place_and_of_the_new(storage: Storage):
    await storage.put("b/old/k")
    body = {"bucketId": "b", "sourceKey": "old/k", "destinationKey": "new/k"}
    own = "(storage.foldername(name))[1] = '{}'".format
    async with allowed(storage, "select"):
        for using, check, expected in (
            (own("new"), "true", NO_KEY),
            (own("old"), own("old"), DENIED),
            (own("old"), own("new"), "ok"),
        ):
            async with allowed(storage, "update", condition=using, check=check):
                assert await outcome(storage, "POST", "/object/move", json=body) == expected


async def test_lists_and_many_show_nothing_without_select(storage: Storage):
    await storage.put("b/k")
    for path, body in (
        ("/object/list/b", {"prefix": ""}),
        ("/object/list/none", {"prefix": ""}),
    ):
        answer = await storage.call("POST", path, json=body, token=MEMBER)
        assert (answer.status_code, answer.json()) == (200, [])
    answer = await storage.call("POST", "/object/list-v2/b", json={}, token=ANON)
    assert answer.json() == {"hasNext": False, "folders": [], "objects": []}
    signed = await storage.call(
        "POST", "/object/sign/b", json={"expiresIn": 5, "paths": ["k"]}, token=MEMBER
    )
    assert signed.json()[0]["signedURL"] is None
    assert signed.json()[0]["error"].startswith("Either the object does not exist")
    removed = await storage.call("DELETE", "/object/b", json={"prefixes": ["k"]}, token=MEMBER)
    assert (removed.status_code, removed.json()) == (200, [])


async def test_with_insert_alone_an_unreadable_key_is_a_duplicate(storage: Storage):
    await storage.put("b/k")
    async with allowed(storage, "insert"):
        assert await outcome(storage, "POST", "/object/b/k", content=b"x") == "KeyAlreadyExists"


async def test_a_folder_of_ones_own(storage: Storage):
    own = "(storage.foldername(name))[1] = current_setting('request.jwt.claims')::json->>'sub'"
    async with allowed(storage, "insert", "select", condition=own):
        assert await outcome(storage, "POST", f"/object/b/{USER}/a", content=b"x") == "ok"
        assert await outcome(storage, "POST", f"/object/b/{OTHER}/a", content=b"x") == DENIED
        other = await storage.call(
            "GET", f"/object/authenticated/b/{USER}/a", token=token("authenticated", sub=OTHER)
        )
        assert other.json()["code"] == NO_KEY


async def test_a_policy_sees_type_length_and_metadata_before_the_bytes(storage: Storage):
    seen = (
        "metadata->>'mimetype' = 'image/png' and (metadata->>'contentLength')::int = 3"
        " and user_metadata->>'k' = 'v' and version = '1'"
    )
    metadata = "eyJrIjoidiJ9"
    async with allowed(storage, "insert", condition=seen):
        headers = {"content-type": "image/png", "x-metadata": metadata}
        ok = await outcome(storage, "POST", "/object/b/seen", content=b"abc", headers=headers)
        long = await outcome(storage, "POST", "/object/b/long", content=b"abcd", headers=headers)
    assert (ok, long) == ("ok", DENIED)


async def test_a_policy_reads_the_request_and_its_operation(storage: Storage):
    facts = (
        "storage.operation() = 'storage.object.upload'"
        " and current_setting('request.method') = 'POST'"
        " and current_setting('request.path') = '/object/b/facts?a=1'"
        " and current_setting('request.headers')::json->>'x-client-info' = 'me'"
        " and storage.allow_only_operation('object.upload')"
        " and current_user = 'authenticated'"
    )
    async with allowed(storage, "insert", condition=facts):
        headers = {"x-client-info": "me"}
        ok = await outcome(storage, "POST", "/object/b/facts?a=1", content=b"", headers=headers)
        other = await outcome(storage, "POST", "/object/b/facts2", content=b"", headers=headers)
    assert (ok, other) == ("ok", DENIED)


@pytest.mark.parametrize(
    ("method", "path", "header", "operation"),
    [
        ("GET", "/s3/b/k", None, "object.get"),
        ("HEAD", "/s3/b/k", None, "object.info"),
        ("GET", "/s3/b?list-type=2", None, "object.list"),
        ("GET", "/s3/b/k?tagging", None, "object.get_tagging"),
        ("PUT", "/s3/b/ops", None, "upload"),
        ("PUT", "/s3/b/ops", "x-amz-copy-source", "object.copy"),
        ("POST", "/s3/b/ops?uploads", None, "upload.create_multipart"),
        ("DELETE", "/s3/b/k", None, "object.delete"),
        ("POST", "/s3/b?delete", None, "object.delete_many"),
    ],
)
async def test_a_policy_reads_the_operation_of_s3(
    storage: Storage, method: str, path: str, header: str | None, operation: str
):
    await storage.put("b/k")
    headers = {header: "b/k"} if header else {}
    body = REMOVED if operation == "object.delete_many" else b""
    is_it = f"storage.operation() = 'storage.s3.{operation}'"
    async with allowed(storage, *ALL, condition=is_it):
        answer = await send(storage, method, path, headers, body, session(MEMBER))
    assert (answer.status_code < 300, "<Error>" in answer.text) == (True, False), answer.text
    assert operation != "object.list" or "<Key>k</Key>" in answer.text


async def test_a_session_says_who_asks_and_ends_in_time(storage: Storage):
    await storage.put("b/k")
    condition = (
        "current_setting('role') = 'authenticated'"
        f" and current_setting('request.jwt') = '{MEMBER}'"
        f" and current_setting('request.jwt.claims')::json->>'sub' = '{USER}'"
        " and current_setting('request.jwt.claim.role') = 'authenticated'"
        f" and current_setting('request.jwt.claim.sub') = '{USER}'"
        " and current_setting('storage.allow_delete_query') = 'true'"
        " and current_setting('statement_timeout') = '30s'"
        " and current_setting('request.path') = '/object/authenticated/b/k'"
    )
    async with allowed(storage, "select", condition=condition):
        assert await outcome(storage, "GET", "/object/authenticated/b/k") == "ok"
        assert await outcome(storage, "GET", "/object/b/k") == NO_KEY


async def test_a_row_is_written_as_the_service(storage: Storage):
    await storage.run(
        "create table public.writers (role text, claimed text, operation text)",
        "grant all on public.writers to public",
        "create function public.noted() returns trigger language plpgsql as $$ begin"
        " insert into public.writers values (current_user,"
        " current_setting('request.jwt.claims')::json->>'role', storage.operation());"
        " return new; end $$",
        "create trigger noted after insert on storage.objects"
        " for each row execute function public.noted()",
    )
    try:
        async with allowed(storage, "insert"):
            assert await outcome(storage, "POST", "/object/b/written", content=b"x") == "ok"
        rows = await storage.rows("select * from public.writers")
        assert rows == [
            {
                "role": "service_role",
                "claimed": "service_role",
                "operation": "storage.object.upload",
            }
        ]
    finally:
        await storage.run("drop trigger noted on storage.objects", "drop table public.writers")


async def test_a_policy_sees_no_length_of_chunks_and_of_a_form_the_whole_bodys(storage: Storage):
    async def chunks() -> AsyncIterator[bytes]:
        yield b"abc"

    unknown = "metadata->>'contentLength' is null and metadata->>'mimetype' = 'a/b'"
    async with allowed(storage, "insert", condition=unknown):
        typed = {"content-type": "a/b"}
        sent = await outcome(storage, "POST", "/object/b/ch", content=chunks(), headers=typed)
        assert sent == "ok"
    async with allowed(storage, "insert", condition="(metadata->>'contentLength')::int > 100"):
        files = {"": ("f", b"abc", "a/b")}
        assert await outcome(storage, "POST", "/object/b/fo", files=files) == "ok"


@pytest.mark.parametrize(
    ("header", "seen"),
    [
        ("", "user_metadata is null"),
        ("bm8ganNvbg==", "user_metadata is null"),  # no json
        ("NQ==", "user_metadata is null"),  # 5
        ("e30=", "user_metadata = '{}'"),
    ],
)
async def test_a_policy_sees_metadata_that_could_be_read(storage: Storage, header: str, seen: str):
    headers = {"x-metadata": header} if header else {}
    async with allowed(storage, "insert", condition=seen):
        path = f"/object/b/metadata-{header.strip('=')}"
        assert await outcome(storage, "POST", path, content=b"", headers=headers) == "ok"


async def test_a_public_bucket_gives_no_other_right_than_to_read_by_key(storage: Storage):
    await storage.bucket("public", public=True)
    await storage.put("public/k")
    for method, path, more, refused in (
        ("GET", "/object/public/k", {}, "ok"),
        ("HEAD", "/object/authenticated/public/k", {}, "ok"),
        ("GET", "/object/info/public/k", {}, "ok"),
        ("POST", "/object/public/new", {"content": b""}, DENIED),
        ("PUT", "/object/public/k", {"content": b""}, DENIED),
        ("DELETE", "/object/public/k", {}, DENIED),
        ("POST", "/object/sign/public/k", {"json": {"expiresIn": 5}}, NO_KEY),
        ("POST", "/object/move", {"json": COPY | {"bucketId": "public"}}, NO_KEY),
        ("POST", "/object/copy", {"json": COPY | {"bucketId": "public"}}, NO_KEY),
    ):
        assert await outcome(storage, method, path, **more) == refused, (method, path)
    listed = await storage.call("POST", "/object/list/public", json={"prefix": ""}, token=ANON)
    assert listed.json() == []


async def test_who_loses_the_right_to_an_upload_in_parts_loses_each_step_of_it(storage: Storage):
    await storage.put("b/k", b"0123")
    key = session(MEMBER)
    async with allowed(storage, "insert", "select"):
        begun = await send(storage, "POST", "/s3/b/stepwise?uploads", key=key)
        path = f"/s3/b/stepwise?uploadId={begun.text.split('UploadId>')[1][:-2]}"
        assert (
            await send(storage, "PUT", f"{path}&partNumber=1", None, b"x", key)
        ).status_code == 200
    async with allowed(storage, "select"):
        for method, more, headers in (
            ("PUT", "&partNumber=1", {}), ("PUT", "&partNumber=1", S3_COPY), ("GET", "", {}),
            ("POST", "", {}), ("DELETE", "", {}),
        ):  # fmt: skip
            answer = await send(storage, method, f"{path}{more}", headers, b"", key)
            assert (answer.status_code, "AccessDenied" in answer.text) == (403, True), method


async def test_a_bucket_that_is_not_there_is_told_before_the_rights(storage: Storage):
    for method in ("POST", "PUT"):
        assert await outcome(storage, method, "/object/none/k", content=b"") == NO_BUCKET


async def test_what_a_policy_raises_is_the_databases_error(storage: Storage):
    async with allowed(storage, "insert", condition="1 / 0 = 1"):
        answer = await storage.call("POST", "/object/b/raises", content=b"", token=MEMBER)
    assert refusal(answer) == (
        500, "500", "DatabaseError", "DatabaseError", "database error, code: 22012",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sqlstate", "text"),
    [
        ("42P17", "The database schema is invalid or incompatible."),
        (
            "42703",
            "The database schema is out of sync. Please run migrations or contact support.",
        ),
        ("25006", "The database is currently in read-only mode. Please try again later."),
    ],
)
async def test_a_schema_that_does_not_fit_is_told_in_the_originals_words(
    storage: Storage, sqlstate: str, text: str
):
    await storage.run(
        "create or replace function public.raises(code text) returns boolean language plpgsql as"
        " $$ begin raise exception 'no' using errcode = code; end $$"
    )
    async with allowed(storage, "insert", condition=f"public.raises('{sqlstate}')"):
        answer = await storage.call("POST", "/object/b/raises", content=b"", token=MEMBER)
    assert (answer.status_code, *refusal(answer)[1::3]) == (400, "503", text)


async def test_an_object_that_is_missing_is_so_before_a_policy_raises(storage: Storage):
    await storage.put("b/there")
    async with allowed(storage, "select", "delete", condition="1 / 0 = 1"):
        missing = await storage.call("DELETE", "/object/b/missing", token=MEMBER)
        there = await storage.call("DELETE", "/object/b/there", token=MEMBER)
    assert refusal(missing)[3] == "NoSuchKey"
    assert refusal(there)[4] == "database error, code: 22012"


async def test_an_unknown_role_is_the_databases_error(storage: Storage):
    answer = await storage.call("GET", "/bucket", token=token("nobody'; drop table x --"))
    assert refusal(answer)[4] == "database error, code: 22023"


async def test_a_role_that_is_none_of_the_apis_is_refused(storage: Storage):
    for role in ("postgres", "supabase_admin", "supabase_auth_admin"):
        answer = await storage.call("GET", "/bucket", token=token(role))
        assert refusal(answer)[1:4] == ("403", "Unauthorized", "AccessDenied"), role


@pytest.mark.parametrize(
    ("bearer", "message"),
    [
        ("garbage", "Invalid Compact JWS"),
        ("a.b.c", "JWS Protected Header is invalid"),
        (token() + "x", "signature verification failed"),
        (token(exp=1), '"exp" claim timestamp check failed'),
        (token(nbf=99999999999), '"nbf" claim timestamp check failed'),
        ("eyJhbGciOiJub25lIn0.e30.", '"alg" (Algorithm) Header Parameter value not allowed'),
    ],
)
async def test_a_token_is_refused_with_the_originals_words(
    storage: Storage, bearer: str, message: str
):
    answer = await storage.call("GET", "/bucket", token=bearer)
    assert refusal(answer) == (400, "403", "Unauthorized", "AccessDenied", message)


async def test_a_missing_header_is_a_schema_error(storage: Storage):
    answer = await storage.call("GET", "/bucket", token=None)
    assert refusal(answer)[4] == "headers must have required property 'authorization'"
    for header in (token(), f"bearer   {token()}", f"BEARER {token()}"):
        answer = await storage.call("GET", "/bucket", token=None, headers={"authorization": header})
        assert answer.status_code == 200


async def test_direct_sql_deletes_are_refused_and_allowed_ones_leave_garbage(storage: Storage):
    await storage.put("b/sql")
    with pytest.raises(Exception, match="Direct deletion from storage tables is not allowed"):
        await storage.run("delete from storage.objects where name = 'sql'")
    await storage.run(  # in one transaction: what is committed is collected at once
        """
        do $$
        declare gone text := (select version from storage.objects where name = 'sql');
        begin
          perform set_config('storage.allow_delete_query', 'true', true);
          delete from storage.objects where name = 'sql';
          assert exists (select from storage_compat.garbage where version = gone);
        end $$
        """
    )


async def test_the_owner_is_the_tokens_subject(storage: Storage):
    async with allowed(storage, "insert"):
        for subject, owner in ((USER, USER), ("not-a-uuid", None)):
            caller = token("authenticated", sub=subject)
            await storage.call("POST", f"/object/b/own-{subject}", content=b"", token=caller)
            [row] = await storage.rows(
                "select owner::text, owner_id from storage.objects where name = $1",
                f"own-{subject}",
            )
            assert row == {"owner": owner, "owner_id": subject}


@pytest.mark.parametrize(
    "claims",
    [
        r"""{"role": "authenticated", "note": "quote ' backslash \\ nul \u0000 é"}""",
        r"""{"role": "authenticated", "sub": "half \ud800"}""",
        """{"role": "authenticated", "sub": "a", "n": 1e999}""",
    ],
)
async def test_claims_hold_what_no_text_of_postgresql_can(storage: Storage, claims: str):
    key = SECRET.encode()
    odd = PyJWS().encode(claims.encode(), key, "HS256")
    is_readable = "current_setting('request.jwt.claims')::json->>'role' = 'authenticated'"
    async with allowed(storage, "insert", condition=is_readable):
        path = f"/object/b/claims-{len(claims)}"
        answer = await storage.call("POST", path, content=b"", token=odd)
        # PostgreSQL refuses to read json with NUL, in a policy too
        assert answer.status_code == (400 if "u0000" in claims else 200), answer.text
    assert (await storage.call("GET", "/bucket", token=odd)).json() == []
