"""External providers, identities, id tokens: auth reference 9.1 to 9.5."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit
from uuid import UUID, uuid4

import httpx2
import pytest
import pytest_asyncio

from tests.harness_auth import (
    AUTO,
    PASSWORD,
    SITE,
    Auth,
    admin_token,
    claims_of,
    location,
    pkce_pair,
    problem,
)  # fmt: skip
from tests.harness_oidc import Provider, open_provider


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def provider() -> AsyncIterator[Provider]:
    async with open_provider() as opened:
        yield opened


def _variables(provider: Provider, **more: str) -> dict[str, str]:
    variables = {"GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true"}
    for name in ("KEYCLOAK", "GOOGLE", "X"):
        variables |= {
            f"GOTRUE_EXTERNAL_{name}_ENABLED": "true",
            f"GOTRUE_EXTERNAL_{name}_CLIENT_ID": "client-1,client-2",
            f"GOTRUE_EXTERNAL_{name}_SECRET": "secret-1",
            f"GOTRUE_EXTERNAL_{name}_REDIRECT_URI": "http://localhost:9999/callback",
            f"GOTRUE_EXTERNAL_{name}_URL": provider.issuer,
        }
    return variables | more


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def linked(open_with, provider: Provider) -> Auth:
    return await open_with(nodes=2, **_variables(provider))


def _person(email: str, *, verified: bool = True, **more):
    return {
        "sub": str(uuid4()), "email": email, "email_verified": verified, "name": "Ana Ruiz",
        "picture": "https://pictures.example/ana.png", **more,
    }  # fmt: skip


async def _through(
    auth: Auth, provider: Provider, person: dict, path: str, **more
) -> httpx2.Response:
    """Start, sign in at the provider, and come back: the callback's answer."""
    started = await auth.get(path, **more)
    assert started.status_code in {200, 302}, started.text
    url = started.headers.get("location") or started.json()["url"]
    provider.person = person
    async with httpx2.AsyncClient() as browser:
        sent = await browser.get(url)
    back = sent.headers["location"].removeprefix("http://localhost:9999")
    return await auth.get(back)


async def test_a_provider_signs_a_new_user_in(linked: Auth, provider: Provider, email: str):
    path = "/authorize?provider=keycloak&redirect_to=https://app.example.com/in&scopes=a,b&hint=x"
    answer = await _through(linked, provider, _person(email), path)
    assert answer.status_code == 302
    place, query, fragment = location(answer)
    assert (place, query) == ("https://app.example.com/in", {})
    assert fragment["provider_token"] == "access-of-user"
    assert fragment["provider_refresh_token"] == "refresh-of-user"
    assert fragment["sb"] == ""
    sent = provider.seen[-1]
    assert (sent["client_id"], sent["response_type"], sent["hint"]) == ("client-1", "code", "x")
    assert sent["scope"] == "profile email a b"
    assert sent["redirect_to"] == "https://app.example.com/in"  # as the original passes it on
    user = (await linked.get("/user", token=fragment["access_token"])).json()
    assert user["email"] == email
    assert user["email_confirmed_at"]
    assert user["app_metadata"] == {"provider": "keycloak", "providers": ["keycloak"]}
    data = user["identities"][0]["identity_data"]
    assert data["custom_claims"] == {"picture": "https://pictures.example/ana.png"}
    assert data["full_name"] == data["name"] == "Ana Ruiz"
    assert (data["email_verified"], data["phone_verified"]) == (True, False)
    assert data["provider_id"] == data["sub"] == user["identities"][0]["id"]
    assert claims_of(fragment["access_token"])["amr"][0]["method"] == "oauth"


