"""Which policies an operation needs: storage reference 2.10, each without and with them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.harness_storage import ANON, MEMBER, OTHER, USER, Storage, refusal, token

DENIED, NO_KEY = "AccessDenied", "NoSuchKey"
ALL = ("select", "insert", "update", "delete")


@pytest.fixture(scope="module", autouse=True)
async def buckets(storage: Storage):
    await storage.bucket("b")
    await storage.bucket("other")


@asynccontextmanager
async def allowed(storage: Storage, *kinds: str, condition: str = "true") -> AsyncIterator[None]:
    """Policies of these kinds on objects, for the length of the block."""
    clause = {"insert": f"with check ({condition})"}
    await storage.run(
        *(
            f"create policy may_{kind} on storage.objects for {kind} to authenticated"
            f" {clause.get(kind, f'using ({condition})')}"
            for kind in kinds
        )
    )
    try:
        yield
    finally:
        await storage.run(*(f"drop policy may_{kind} on storage.objects" for kind in kinds))


async def outcome(storage: Storage, method: str, path: str, **more: object) -> str:
    """`ok`, or the code of the refusal."""
    answer = await storage.call(method, path, token=MEMBER, **more)
    return "ok" if answer.status_code == 200 else answer.json()["code"]


UPSERT = {"x-upsert": "true"}
COPY = {"bucketId": "b", "sourceKey": "k", "destinationKey": "new"}
CASES = [
    ("upload", "POST", "/object/b/new", {"content": b"x"}, ("insert",), DENIED),
    ("upsert of a new key", "PUT", "/object/b/new", {"content": b"x"}, ("insert", "select"), DENIED),
    (
        "upsert of a key", "POST", "/object/b/k", {"content": b"x", "headers": UPSERT},
        ("insert", "select", "update"), DENIED,
    ),
    ("sign an upload", "POST", "/object/upload/sign/b/new", {}, ("insert",), DENIED),
    (
        "sign an upsert", "POST", "/object/upload/sign/b/k", {"headers": UPSERT},
        ("insert", "select", "update"), DENIED,
    ),
    ("download", "GET", "/object/authenticated/b/k", {}, ("select",), NO_KEY),
    ("information", "GET", "/object/info/authenticated/b/k", {}, ("select",), NO_KEY),
    ("sign", "POST", "/object/sign/b/k", {"json": {"expiresIn": 9}}, ("select",), NO_KEY),
    ("copy", "POST", "/object/copy", {"json": COPY}, ("select", "insert"), None),
    ("move", "POST", "/object/move", {"json": COPY}, ("select", "update"), None),
    ("remove", "DELETE", "/object/b/k", {}, ("select", "delete"), DENIED),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
async def test_an_operation_needs_its_policies_and_no_other(
    storage: Storage, case: tuple[str, str, str, dict[str, object], tuple[str, ...], str | None]
):
    _, method, path, more, needs, refused = case
    await storage.put("b/k")
    for missing in needs:
        others = [kind for kind in ALL if kind != missing]
        async with allowed(storage, *others):
            expected = refused or (NO_KEY if missing == "select" else DENIED)
            assert await outcome(storage, method, path, **more) == expected, missing
    async with allowed(storage, *needs):
        assert await outcome(storage, method, path, **more) == "ok"
    await storage.call("DELETE", "/object/b", json={"prefixes": ["new", "k"]})


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


async def test_what_a_policy_raises_is_the_databases_error(storage: Storage):
    async with allowed(storage, "insert", condition="1 / 0 = 1"):
        answer = await storage.call("POST", "/object/b/raises", content=b"", token=MEMBER)
    assert refusal(answer) == (
        500, "500", "DatabaseError", "DatabaseError", "database error, code: 22012",
    )  # fmt: skip


async def test_an_unknown_role_is_the_databases_error(storage: Storage):
    answer = await storage.call("GET", "/bucket", token=token("nobody'; drop table x --"))
    assert refusal(answer)[4] == "database error, code: 22023"


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
    [row] = await storage.rows("select version from storage.objects where name = 'sql'")
    await storage.run(
        "begin; set local storage.allow_delete_query = 'true';"
        " delete from storage.objects where name = 'sql'; commit"
    )
    assert await storage.rows(
        "select from storage_compat.garbage where version = $1", row["version"]
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


async def test_claims_hold_what_no_text_of_postgresql_can(storage: Storage):
    odd = token("authenticated", note="quote ' backslash \\ nul \u0000 é")
    answer = await storage.call("GET", "/bucket", token=odd)
    assert (answer.status_code, json.loads(answer.text)) == (200, [])
