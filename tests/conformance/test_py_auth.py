"""supabase-py's auth client, synchronous and asynchronous: users, sessions, mails, factors."""

from __future__ import annotations

import inspect
import os
import re
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import httpx2
import pyotp
import pytest
from supabase import (
    AsyncClientOptions,
    AuthApiError,
    AuthWeakPasswordError,
    ClientOptions,
    acreate_client,
    create_client,
)

from tests.harness_stack import Stack

PASSWORD = "secreto-123"


async def _done(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


@pytest.fixture(params=["sync", "async"])
async def make(
    request: pytest.FixtureRequest, project_stack: Stack
) -> AsyncIterator[Callable[..., Any]]:
    """Makes clients of one kind, each of its own person, over one HTTP client that is closed."""
    factory, kind, http = {
        "sync": (create_client, ClientOptions, httpx.Client()),
        "async": (acreate_client, AsyncClientOptions, httpx.AsyncClient()),
    }[request.param]

    async def make_client(key: str = "SUPABASE_PUBLISHABLE_KEY", **options: Any) -> Any:
        settings = kind(auto_refresh_token=False, httpx_client=http, **options)
        return await _done(factory(project_stack.url, project_stack.keys[key], settings))

    yield make_client
    await _done(http.close() if isinstance(http, httpx.Client) else http.aclose())


def _email() -> str:
    return f"persona-{os.getpid()}-{uuid.uuid4()}@example.com"


async def _person(make: Callable[..., Any]) -> tuple[Any, str, str]:
    """A confirmed person: a signed-in client, the address, the id."""
    admin = await make("SUPABASE_SECRET_KEY")
    email = _email()
    attributes = {"email": email, "password": PASSWORD, "email_confirm": True}
    made = await _done(admin.auth.admin.create_user(attributes))
    client = await make()
    await _sign_in(client, email)
    return client, email, made.user.id


async def _sign_in(client: Any, email: str, password: str = PASSWORD) -> Any:
    return await _done(client.auth.sign_in_with_password({"email": email, "password": password}))


async def _refused(call: Callable[[], Any], code: str) -> AuthApiError:
    with pytest.raises(AuthApiError) as raised:
        await _done(call())
    assert raised.value.code == code, raised.value
    return raised.value


def _mail(stack: Stack, email: str) -> str:
    """The newest mail to an address, as HTML, from the operator's page."""
    key = {"apikey": stack.keys["SUPABASE_SECRET_KEY"]}
    with httpx2.Client(base_url=stack.url, headers=key, timeout=60) as operator:
        page = operator.get("/mailbox").text
        listed = re.findall(r'<a href="/mailbox\?mail=([^"]+)">.*?</a> · (\S+) ·', page)
        [name, *_] = [name for name, recipient in listed if recipient == email]
        return operator.get(f"/mailbox?mail={name}").text


def _link(mail: str) -> str:
    found = re.search(r"https?://[^\s\"'<>]*/verify\?[^\s\"'<>]*", mail)
    assert found, mail
    return found.group().replace("&amp;", "&")


def _otp(mail: str) -> str:
    without = re.sub(r"(?s)<style.*?</style>|https?://[^\s\"'<>]*", "", mail)
    found = re.search(r"\b\d{6}\b", without)
    assert found, mail
    return found.group()


async def test_sign_up_waits_for_the_confirmation(make: Any, project_stack: Stack) -> None:
    client, email = await make(flow_type="implicit"), _email()
    options = {"data": {"nombre": "Eva"}, "email_redirect_to": "https://app.example.com/x"}
    answer = await _done(
        client.auth.sign_up({"email": email, "password": PASSWORD, "options": options})
    )
    assert answer.session is None
    assert answer.user.user_metadata["nombre"] == "Eva"
    await _refused(
        lambda: client.auth.sign_in_with_password({"email": email, "password": PASSWORD}),
        "email_not_confirmed",
    )
    landed = httpx2.get(_link(_mail(project_stack, email)))
    assert landed.headers["location"].startswith("https://app.example.com/x#access_token=")
    assert (await _sign_in(client, email)).user.email == email


async def test_a_code_confirms(make: Any, project_stack: Stack) -> None:
    client, email = await make(), _email()
    await _done(client.auth.sign_up({"email": email, "password": PASSWORD}))
    token = _otp(_mail(project_stack, email))
    answer = await _done(client.auth.verify_otp({"email": email, "token": token, "type": "signup"}))
    assert answer.session.refresh_token
    again = {"email": email, "token": token, "type": "signup"}
    await _refused(lambda: client.auth.verify_otp(again), "otp_expired")


async def test_refusals_have_the_clients_classes(make: Any) -> None:
    client = await make()
    with pytest.raises(AuthWeakPasswordError) as weak:
        await _done(client.auth.sign_up({"email": _email(), "password": "abc"}))
    assert weak.value.reasons == ["length"]
    wrong = await _refused(
        lambda: client.auth.sign_in_with_password({"email": _email(), "password": "x"}),
        "invalid_credentials",
    )
    assert (wrong.status, wrong.message) == (400, "Invalid login credentials")


async def test_the_session_carries_to_the_other_services(make: Any) -> None:
    client, _, user_id = await _person(make)
    answer = await _done(client.rpc("who_am_i", {}).execute())
    assert answer.data == {"uid": user_id, "role": "authenticated", "user": "authenticated"}
    made = await _done(client.table("diary").insert({"body": "hola"}).execute())
    assert made.data[0]["owner"] == user_id
    other, _, _ = await _person(make)
    assert (await _done(other.table("diary").select("*").eq("owner", user_id).execute())).data == []


async def test_get_user_get_session_and_get_claims(make: Any) -> None:
    client, email, user_id = await _person(make)
    assert (await _done(client.auth.get_user())).user.email == email
    assert (await _done(client.auth.get_session())).user.id == user_id
    verified = await _done(client.auth.get_claims())
    assert verified["claims"]["sub"] == user_id
    assert verified["headers"]["alg"] == "ES256"


async def test_update_user(make: Any) -> None:
    client, email, _ = await _person(make)
    answer = await _done(client.auth.update_user({"data": {"a": 1}, "password": "nueva-clave"}))
    assert answer.user.user_metadata["a"] == 1
    await _refused(lambda: client.auth.update_user({"password": "nueva-clave"}), "same_password")
    await _sign_in(await make(), email, "nueva-clave")


async def test_refresh_and_set_session(make: Any) -> None:
    client, _, user_id = await _person(make)
    old = await _done(client.auth.get_session())
    new = (await _done(client.auth.refresh_session())).session
    assert new.refresh_token != old.refresh_token
    other = await make()
    answer = await _done(other.auth.set_session(new.access_token, new.refresh_token))
    assert answer.user.id == user_id
    stranger = await make()
    await _refused(lambda: stranger.auth.refresh_session("aaaabbbbcccc"), "refresh_token_not_found")


@pytest.mark.parametrize("scope", ["local", "others", "global"])
async def test_sign_out_in_its_scopes(make: Any, scope: str) -> None:
    client, email, _ = await _person(make)
    other = await make()
    await _sign_in(other, email)
    token = (await _done(other.auth.get_session())).refresh_token
    await _done(client.auth.sign_out({"scope": scope}))
    if scope == "local":
        assert (await _done(other.auth.get_user())).user.email == email
    else:
        await _refused(lambda: other.auth.refresh_session(token), "refresh_token_not_found")
    if scope != "others":
        assert await _done(client.auth.get_session()) is None


async def test_events_come_in_order(make: Any) -> None:
    _, email, _ = await _person(make)
    client = await make()
    events: list[str] = []
    client.auth.on_auth_state_change(lambda event, _session: events.append(event))
    await _sign_in(client, email)
    await _done(client.auth.refresh_session())
    await _done(client.auth.update_user({"data": {"a": 1}}))
    await _done(client.auth.sign_out())
    assert events == ["SIGNED_IN", "TOKEN_REFRESHED", "USER_UPDATED", "SIGNED_OUT"]


async def test_a_forgotten_password_is_replaced(make: Any, project_stack: Stack) -> None:
    _, email, _ = await _person(make)
    client = await make()
    await _done(client.auth.reset_password_for_email(email))
    token = _otp(_mail(project_stack, email))
    await _done(client.auth.verify_otp({"email": email, "token": token, "type": "recovery"}))
    await _done(client.auth.update_user({"password": "recuperada"}))
    await _sign_in(await make(), email, "recuperada")


async def test_a_link_by_pkce_gives_a_code_for_a_session(make: Any, project_stack: Stack) -> None:
    _, email, user_id = await _person(make)
    client = await make(flow_type="pkce")
    options = {"email_redirect_to": "https://app.example.com/x"}
    await _done(client.auth.sign_in_with_otp({"email": email, "options": options}))
    landed = httpx2.get(_link(_mail(project_stack, email))).headers["location"]
    code = parse_qs(urlsplit(landed).query)["code"][0]
    answer = await _done(client.auth.exchange_code_for_session({"auth_code": code}))
    assert answer.session.user.id == user_id


async def test_a_code_by_mail_signs_in(make: Any, project_stack: Stack) -> None:
    client, email = await make(), _email()
    await _done(client.auth.sign_in_with_otp({"email": email}))
    token = _otp(_mail(project_stack, email))
    answer = await _done(client.auth.verify_otp({"email": email, "token": token, "type": "email"}))
    assert answer.user.email == email
    options = {"should_create_user": False}
    await _refused(
        lambda: client.auth.sign_in_with_otp({"email": _email(), "options": options}),
        "otp_disabled",
    )


async def test_resend_and_reauthenticate(make: Any, project_stack: Stack) -> None:
    client, email = await make(), _email()
    await _done(client.auth.sign_up({"email": email, "password": PASSWORD}))
    first = _link(_mail(project_stack, email))
    await _done(client.auth.resend({"type": "signup", "email": email}))
    assert _link(_mail(project_stack, email)) != first
    person, address, _ = await _person(make)
    await _done(person.auth.reauthenticate())
    assert _otp(_mail(project_stack, address))


async def test_a_phone_signs_in_with_its_test_code(make: Any) -> None:
    client = await make()
    phone = "+34600000002"
    await _done(client.auth.sign_in_with_otp({"phone": phone}))
    answer = await _done(client.auth.verify_otp({"phone": phone, "token": "654321", "type": "sms"}))
    assert answer.user.phone == "34600000002"


async def test_somebody_anonymous(make: Any) -> None:
    client = await make()
    answer = await _done(client.auth.sign_in_anonymously({"options": {"data": {"a": 1}}}))
    assert answer.user.is_anonymous
    assert answer.user.user_metadata["a"] == 1


async def test_identities(make: Any) -> None:
    client, email, _ = await _person(make)
    identities = (await _done(client.auth.get_user_identities())).identities
    assert [(i.provider, i.identity_data["email"]) for i in identities] == [("email", email)]
    await _refused(
        lambda: client.auth.unlink_identity(identities[0]), "single_identity_not_deletable"
    )


async def test_a_second_factor(make: Any) -> None:
    client, _, _ = await _person(make)
    factor = await _done(client.auth.mfa.enroll({"factor_type": "totp", "friendly_name": "phone"}))
    challenge = await _done(client.auth.mfa.challenge({"factor_id": factor.id}))
    wrong = {"factor_id": factor.id, "challenge_id": challenge.id, "code": "000000"}
    await _refused(lambda: client.auth.mfa.verify(wrong), "mfa_verification_failed")
    code = pyotp.TOTP(factor.totp.secret).now()
    await _done(client.auth.mfa.challenge_and_verify({"factor_id": factor.id, "code": code}))
    level = await _done(client.auth.mfa.get_authenticator_assurance_level())
    assert (level.current_level, level.next_level) == ("aal2", "aal2")
    listed = await _done(client.auth.mfa.list_factors())
    assert [f.id for f in listed.totp] == [factor.id]
    assert (await _done(client.auth.mfa.unenroll({"factor_id": factor.id}))).id == factor.id


async def test_the_administrators_calls(make: Any) -> None:
    admin = (await make("SUPABASE_SECRET_KEY")).auth.admin
    client, email, user_id = await _person(make)
    assert (await _done(admin.get_user_by_id(user_id))).user.email == email
    assert user_id in [user.id for user in await _done(admin.list_users(page=1, per_page=5))]
    updated = await _done(
        admin.update_user_by_id(user_id, {"app_metadata": {"x": 1}, "user_metadata": {"y": 2}})
    )
    assert (updated.user.app_metadata["x"], updated.user.user_metadata["y"]) == (1, 2)
    link = await _done(admin.generate_link({"type": "magiclink", "email": email}))
    assert link.properties.verification_type == "magiclink"
    verification = {"token_hash": link.properties.hashed_token, "type": "email"}
    assert (await _done((await make()).auth.verify_otp(verification))).user.id == user_id
    invited = await _done(admin.invite_user_by_email(_email()))
    assert invited.user.invited_at
    session = await _done(client.auth.get_session())
    await _done(admin.sign_out(session.access_token, "global"))
    await _refused(
        lambda: client.auth.refresh_session(session.refresh_token), "refresh_token_not_found"
    )
    await _done(admin.delete_user(user_id))
    await _refused(lambda: admin.get_user_by_id(user_id), "user_not_found")
    outsider = await make()
    await _refused(outsider.auth.admin.list_users, "not_admin")


async def test_what_is_switched_off_says_so(make: Any) -> None:
    client = await make()
    await _refused(
        lambda: client.auth.sign_in_with_sso({"domain": "example.com"}), "saml_provider_disabled"
    )