async def test_a_caller_replaces_nothing_that_the_provider_is_to_be_sent(linked: Auth):
    theirs = {
        "client_id": "x", "CLIENT_ID": "x", "response_type": "token", "state": "x", "code": "x",
        "grant_type": "x", "request": "x", "request_uri": "https://evil.example",
    }  # fmt: skip
    started = await linked.get(f"/authorize?provider=keycloak&hint=x&{urlencode(theirs)}")
    parameters = parse_qsl(urlsplit(started.headers["location"]).query)
    names = [name for name, _ in parameters]
    assert sorted(names) == [
        "client_id", "hint", "redirect_uri", "response_type", "scope", "state",
    ]  # fmt: skip
    assert "x" not in {value for name, value in parameters if name != "hint"}


async def test_a_provider_that_names_nobody_signs_nobody_in(linked: Auth, provider, email: str):
    nobody = {"email": email, "email_verified": True}
    answer = await _through(linked, provider, nobody, "/authorize?provider=keycloak")
    wanted = {"error": "server_error", "error_description": "error missing provider id"}
    assert answer.status_code == 302
    assert location(answer)[1] == wanted
    assert not await linked.rows("select from auth.users where email = $1", email)


async def test_an_id_token_is_verified_by_the_providers_keys(linked: Auth, provider, email: str):
    answer = await _through(
        linked, provider, _person(email, hd="x.y"), "/authorize?provider=google"
    )
    _, _, fragment = location(answer)
    user = (await linked.get("/user", token=fragment["access_token"])).json()
    assert user["user_metadata"]["avatar_url"] == "https://pictures.example/ana.png"
    assert user["user_metadata"]["custom_claims"] == {"hd": "x.y"}


async def test_a_provider_by_pkce(linked: Auth, provider: Provider, email: str):
    verifier, challenge = pkce_pair()
    path = f"/authorize?provider=keycloak&code_challenge={challenge}&code_challenge_method=s256"
    answer = await _through(linked, provider, _person(email), path)
    _, query, fragment = location(answer)
    assert (list(query), fragment) == (["code"], {})
    body = {"auth_code": query["code"], "code_verifier": verifier}
    session = (await linked.post("/token?grant_type=pkce", body)).json()
    assert session["provider_token"] == "access-of-user"
    assert session["provider_refresh_token"] == "refresh-of-user"


async def test_a_state_works_once(linked: Auth, provider: Provider, email: str):
    started = await linked.get("/authorize?provider=keycloak")
    state = dict(parse_qsl(urlsplit(started.headers["location"]).query))["state"]
    (flow,) = await linked.rows("select auth_code from auth.flow_state where id = $1", UUID(state))
    assert flow["auth_code"] is None  # none that could be exchanged
    provider.person = _person(email)
    async with httpx2.AsyncClient() as browser:
        first = await browser.get(started.headers["location"])
        second = await browser.get(started.headers["location"])
    paths = [
        sent.headers["location"].removeprefix("http://localhost:9999") for sent in (first, second)
    ]
    answers = await asyncio.gather(*(linked.get(path) for path in paths))
    fragments = [location(answer)[2] for answer in answers]
    assert sum("access_token" in fragment for fragment in fragments) == 1
    users = await linked.rows("select 1 from auth.users where email = $1", email)
    assert len(users) == 1


async def test_a_verified_address_links_to_the_account_that_has_it(linked, provider, email: str):
    await linked.post("/signup", {"email": email, "password": PASSWORD})
    body = {"type": "signup", "email": email, "token": linked.mailbox.otp(email)}
    first = (await linked.post("/verify", body)).json()["user"]
    answer = await _through(linked, provider, _person(email), "/authorize?provider=keycloak")
    token = location(answer)[2]["access_token"]
    user = (await linked.get("/user", token=token)).json()
    assert user["id"] == first["id"]
    assert user["app_metadata"] == {"provider": "email", "providers": ["email", "keycloak"]}
    assert (await linked.sign_in(email)).status_code == 200


async def test_an_unconfirmed_account_loses_what_it_had(linked: Auth, provider, email: str):
    await linked.post("/signup", {"email": email, "password": PASSWORD})
    answer = await _through(linked, provider, _person(email), "/authorize?provider=keycloak")
    token = location(answer)[2]["access_token"]
    user = (await linked.get("/user", token=token)).json()
    assert [identity["provider"] for identity in user["identities"]] == ["keycloak"]
    assert problem(await linked.sign_in(email))[1] == "invalid_credentials"


