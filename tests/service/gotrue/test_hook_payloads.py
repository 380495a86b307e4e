"""What hooks are told, and what becomes of what they answer (auth reference 12)."""

from __future__ import annotations

import base64
import json
from typing import Any
from uuid import uuid4

import pytest

from gotrue_compat.ports import HttpAnswer, HttpCall
from tests.harness_auth import AUTO, PASSWORD, Auth, admin_token, location, problem

ADMIN = admin_token()
SECRET = base64.b64encode(b"hook secret of some length").decode()
SCHEMA = "output claims do not conform to the expected schema"
PHONES = {"GOTRUE_EXTERNAL_PHONE_ENABLED": "true", "GOTRUE_SMS_MAX_FREQUENCY": "1ns"}


class Web:
    """An outside world that answers as told and remembers what was sent."""

    def __init__(self, answer: Any = lambda _payload: {}):
        self.answer = answer
        self.payloads: list[dict[str, Any]] = []

    async def send(self, call: HttpCall) -> HttpAnswer:
        self.payloads.append(json.loads(call.body))
        answer = json.dumps(self.answer(self.payloads[-1])).encode()
        return HttpAnswer(200, {"content-type": "application/json"}, answer)


class Site(Web):
    """The same, with a provider of OpenID Connect that knows one person."""

    def __init__(self, email: str, answer: Any = lambda _payload: {}):
        super().__init__(answer)
        self.person = {"sub": str(uuid4()), "email": email, "email_verified": True}

    async def send(self, call: HttpCall) -> HttpAnswer:
        if not call.url.startswith("https://idp.example/"):
            return await super().send(call)
        answer = json.dumps({"access_token": "t", **self.person}).encode()
        return HttpAnswer(200, {"content-type": "application/json"}, answer)


KEYCLOAK = {
    f"GOTRUE_EXTERNAL_KEYCLOAK_{name}": value
    for name, value in {
        "ENABLED": "true", "CLIENT_ID": "c", "SECRET": "s", "URL": "https://idp.example",
        "REDIRECT_URI": "http://localhost:9999/callback",
    }.items()
}  # fmt: skip


async def come_back(auth: Auth):
    """Begin a sign-in by the provider, and come back with a code."""
    begun = await auth.get("/authorize?provider=keycloak")
    return await auth.get(f"/callback?code=x&state={location(begun)[1]['state']}")


def hook(name: str) -> dict[str, str]:
    prefix = f"GOTRUE_HOOK_{name}_"
    return {
        f"{prefix}ENABLED": "true", f"{prefix}URI": "https://hooks.example/run",
        f"{prefix}SECRETS": f"v1,whsec_{SECRET}",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("point", "name"),
    [
        ("CUSTOM_ACCESS_TOKEN", "customize-access-token"),
        ("PASSWORD_VERIFICATION_ATTEMPT", "password-verification"),
        ("BEFORE_USER_CREATED", "before-user-created"),
    ],
)
async def test_a_hook_is_told_its_name(open_with, email: str, point: str, name: str):
    web = Web(lambda payload: {"claims": payload.get("claims")})
    auth = await open_with(http=web, **AUTO, **hook(point))
    await auth.signed_up(email)
    await auth.sign_in(email)
    assert web.payloads[0]["metadata"]["name"] == name


@pytest.mark.parametrize(
    "answer", [[], 5, "x", {"decision": 5}, {"message": []}, {"should_logout_user": "true"}]
)
async def test_an_answer_of_another_form_is_refused(open_with, email: str, answer: Any):
    web = Web(lambda _payload: answer)
    auth = await open_with(http=web, **AUTO, **hook("PASSWORD_VERIFICATION_ATTEMPT"))
    await auth.signed_up(email)
    refused = (500, "unexpected_failure", "Error unmarshaling JSON output.")
    assert problem(await auth.sign_in(email)) == refused
    web.answer = lambda _payload: None
    assert (await auth.sign_in(email)).status_code == 200
    web.answer = lambda _payload: {"decision": None, "error": None}
    assert (await auth.sign_in(email)).status_code == 200


async def test_a_function_that_answers_no_object_is_refused(open_with, email: str):
    await (await open_with(**AUTO)).signed_up(email)
    name = "public.send_hook"
    make = f"create or replace function {name}(event jsonb) returns jsonb language sql as $$ %s $$"
    uri = "pg-functions://postgres/public/send_hook"
    auth = await open_with(**AUTO, **hook("CUSTOM_ACCESS_TOKEN") | {
        "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI": uri,
    })  # fmt: skip
    await auth.rows(make % "select '[1]'::jsonb")
    refused = (500, "unexpected_failure", "Error unmarshaling JSON output.")
    assert problem(await auth.sign_in(email)) == refused
    await auth.rows(make % "select jsonb_build_object('claims', event->'claims')")
    assert (await auth.sign_in(email)).status_code == 200