async def test_an_unverified_address_is_mailed_and_refused(linked: Auth, provider, email: str):
    person = _person(email, verified=False)
    answer = await _through(linked, provider, person, "/authorize?provider=keycloak")
    _, query, fragment = location(answer)
    assert query["error"] == "access_denied"
    assert query["error_code"] == "provider_email_needs_verification"
    assert fragment == {**query, "sb": ""}
    assert linked.mailbox.last(email).kind == "confirmation"


async def test_who_comes_back_verified_has_the_metadata_of_that_time(
    linked: Auth, provider: Provider, email: str
):
    person, path = _person(email, verified=False), "/authorize?provider=keycloak"
    await _through(linked, provider, person, path)
    person |= {"email_verified": True, "name": "Ana Sanz"}
    _, _, fragment = location(await _through(linked, provider, person, path))
    user = (await linked.get("/user", token=fragment["access_token"])).json()
    assert (user["user_metadata"]["name"], user["email"]) == ("Ana Sanz", email)


async def test_no_address_is_an_error(linked: Auth, provider: Provider):
    person = {"sub": str(uuid4()), "name": "x"}
    answer = await _through(linked, provider, person, "/authorize?provider=keycloak")
    assert location(answer)[1]["error_description"] == (
        "Error getting user email from external provider"
    )


async def test_no_sign_ups_by_providers_where_they_are_disabled(open_with, provider, email: str):
    closed = await open_with(**_variables(provider, GOTRUE_DISABLE_SIGNUP="true"))
    answer = await _through(closed, provider, _person(email), "/authorize?provider=keycloak")
    query = location(answer)[1]
    assert (query["error"], query["error_code"]) == ("access_denied", "signup_disabled")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ("bad_oauth_callback", "OAuth state parameter missing")),
        ("?state=x", ("bad_oauth_state", "OAuth state parameter is invalid")),
        (
            "?state=00000000-0000-4000-8000-000000000000",
            ("bad_oauth_state", "OAuth state not found or expired"),
        ),
    ],
)
async def test_callbacks_without_a_state(linked: Auth, query: str, expected):
    answer = await linked.get(f"/callback{query}")
    assert answer.status_code == 303
    place, shown, fragment = location(answer)
    assert place.rstrip("/") == SITE
    assert (shown["error_code"], shown["error_description"]) == expected
    assert fragment == {}
    code, message = expected
    body = f'{{"code":"{code}","message":"{message}"}}'
    assert answer.text.endswith(f"See Other</a>.\n\n{body}")
    posted = await linked.post(f"/callback{query}")
    assert (posted.status_code, posted.text) == (303, body)
    assert posted.headers["content-type"] == "text/plain; charset=utf-8"


async def test_what_the_provider_refuses_is_passed_on(linked: Auth):
    started = await linked.get("/authorize?provider=keycloak")
    state = dict(parse_qsl(urlsplit(started.headers["location"]).query))["state"]
    answer = await linked.get(f"/callback?state={state}&error=access_denied&error_description=No")
    _, query, fragment = location(answer)
    assert (query["error"], fragment["error_description"]) == ("access_denied", "No")
    wrong = await linked.get(f"/callback?state={state}&code=unknown")
    assert location(wrong)[1]["error_description"].startswith("Unable to exchange external code")


@pytest.mark.parametrize(
    ("provider_name", "text"),
    [
        ("nobody", "Unsupported provider: Provider nobody could not be found"),
        ("github", "Unsupported provider: provider is not enabled"),
    ],
)
async def test_providers_that_are_not_there(linked: Auth, provider_name: str, text: str):
    answer = await linked.get(f"/authorize?provider={provider_name}")
    assert problem(answer) == (400, "validation_failed", text)


async def test_a_browser_is_not_sent_to_an_issuer_without_its_discovery_document(
    open_with, provider: Provider
):
    nowhere = {"GOTRUE_EXTERNAL_GOOGLE_URL": "http://127.0.0.1:1"}
    auth = await open_with(**_variables(provider, **nowhere))
    status, code, text = problem(await auth.get("/authorize?provider=google&code_challenge=x"))
    assert (status, code) == (400, "validation_failed")
    assert text.startswith("Unsupported provider: ")


async def test_identities_are_linked_and_unlinked_by_their_user(
    open_with, provider: Provider, email: str
):
    auth = await open_with(**_variables(provider, **AUTO))
    session = await auth.signed_up(email)
    token = session["access_token"]
    path = "/user/identities/authorize?provider=keycloak&skip_http_redirect=true"
    other = _person(f"other-{email}")
    answer = await _through(auth, provider, other, path, token=token)
    assert "access_token" in location(answer)[2]
    user = (await auth.get("/user", token=token)).json()
    assert user["app_metadata"]["providers"] == ["email", "keycloak"]
    again = await _through(auth, provider, other, path, token=token)
    assert location(again)[1]["error_code"] == "identity_already_exists"
    gone = user["identities"][1]["identity_id"]
    assert (await auth.delete(f"/user/identities/{gone}", token=token)).json() == {}
    last = user["identities"][0]["identity_id"]
    assert problem(await auth.delete(f"/user/identities/{last}", token=token)) == (
        422, "single_identity_not_deletable",
        "User must have at least 1 identity after unlinking",
    )  # fmt: skip
    assert problem(await auth.delete("/user/identities/5", token=token)) == (
        404, "validation_failed", "identity_id must be an UUID",
    )  # fmt: skip


async def test_linking_can_be_off(auto: Auth, email: str):
    token = (await auto.signed_up(email))["access_token"]
    answer = await auto.get("/user/identities/authorize?provider=google", token=token)
    assert problem(answer) == (404, "manual_linking_disabled", "Manual linking is disabled")


async def test_an_id_token_signs_in(linked: Auth, provider: Provider, email: str):
    nonce = "a nonce"
    provider.person = _person(email)
    hashed = hashlib.sha256(nonce.encode()).hexdigest()
    body = {"provider": "google", "id_token": provider.id_token("client-2", nonce=hashed)}
    answer = await linked.post("/token?grant_type=id_token", {**body, "nonce": nonce})
    assert answer.status_code == 200, answer.text
    assert answer.json()["user"]["app_metadata"]["provider"] == "google"
    assert "confirmed_at" not in answer.json()["user"]
    wrong = await linked.post("/token?grant_type=id_token", {**body, "nonce": "other"})
    assert wrong.json() == {"error": "invalid nonce", "error_description": "Nonces mismatch"}
    without = await linked.post("/token?grant_type=id_token", body)
    assert without.json()["error"] == "invalid request"


@pytest.mark.parametrize(
    ("body", "description"),
    [
        ({}, "id_token required"),
        ({"id_token": "x"}, "provider or client_id and issuer required"),
        ({"id_token": "x", "provider": "google"}, "Bad ID token"),
    ],
)
async def test_id_token_refusals(linked: Auth, body, description: str):
    answer = await linked.post("/token?grant_type=id_token", body)
    assert answer.status_code == 400
    assert answer.json() == {"error": "invalid request", "error_description": description}


@pytest.mark.parametrize(
    ("body", "name"),
    [({"provider": "who"}, "who"), ({"client_id": "c", "issuer": "https://i.example"}, "")],
)
async def test_the_provider_of_an_id_token_is_judged_before_the_token(linked: Auth, body, name):
    answer = await linked.post("/token?grant_type=id_token", {"id_token": "x", **body})
    expected = f'Custom OIDC provider "{name}" not allowed'
    assert problem(answer) == (400, "validation_failed", expected)