async def test_a_user_who_is_yet_to_be_made_has_its_id_already(open_with, email: str):
    web = Web()
    auth = await open_with(
        http=web, **AUTO, GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED="true",
        **hook("BEFORE_USER_CREATED"),
    )  # fmt: skip
    made = (await auth.signed_up(email))["user"]["id"]
    assert web.payloads[-1]["user"]["id"] == made
    made = (await auth.post("/signup", {})).json()["user"]["id"]
    assert web.payloads[-1]["user"]["id"] == made
    invited = await auth.post("/invite", {"email": f"i{email}"}, token=ADMIN)
    assert web.payloads[-1]["user"]["id"] == invited.json()["id"]
    link = {"type": "signup", "email": f"l{email}", "password": PASSWORD}
    linked = await auth.post("/admin/generate_link", link, token=ADMIN)
    assert web.payloads[-1]["user"]["id"] == linked.json()["id"]


async def test_the_message_hook_is_told_the_kind_of_a_second_factors_code_alone(
    open_with, email: str
):
    web = Web()
    auth = await open_with(
        http=web, **AUTO, **PHONES, GOTRUE_MFA_PHONE_ENROLL_ENABLED="true",
        GOTRUE_MFA_PHONE_VERIFY_ENABLED="true", **hook("SEND_SMS"),
    )  # fmt: skip
    await auth.post("/otp", {"phone": "34611000101", "channel": "whatsapp"})
    assert sorted(web.payloads[-1]["sms"]) == ["otp", "phone"]
    token = (await auth.signed_up(email))["access_token"]
    enrolled = await auth.post(
        "/factors", {"factor_type": "phone", "phone": "34611000102"}, token=token
    )
    path = f"/factors/{enrolled.json()['id']}/challenge"
    assert (await auth.post(path, {}, token=token)).status_code == 200
    assert web.payloads[-1]["sms"]["sms_type"] == "mfa"
    changed = await auth.put("/user", {"phone": "34611000103"}, token=token)
    assert changed.status_code == 200, changed.text
    assert web.payloads[-1]["user"]["new_phone"] == "34611000103"


async def test_a_hook_that_fails_a_second_factors_code_is_not_quoted(open_with, email: str):
    web = Web(lambda _payload: {"error": {"http_code": 403, "message": "not you"}})
    auth = await open_with(
        http=web, **AUTO, **PHONES, GOTRUE_MFA_PHONE_ENROLL_ENABLED="true",
        GOTRUE_MFA_PHONE_VERIFY_ENABLED="true", **hook("SEND_SMS"),
    )  # fmt: skip
    token = (await auth.signed_up(email))["access_token"]
    enrolled = await auth.post(
        "/factors", {"factor_type": "phone", "phone": "34611000103"}, token=token
    )
    answer = await auth.post(f"/factors/{enrolled.json()['id']}/challenge", {}, token=token)
    assert problem(answer) == (500, "unexpected_failure", "error invoking hook")


@pytest.mark.parametrize("status", [403, 799])
async def test_an_error_worded_by_a_hook_has_no_header_with_a_code(
    open_with, email: str, status: int
):
    web = Web(lambda _payload: {"error": {"http_code": status, "message": "not you"}})
    auth = await open_with(http=web, **AUTO, **hook("BEFORE_USER_CREATED"))
    body = {"email": email, "password": PASSWORD}
    for old in (False, True):
        answer = await auth.post("/signup", body, old=old)
        assert "x-sb-error-code" not in answer.headers
    assert answer.status_code == status
    worded = {"code": status, "error_code": "unknown", "msg": "not you"}
    assert answer.json().items() >= worded.items()


async def test_a_hook_names_members_in_any_case(open_with, email: str):
    web = Web(lambda _payload: {"Error": {"HTTP_Code": 403, "Message": "not you"}})
    auth = await open_with(http=web, **AUTO, **hook("BEFORE_USER_CREATED"))
    refused = await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert (refused.status_code, refused.json()["message"]) == (403, "not you")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({}, "output claims field is missing"),
        ({"claims": 7}, "Error unmarshaling JSON output."),
        (
            {"claims": None},
            f"{SCHEMA}: \n- (root): Invalid type. Expected: object, given: null\n",
        ),
    ],
)
async def test_claims_that_are_none_give_no_token(open_with, email: str, answer, text: str):
    auth = await open_with(http=Web(lambda _payload: answer), **AUTO, **hook("CUSTOM_ACCESS_TOKEN"))
    refused = await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(refused) == (500, "unexpected_failure", text)


async def test_a_claim_of_another_type_is_named(open_with, email: str):
    web = Web(lambda payload: {"claims": payload["claims"] | {"email": 7}})
    auth = await open_with(http=web, **AUTO, **hook("CUSTOM_ACCESS_TOKEN"))
    refused = await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert "- email: Invalid type. Expected: string, given: integer\n" in problem(refused)[2]