async def test_id_tokens_of_others(linked: Auth, provider: Provider, email: str):
    provider.person = _person(email)
    body = {"provider": "google", "id_token": provider.id_token("somebody-else")}
    answer = await linked.post("/token?grant_type=id_token", body)
    assert answer.json()["error_description"] == (
        "Unacceptable audience in id_token: [somebody-else]"
    )
    unknown = {"provider": "who", "id_token": provider.id_token("x")}
    assert problem(await linked.post("/token?grant_type=id_token", unknown)) == (
        400, "validation_failed", 'Custom OIDC provider "who" not allowed',
    )  # fmt: skip
    off = {"provider": "kakao", "id_token": provider.id_token("x")}
    assert problem(await linked.post("/token?grant_type=id_token", off))[1] == "provider_disabled"
    token = provider.id_token("x")
    without_issuer = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOm51bGx9.e30"  # {"iss":null}
    for name, given, text in (
        ("apple", token, "Detected ID token issuer is not an Apple ID token issuer"),
        ("apple", without_issuer, "Detected ID token issuer is not an Apple ID token issuer"),
        ("azure", token, "Detected ID token issuer is not an Azure ID token issuer"),
        ("custom:none", token, 'Custom provider "custom:none" not found'),
    ):
        refused = {"provider": name, "id_token": given}
        assert problem(await linked.post("/token?grant_type=id_token", refused)) == (
            400, "validation_failed", text,
        )  # fmt: skip


async def _back(auth: Auth, provider: Provider, person: dict, path: str) -> str:
    """Where the provider sends the browser back to, not yet followed."""
    started = await auth.get(path)
    provider.person = person
    async with httpx2.AsyncClient() as browser:
        sent = await browser.get(started.headers["location"])
    return sent.headers["location"].removeprefix("http://localhost:9999")


def _failure(answer: httpx2.Response) -> tuple[str, str]:
    _, query, fragment = location(answer)
    assert fragment == {**query, "sb": ""}
    return query["error_code"], query["error_description"]


async def test_an_old_state_has_expired(linked: Auth, provider: Provider, email: str):
    back = await _back(linked, provider, _person(email), "/authorize?provider=keycloak")
    await linked.rows("update auth.flow_state set created_at = now() - interval '301 seconds'")
    answer = await linked.get(back)
    assert answer.status_code == 303
    _, query, _ = location(answer)
    assert (query["error_code"], query["error_description"]) == (
        "bad_oauth_state", "OAuth state has expired",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("delete from auth.oauth_client_states", ("oauth_client_state_not_found", "OAuth state not found")),
        (
            "update auth.oauth_client_states set created_at = now() - interval '301 seconds'",
            ("oauth_client_state_expired", "OAuth state expired"),
        ),
    ],
)  # fmt: skip
async def test_verifiers_of_ours_that_are_gone(linked, provider, email: str, sql: str, expected):
    back = await _back(linked, provider, _person(email), "/authorize?provider=x")
    await linked.rows(sql)
    assert _failure(await linked.get(back)) == expected


async def test_a_state_of_pkce_works_once(linked: Auth, provider: Provider, email: str):
    _, challenge = pkce_pair()
    path = f"/authorize?provider=keycloak&code_challenge={challenge}&code_challenge_method=s256"
    back = await _back(linked, provider, _person(email), path)
    assert "code" in location(await linked.get(back))[1]
    again, _, state = back.partition("&state=")
    provider.codes[again.partition("code=")[2]] = {}
    answer = await linked.get(f"{again}&state={state}")
    _, query, _ = location(answer)
    assert (answer.status_code, query["error_code"], query["error_description"]) == (
        303, "flow_state_already_used", "State has already been used",
    )  # fmt: skip


async def test_invitations_are_accepted_by_their_address(linked, provider, email: str):
    await linked.post("/invite", {"email": email}, token=admin_token())
    token = linked.mailbox.token(email)
    path = f"/authorize?provider=keycloak&invite_token={token}"
    other = await linked.get(await _back(linked, provider, _person(f"o-{email}"), path))
    assert _failure(other) == (
        "validation_failed", "Invited email does not match emails from external provider",
    )  # fmt: skip
    late = await _back(linked, provider, _person(email), path)
    accepted = await linked.get(await _back(linked, provider, _person(email), path))
    user = await linked.get("/user", token=location(accepted)[2]["access_token"])
    assert user.json()["email_confirmed_at"]
    assert _failure(await linked.get(late)) == ("invite_not_found", "Invite not found")


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("provider=keycloak&invite_token=bad",
         (404, "user_not_found", "User identified by token not found")),
        ("provider=keycloak&invite_token=bad&code_challenge=short",
         (404, "user_not_found", "User identified by token not found")),
        ("provider=none&invite_token=bad",
         (400, "validation_failed", "Unsupported provider: Provider none could not be found")),
    ],
)  # fmt: skip
async def test_an_invitation_that_there_is_not_leads_to_no_provider(linked: Auth, path, refusal):
    assert problem(await linked.get(f"/authorize?{path}")) == refusal


async def test_an_address_of_several_accounts_is_nobodys(linked, provider, email: str):
    for number in (1, 2):
        body = {"email": f"{number}-{email}", "email_confirm": True}
        made = await linked.post("/admin/users", body, token=admin_token())
        await linked.rows(
            "insert into auth.identities (provider_id, user_id, identity_data, provider)"
            " values ($1::text, $2::uuid, jsonb_build_object('sub', $1::text, 'email', $3::text), 'github')",
            str(uuid4()), made.json()["id"], email,
        )  # fmt: skip
    answer = await _through(linked, provider, _person(email), "/authorize?provider=keycloak")
    _, text = _failure(answer)
    assert text == (
        "Multiple accounts with the same email address in the same linking domain detected: default"
    )


async def test_identities_that_cannot_be_unlinked(open_with, provider: Provider, email: str):
    auth = await open_with(**_variables(provider, **AUTO))
    session = await auth.signed_up(email)
    token = session["access_token"]
    unknown = await auth.delete(f"/user/identities/{uuid4()}", token=token)
    assert problem(unknown)[1] == "single_identity_not_deletable"
    await auth.signed_up(f"taken-{email}")
    await auth.rows(
        "insert into auth.identities (provider_id, user_id, identity_data, provider, created_at)"
        " values ($1::text, $2::uuid, jsonb_build_object('sub', $1::text, 'email', $3::text), 'github', now())",
        str(uuid4()), session["user"]["id"], f"taken-{email}",
    )  # fmt: skip
    unknown = await auth.delete(f"/user/identities/{uuid4()}", token=token)
    assert problem(unknown) == (422, "identity_not_found", "Identity doesn't exist")
    own = session["user"]["identities"][0]["identity_id"]
    assert problem(await auth.delete(f"/user/identities/{own}", token=token)) == (
        422, "email_conflict_identity_not_deletable",
        "Unable to unlink identity due to email conflict",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["identity_linked", "identity_unlinked"])
async def test_notices_of_identities(open_with, provider: Provider, email: str, name: str):
    notice = {f"GOTRUE_MAILER_NOTIFICATIONS_{name.upper()}_ENABLED": "true"}
    auth = await open_with(**_variables(provider, **AUTO), **notice)
    token = (await auth.signed_up(email))["access_token"]
    path = "/user/identities/authorize?provider=keycloak&skip_http_redirect=true"
    await _through(auth, provider, _person(f"o-{email}"), path, token=token)
    user = (await auth.get("/user", token=token)).json()
    linked = user["identities"][1]["identity_id"]
    assert (await auth.delete(f"/user/identities/{linked}", token=token)).status_code == 200
    assert [mail.kind for mail in auth.mailbox.mails if mail.recipient == email] == [name]


@pytest.mark.parametrize(
    "address", ["http://evil.example\\@localhost:3000/", "https://app.example.com@evil.example/"]
)
async def test_a_provider_leads_back_to_the_site_where_the_address_is_a_trick(
    linked: Auth, provider: Provider, email: str, address: str
):
    path = f"/authorize?provider=keycloak&redirect_to={quote(address, safe='')}"
    answer = await _through(linked, provider, _person(email), path)
    assert location(answer)[0] == "http://localhost:3000"