async def test_who_signs_up_stays_where_a_hook_refuses_the_token(open_with, email: str):
    web = Web(lambda _payload: {"error": {"http_code": 403, "message": "no token"}})
    auth: Auth = await open_with(
        http=web, **AUTO, GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED="true",
        **hook("CUSTOM_ACCESS_TOKEN"),
    )  # fmt: skip
    refused = await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert problem(refused) == (403, "unknown", "no token")
    [found] = await auth.rows("select id, confirmed_at from auth.users where email = $1", email)
    assert found["confirmed_at"] is not None
    assert refused.headers["sb-auth-user-id"] == str(found["id"])
    assert refused.headers["sb-auth-session-id"]
    assert len(refused.headers["sb-auth-refresh-token-prefix"]) == 5
    anonymous = await auth.post("/signup", {"data": {"mark": email}})
    assert problem(anonymous) == (
        500, "unexpected_failure", "Database error creating anonymous user",
    )  # fmt: skip
    assert anonymous.headers["sb-auth-session-id"]
    assert not await auth.rows(
        "select 1 from auth.users where raw_user_meta_data->>'mark' = $1", email
    )


async def test_a_link_whose_token_a_hook_refuses_names_the_session_too(open_with, email: str):
    web = Web(lambda _payload: {"error": {"http_code": 403, "message": "no token"}})
    auth: Auth = await open_with(http=web, **hook("CUSTOM_ACCESS_TOKEN"))
    await auth.post("/signup", {"email": email, "password": PASSWORD})
    link = auth.mailbox.link(email).removeprefix("http://localhost:9999")
    refused = await auth.get(link)
    [found] = await auth.rows("select id from auth.users where email = $1", email)
    assert location(refused)[2]["error_description"] == "no token"
    assert refused.headers["sb-auth-user-id"] == str(found["id"])
    assert len(refused.headers["sb-auth-refresh-token-prefix"]) == 5


async def test_what_a_hook_refuses_at_a_callback_has_no_code(open_with, email: str):
    site = Site(email, lambda _payload: {"error": {"http_code": 403, "message": "not you"}})
    auth: Auth = await open_with(http=site, **KEYCLOAK, **hook("BEFORE_USER_CREATED"))
    _, query, fragment = location(await come_back(auth))
    values = {"error": "access_denied", "error_description": "not you"}
    assert (query, fragment) == (values | {"error_code": ""}, values | {"sb": ""})


async def test_a_token_that_a_hook_refuses_at_a_callback_is_an_error_of_the_server(
    open_with, email: str
):
    site = Site(email, lambda _payload: {"error": {"http_code": 403, "message": "not you"}})
    auth: Auth = await open_with(http=site, **KEYCLOAK, **hook("CUSTOM_ACCESS_TOKEN"))
    answer = await come_back(auth)
    values = {"error": "server_error", "error_description": "403: not you"}
    assert location(answer)[1] == values
    assert answer.headers["sb-auth-session-id"]


async def test_after_a_callback_the_hook_is_told_of_the_sign_in(open_with, email: str):
    site = Site(email)
    auth: Auth = await open_with(http=site, **KEYCLOAK, **hook("AFTER_USER_CREATED"))
    await come_back(auth)
    user = site.payloads[-1]["user"]
    assert user["last_sign_in_at"]
    assert "confirmed_at" not in user


async def test_a_refused_token_of_who_asks_for_a_link_names_no_session(open_with, email: str):
    web = Web(lambda _payload: {"error": {"http_code": 403, "message": "no token"}})
    auth: Auth = await open_with(http=web, **AUTO, **hook("CUSTOM_ACCESS_TOKEN"))
    for path in ("/otp", "/magiclink"):
        refused = await auth.post(path, {"email": f"{path[1]}{email}"})
        assert problem(refused) == (403, "unknown", "no token")
        assert "sb-auth-session-id" not in refused.headers


async def test_a_hook_may_change_when_a_token_ends_but_not_what_the_answer_tells(
    open_with, email: str
):
    web = Web(
        lambda payload: {"claims": payload["claims"] | {"exp": payload["claims"]["iat"] + 60}}
    )
    auth = await open_with(http=web, **AUTO, **hook("CUSTOM_ACCESS_TOKEN"))
    assert (await auth.signed_up(email))["expires_in"] == 3600


async def test_a_made_user_is_told_of_where_a_confirmation_was_sent(open_with, email: str):
    web = Web()
    auth = await open_with(http=web, **hook("AFTER_USER_CREATED"))
    made = await auth.post("/signup", {"email": email, "password": PASSWORD})
    assert web.payloads[-1]["user"]["id"] == made.json()["id"]
    web = Web(lambda _payload: {"error": {"http_code": 403, "message": "too late"}})
    auth = await open_with(http=web, **hook("AFTER_USER_CREATED"))
    refused = await auth.post("/signup", {"email": f"b{email}", "password": PASSWORD})
    assert problem(refused) == (500, "unexpected_failure", "Error invoking hook")


async def test_a_link_to_the_users_own_address_is_refused(open_with, email: str):
    auth = await open_with(**AUTO)
    await auth.signed_up(email)
    link = {"type": "email_change_new", "email": email, "new_email": email}
    answer = await auth.post("/admin/generate_link", link, token=ADMIN)
    assert problem(answer)[:2] == (422, "email_exists")