async def test_what_a_flow_remembers_is_judged_again(linked: Auth, provider: Provider, email: str):
    started = await linked.get("/authorize?provider=keycloak")
    state = parse_qs(urlsplit(started.headers["location"]).query)["state"][0]
    await linked.rows(
        "update auth.flow_state set referrer = $1 where id = $2::uuid",
        "http://evil.example\\@localhost:3000/", state,
    )  # fmt: skip
    answer = await linked.get(f"/callback?state={state}&error=access_denied")
    assert location(answer)[0] == "http://localhost:3000"


async def test_an_unlinked_address_gives_way_to_a_verified_one(open_with, provider, email: str):
    auth = await open_with(**_variables(provider))
    made = {"email": email, "password": "a password", "email_confirm": True}
    await auth.post("/admin/users", made, token=admin_token())
    token = (await auth.sign_in(email, "a password")).json()["access_token"]
    path = "/user/identities/authorize?provider=keycloak&skip_http_redirect=true"
    for verified, name in ((False, "first"), (True, "second")):
        person = _person(f"{name}-{email}", verified=verified)
        await _through(auth, provider, person, path, token=token)
    await auth.put("/user", {"email": f"new-{email}"}, token=token)
    user = (await auth.get("/user", token=token)).json()
    own = next(i for i in user["identities"] if i["provider"] == "email")
    answer = await auth.delete(f"/user/identities/{own['identity_id']}", token=token)
    assert answer.status_code == 200, answer.text
    after = (await auth.get("/user", token=token)).json()
    assert after["email"] == f"second-{email}"
    assert after["email_confirmed_at"]
    assert "new_email" not in after  # it was asked for by the former address
    assert "email_change_sent_at" not in after


async def test_an_unverified_address_that_takes_its_place_must_be_confirmed(
    open_with, provider: Provider, email: str
):
    auth = await open_with(**_variables(provider))
    made = {"email": email, "password": "a password", "email_confirm": True}
    await auth.post("/admin/users", made, token=admin_token())
    token = (await auth.sign_in(email, "a password")).json()["access_token"]
    path = "/user/identities/authorize?provider=keycloak&skip_http_redirect=true"
    person = _person(f"other-{email}", verified=False)
    await _through(auth, provider, person, path, token=token)
    user = (await auth.get("/user", token=token)).json()
    own = next(i for i in user["identities"] if i["provider"] == "email")
    await auth.delete(f"/user/identities/{own['identity_id']}", token=token)
    after = (await auth.get("/user", token=token)).json()
    assert after["email"] == f"other-{email}"
    assert "email_confirmed_at" not in after
    assert after["user_metadata"]["email_verified"] is False


async def test_an_unverified_address_of_an_anonymous_user_is_mailed_first(
    open_with, provider: Provider, email: str
):
    auth = await open_with(**_variables(provider), GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED="true")
    token = (await auth.post("/signup", {})).json()["access_token"]
    path = "/user/identities/authorize?provider=keycloak&skip_http_redirect=true"
    person = _person(email, verified=False)
    assert _failure(await _through(auth, provider, person, path, token=token)) == (
        "email_not_confirmed",
        "Unverified email with keycloak. A confirmation email has been sent to your keycloak email",
    )  # fmt: skip
    user = (await auth.get("/user", token=token)).json()
    assert (user["email"], user["is_anonymous"]) == (email, True)
    link = auth.mailbox.link(email).removeprefix("http://localhost:9999")
    assert "access_token" in location(await auth.get(link))[2]


async def test_who_accepts_an_invitation_keeps_nothing_that_was_there_before(
    linked: Auth, provider: Provider, email: str
):
    made = {"email": email, "password": "of whoever came first"}
    await linked.post("/signup", made)
    await linked.post("/invite", {"email": email}, token=admin_token())
    path = f"/authorize?provider=keycloak&invite_token={linked.mailbox.token(email)}"
    accepted = await linked.get(await _back(linked, provider, _person(email), path))
    user = (await linked.get("/user", token=location(accepted)[2]["access_token"])).json()
    assert [identity["provider"] for identity in user["identities"]] == ["keycloak"]
    refused = await linked.sign_in(email, "of whoever came first")
    assert problem(refused)[:2] == (400, "invalid_credentials")
    (entry,) = await linked.rows(
        "select u.encrypted_password, a.payload->>'actor_name' as name from auth.users u "
        "join auth.audit_log_entries a on a.payload->>'actor_id' = u.id::text "
        "where u.email = $1 and a.payload->>'action' = 'invite_accepted'",
        email,
    )
    assert entry == {"encrypted_password": None, "name": "Ana Ruiz"}


async def test_the_way_back_names_the_session_for_logs(linked: Auth, provider, email: str):
    answer = await _through(linked, provider, _person(email), "/authorize?provider=keycloak")
    claims = claims_of(location(answer)[2]["access_token"])
    assert answer.headers["sb-auth-session-id"] == claims["session_id"]


async def test_callbacks_name_what_is_wrong_in_the_originals_order(linked, provider, email: str):
    back = await _back(linked, provider, _person(email), "/authorize?provider=keycloak")
    state = back.partition("state=")[2]
    assert _failure(await linked.get(f"/callback?state={state}")) == (
        "bad_oauth_callback", "OAuth callback with missing authorization code missing",
    )  # fmt: skip
    await linked.rows(
        "update auth.flow_state set provider_type = 'github' where id = $1::uuid", state
    )
    assert _failure(await linked.get(f"/callback?state={state}&code=abcdefgh")) == (
        "oauth_provider_not_supported", "Unsupported provider: provider is not enabled",
    )  # fmt: skip
    await linked.rows("update auth.flow_state set provider_type = 'x' where id = $1::uuid", state)
    assert _failure(await linked.get(f"/callback?state={state}&code=abcdefgh")) == (
        "oauth_invalid_state", "OAuth PKCE code verifier missing",
    )  # fmt: skip
    await linked.rows(
        "update auth.flow_state set provider_type = 'keycloak' where id = $1::uuid", state
    )
    assert _failure(await linked.get(f"/callback?state={state}&code=abcdefgh")) == (
        "unexpected_failure", "Unable to exchange external code: abcd",
    )  # fmt: skip
    await linked.rows(
        "update auth.flow_state set linking_target_id = $2::uuid where id = $1::uuid",
        state,
        str(uuid4()),
    )
    answer = await linked.get(f"/callback?state={state}&code=x")
    assert (answer.status_code, location(answer)[1]["error_description"]) == (
        303, "Linking target user not found",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("provider_name", "issuer", "expected"),
    [
        ("Google", "", ("validation_failed", 'Custom OIDC provider "Google" not allowed')),
        ("github", "", ("validation_failed", 'Custom OIDC provider "github" not allowed')),
        ("linkedin_oidc", "", ("validation_failed", 'Custom OIDC provider "linkedin_oidc" not allowed')),
        ("google", "https://appleid.apple.com", ("validation_failed", "Unable to detect issuer in ID token for Apple provider")),
        ("kakao", "", ("provider_disabled", 'Provider (issuer "https://kauth.kakao.com") is not enabled')),
    ],
)  # fmt: skip
async def test_whose_id_tokens_are_taken(linked: Auth, provider_name: str, issuer: str, expected):
    body = {"id_token": "x.y.z", "provider": provider_name, "issuer": issuer}
    answer = await linked.post("/token?grant_type=id_token", body)
    assert problem(answer) == (400, *expected)


async def test_a_realm_is_found_by_client_and_issuer(linked: Auth, provider, email: str):
    provider.person = _person(email)
    body = {
        "id_token": provider.id_token("client-1"), "client_id": "client-1", "issuer": provider.issuer,
    }  # fmt: skip
    answer = await linked.post("/token?grant_type=id_token", body)
    assert answer.json()["user"]["app_metadata"]["provider"] == "google"  # looked for before
