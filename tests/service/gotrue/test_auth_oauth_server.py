"""The OAuth server: clients, consent, the code flow: auth reference 11."""

from __future__ import annotations

import json
from urllib.parse import quote
from uuid import UUID

import pytest
import pytest_asyncio

from tests.harness_auth import AUTO, Auth, admin_token, claims_of, location, pkce_pair, problem

ADMIN = admin_token()

ORIGIN = "http://localhost:5173"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server_mode(open_with) -> Auth:
    from cryptography.hazmat.primitives.asymmetric import ec as curves
    from jwt.algorithms import ECAlgorithm

    key = curves.generate_private_key(curves.SECP256R1())
    jwk = {**json.loads(ECAlgorithm.to_jwk(key)), "kid": "one", "alg": "ES256", "key_ops": ["sign"]}
    return await open_with(
        nodes=2, **AUTO, GOTRUE_OAUTH_SERVER_ENABLED="true", GOTRUE_JWT_KEYS=json.dumps([jwk]),
        GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true", GOTRUE_JWT_ISSUER="http://issuer",
        GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH="/oauth/consent",
    )  # fmt: skip


async def test_asymmetric_keys_are_published_and_old_keys_stay_valid(server_mode: Auth):
    keys = (await server_mode.get("/.well-known/jwks.json")).json()["keys"]
    assert [key["kid"] for key in keys] == ["one"]
    assert (keys[0]["use"], keys[0]["key_ops"], keys[0]["alg"]) == ("sig", ["verify"], "ES256")
    assert "d" not in keys[0]
    assert (await server_mode.get("/admin/users", token=ADMIN)).status_code == 200


async def test_clients_of_the_oauth_server(server_mode: Auth):
    path = "/admin/oauth/clients"
    wrong = await server_mode.post(path, {}, token=ADMIN)
    assert problem(wrong) == (400, "validation_failed", "400: redirect_uris is required")
    body = {"client_name": "App", "redirect_uris": ["https://app.example.com/cb"]}
    made = await server_mode.post(path, body, token=ADMIN)
    client = made.json()
    assert made.status_code == 201
    assert client["client_type"] == "confidential"
    assert client["grant_types"] == ["authorization_code", "refresh_token"]
    one = f"{path}/{client['client_id']}"
    assert "client_secret" not in (await server_mode.get(one, token=ADMIN)).json()
    changed = await server_mode.put(one, {"client_name": "New"}, token=ADMIN)
    assert changed.json()["client_name"] == "New"
    empty = await server_mode.put(one, {}, token=ADMIN)
    assert problem(empty)[2] == "No fields provided for update"
    fresh = await server_mode.post(f"{one}/regenerate_secret", token=ADMIN)
    assert fresh.json()["client_secret"] != client["client_secret"]
    await server_mode.post(path, body, token=ADMIN)
    listed = await server_mode.get(f"{path}?page=2&per_page=1", token=ADMIN)
    assert client["client_id"] in [c["client_id"] for c in listed.json()["clients"]]
    assert "link" not in listed.headers  # all of them, whatever page is asked for
    assert (await server_mode.delete(one, token=ADMIN)).status_code == 204
    assert problem(await server_mode.get(one, token=ADMIN)) == (
        404, "oauth_client_not_found", "OAuth client not found",
    )  # fmt: skip


async def test_the_code_flow_of_the_oauth_server(server_mode: Auth, email: str):
    registered = await server_mode.post("/oauth/clients/register", {
        "redirect_uris": ["https://client.example/cb"], "token_endpoint_auth_method": "none",
    })  # fmt: skip
    client = registered.json()["client_id"]
    token = (await server_mode.signed_up(email))["access_token"]
    verifier, challenge = pkce_pair()
    requested = (
        f"/oauth/authorize?client_id={client}&redirect_uri=https://client.example/cb&state=s1"
        "&response_type=code&scope=openid%20email&nonce=n1"
    )
    refused = await server_mode.get(requested)
    assert location(refused)[1]["error"] == "invalid_request"
    sent = await server_mode.get(
        f"{requested}&code_challenge={challenge}&code_challenge_method=S256"
    )
    place, query, _ = location(sent)
    assert place == "http://localhost:3000/oauth/consent"
    path = f"/oauth/authorizations/{query['authorization_id']}"
    details = (await server_mode.get(path, token=token)).json()
    assert (details["client"], details["scope"]) == ({"id": client}, "openid email")  # and no name
    foreign = {"Origin": "https://evil.test"}
    assert problem(await server_mode.call("GET", path, token=token, headers=foreign)) == (
        400, "validation_failed", "unauthorized request origin",
    )  # fmt: skip
    approved = await server_mode.post(f"{path}/consent", {"action": "approve"}, token=token)
    url = approved.json()["redirect_url"]
    again = await server_mode.post(f"{path}/consent", {"action": "deny"}, token=token)
    assert problem(again) == (
        400, "validation_failed", "authorization request is no longer pending",
    )  # fmt: skip
    code = url.split("code=")[1].split("&")[0]
    assert url.endswith("state=s1")
    form = {
        "grant_type": "authorization_code", "code": code, "client_id": client,
        "redirect_uri": "https://client.example/cb", "code_verifier": verifier,
    }  # fmt: skip
    mismatch = "code challenge does not match previously saved code verifier"
    for verifier_sent, text in (
        ("w" * 64, mismatch), ("", "code_verifier is required when PKCE challenge is present"),
    ):  # fmt: skip
        wrong = await server_mode.post("/oauth/token", {**form, "code_verifier": verifier_sent})
        assert wrong.json() == {
            "error": "invalid_grant", "error_description": f"PKCE verification failed: {text}",
        }  # fmt: skip
    del form["redirect_uri"]  # which is compared where it is sent
    granted = await server_mode.client.post("/oauth/token", data=form)
    tokens = granted.json()
    assert granted.status_code == 200, granted.text
    assert set(tokens) == {"access_token", "token_type", "expires_in", "refresh_token", "id_token"}
    claims = claims_of(tokens["access_token"])
    assert (claims["client_id"], claims["scope"]) == (client, "openid email")
    assert granted.headers["sb-auth-session-id"] == claims["session_id"]
    id_token = claims_of(tokens["id_token"])
    assert (id_token["aud"], id_token["nonce"], id_token["email"]) == (client, "n1", email)
    assert set(id_token) == {
        "aud", "exp", "iat", "auth_time", "nonce", "sub", "email", "email_verified",
        "phone_number_verified", "client_id",
    } | ({"iss"} & set(id_token))  # fmt: skip
    assert id_token["exp"] - id_token["iat"] == 3600
    replay = await server_mode.client.post("/oauth/token", data=form)
    assert replay.json()["error"] == "invalid_grant"
    info = (await server_mode.get("/oauth/userinfo", token=tokens["access_token"])).json()
    assert info == {"sub": claims["sub"], "email": email, "email_verified": True}
    sent = await server_mode.get(
        f"{requested}&code_challenge={challenge}&code_challenge_method=S256"
    )
    wider = f"/oauth/authorizations/{location(sent)[1]['authorization_id']}"
    for method, address in (("GET", wider), ("POST", f"{wider}/consent")):
        by_client = await server_mode.call(
            method, address, {"action": "approve"}, token=tokens["access_token"]
        )
        assert problem(by_client) == (
            403, "no_authorization", "An OAuth client is not allowed to do this",
        )  # fmt: skip
    plain = await server_mode.refresh(tokens["refresh_token"])
    assert plain.json()["error"] == "invalid_client"
    form = {
        "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": client,
    }  # fmt: skip
    assert (await server_mode.post("/oauth/token", form)).status_code == 200
    malformed = await server_mode.post("/oauth/token", {**form, "refresh_token": "x"})
    assert problem(malformed)[1] == "refresh_token_not_found"
    [grant] = (await server_mode.get("/user/oauth/grants", token=token)).json()
    assert grant["scopes"] == ["openid", "email"]
    gone = await server_mode.delete(f"/user/oauth/grants?client_id={client}", token=token)
    assert gone.status_code == 204
    again = await server_mode.delete(f"/user/oauth/grants?client_id={client}", token=token)
    assert problem(again)[:2] == (404, "oauth_consent_not_found")
    [entry] = await server_mode.rows(
        "select payload->'traits' as traits from auth.audit_log_entries where"
        " payload->>'action' = 'token_revoked' and payload->'traits'->>'oauth_client_id' = $1", client,
    )  # fmt: skip
    assert "revoke_oauth_grant" in entry["traits"]
    own = (await server_mode.get("/oauth/userinfo", token=token)).json()
    assert own == {"sub": claims["sub"]}  # a session of our own has no scopes
    nobody = f"/admin/oauth/clients/{UUID(int=7)}"
    assert problem(await server_mode.put(nobody, b"{", token=ADMIN))[0] == 404


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("body", "headers", "text"),
    [
        ("", {}, "Invalid client credentials: client_id is required"),
        ("{", JSON, "Invalid client credentials: failed to parse JSON body"),
        ('{"code": 5}', JSON, "Invalid client credentials: client_id is required"),
        ('{"client_id": 5}', JSON, "Invalid client credentials: failed to parse JSON body"),
        ("{}", {}, "Invalid client credentials: client_id is required"),
        ('{"client_id": "x"}', {}, "Invalid client credentials: client_id is required"),
        ('{"client_id": "x"}', JSON, "Invalid client_id format"),
        ('{"client_id": "' + str(UUID(int=7)) + '"}', JSON, "Invalid client credentials"),
        ("", {"Authorization": "Basic ?"}, "Invalid client credentials: invalid basic auth encoding"),
        ("", {"Authorization": "Basic YQ=="}, "Invalid client credentials: invalid basic auth format"),
    ],
)  # fmt: skip
async def test_clients_that_do_not_prove_themselves(server_mode: Auth, body, headers, text):
    answer = await server_mode.call("POST", "/oauth/token", body.encode(), headers=headers)
    assert problem(answer) == (400, "invalid_credentials", text)


async def test_clients_prove_themselves_in_their_registered_way(server_mode: Auth):
    path = "/admin/oauth/clients"
    body = {"redirect_uris": ["https://app.example.com/cb"]}
    client = (await server_mode.post(path, body, token=ADMIN)).json()
    name, secret = client["client_id"], client["client_secret"]

    async def refused(**members: str) -> str:
        answer = await server_mode.post("/oauth/token", {"client_id": name, **members})
        return problem(answer)[2]

    wrong = "invalid authentication method: client is registered for 'client_secret_basic' but "
    assert await refused() == f"{wrong}'none' was used"
    assert await refused(client_secret=secret) == f"{wrong}'client_secret_post' was used"
    one = f"{path}/{name}"
    moved = {"token_endpoint_auth_method": "client_secret_post"}
    assert (await server_mode.put(one, moved, token=ADMIN)).status_code == 200
    assert await refused(client_secret="x") == "invalid client credentials"
    answer = await server_mode.post("/oauth/token", {"client_id": name, "client_secret": secret})
    assert answer.json() == {
        "error": "invalid_request", "error_description": "grant_type is required",
    }  # fmt: skip
    texts = {
        "x": "invalid token_endpoint_auth_method: must be one of "
        "[none client_secret_basic client_secret_post]",
        "none": "token_endpoint_auth_method 'none' is not valid for client_type 'confidential'; "
        "valid methods: [client_secret_basic client_secret_post]",
    }
    for method, text in texts.items():
        change = {"token_endpoint_auth_method": method}
        assert problem(await server_mode.put(one, change, token=ADMIN))[2] == text
    text = "client_type must be 'public' or 'confidential'"
    answer = await server_mode.post(path, {**body, "client_type": "x"}, token=ADMIN)
    assert problem(answer)[2] == f"400: {text}"
    text = (
        "client_type 'public' is inconsistent with token_endpoint_auth_method "
        "'client_secret_post' (expected client_type 'confidential')"
    )
    answer = await server_mode.post(path, {**body, "client_type": "public", **moved}, token=ADMIN)
    assert problem(answer)[2] == f"400: {text}"
    assert problem(await server_mode.post(path, b"{", token=ADMIN)) == (
        400, "bad_json", "Invalid JSON body",
    )  # fmt: skip
    followed = await server_mode.put(one, b"{} more", token=ADMIN)
    assert problem(followed)[2] == "No fields provided for update"


async def test_consent_comes_from_the_sites_own_pages(server_mode: Auth, email: str):
    token = (await server_mode.signed_up(email))["access_token"]
    path = "/oauth/authorizations/none/consent"
    foreign = await server_mode.call(
        "POST", path, {"action": "approve"}, token=token, headers={"Origin": "https://evil.test"}
    )
    assert problem(foreign) == (400, "validation_failed", "unauthorized request origin")
    own = await server_mode.call(
        "POST", path, {"action": "approve"}, token=token,
        headers={"Origin": "http://localhost:3000"},
    )  # fmt: skip
    assert problem(own)[:2] == (404, "oauth_authorization_not_found")
    assert problem(await server_mode.post(path, b"{", token=token)) == (
        400, "bad_json", "invalid JSON body",
    )  # fmt: skip


async def test_the_oauth_server_can_be_off(auto: Auth):
    answer = await auto.get("/admin/oauth/clients", token=ADMIN)
    assert problem(answer) == (404, "feature_disabled", "OAuth server is disabled")
    assert (await auto.get("/.well-known/oauth-authorization-server")).status_code == 404


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("https://client.example\\@evil.example/", "invalid URL format"),
        ("https://user@client.example/cb", "invalid URL format"),
        ("https://client.example\t/cb", "invalid URL format"),
        ("https://client.example/cb,javascript:alert(1)", "invalid URL format"),
        ("http://localhost\\@evil.example/", "invalid URL format"),
        ("http://localhost@evil.example/", "invalid URL format"),
        ("http://evil.example#@localhost/", "HTTP scheme only allowed for localhost"),
        ("javascript://client.example/%0aalert(1)", "scheme 'javascript' is not allowed for security reasons"),
        ("JAVASCRIPT://client.example/", "scheme 'javascript' is not allowed for security reasons"),
        ("blob:https://client.example/x", "must have scheme and host"),
        ("https:client.example/cb", "must have scheme and host"),
        ("//client.example/cb", "must have scheme and host"),
    ],
)  # fmt: skip
async def test_clients_register_no_address_that_is_a_trick(server_mode: Auth, uri: str, text: str):
    made = await server_mode.post(
        "/oauth/clients/register", {"client_name": "T", "redirect_uris": [uri]}
    )
    assert problem(made) == (
        400, "validation_failed", f"400: invalid redirect_uri '{uri}': {text}",
    )  # fmt: skip


@pytest.mark.parametrize(
    "members", [{"client_uri": "javascript:alert(1)"}, {"logo_uri": "data:text/html,x"}]
)
async def test_what_a_client_says_of_itself_runs_nothing(
    server_mode: Auth, members: dict[str, str]
):
    body = {"client_name": "T", "redirect_uris": ["https://client.example/cb"], **members}
    made = await server_mode.post("/oauth/clients/register", body)
    [name] = members
    assert problem(made)[2] == f"400: {name} must be a valid URL"


async def test_a_stored_address_that_is_a_trick_is_followed_by_nobody(server_mode: Auth):
    body = {"client_name": "Old", "redirect_uris": ["https://client.example/cb"]}
    client = (await server_mode.post("/oauth/clients/register", body)).json()["client_id"]
    old = "https://client.example\\@evil.example/"
    await server_mode.rows(
        "update auth.oauth_clients set redirect_uris = $1 where id = $2::uuid", old, client
    )
    authorization = (
        f"/oauth/authorize?client_id={client}&redirect_uri={quote(old, safe='')}&state=s"
    )
    assert problem(await server_mode.get(authorization))[2] == "invalid redirect_uri"


async def _tokens_of_a_client(server_mode: Auth, token: str, more: str = "") -> tuple[str, dict]:
    """A new client's id, and what it gets after the user of a token has consented."""
    registered = await server_mode.post("/oauth/clients/register", {
        "redirect_uris": ["https://client.example/cb"], "token_endpoint_auth_method": "none",
    })  # fmt: skip
    client, (verifier, challenge) = registered.json()["client_id"], pkce_pair()
    sent = await server_mode.get(
        f"/oauth/authorize?client_id={client}&redirect_uri=https://client.example/cb"
        f"&response_type=code&code_challenge={challenge}&code_challenge_method=S256{more}"
    )
    path = f"/oauth/authorizations/{location(sent)[1]['authorization_id']}"
    await server_mode.get(path, token=token)
    approved = await server_mode.post(f"{path}/consent", {"action": "approve"}, token=token)
    code = approved.json()["redirect_url"].split("code=")[1].split("&")[0]
    granted = await server_mode.post("/oauth/token", {
        "grant_type": "authorization_code", "code": code, "client_id": client,
        "code_verifier": verifier,
    })  # fmt: skip
    return client, granted.json()


async def test_where_a_secret_signs_there_is_no_id_token(open_with, email: str):
    by_secret = await open_with(
        **AUTO, GOTRUE_OAUTH_SERVER_ENABLED="true",
        GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION="true",
        GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH="/oauth/consent",
    )  # fmt: skip
    token = (await by_secret.signed_up(email))["access_token"]
    _, granted = await _tokens_of_a_client(by_secret, token, "&scope=openid%20email")
    assert set(granted) == {"access_token", "token_type", "expires_in", "refresh_token"}


async def test_a_client_cannot_change_how_its_user_signs_in(server_mode: Auth, email: str):
    token = (await server_mode.signed_up(email))["access_token"]
    held = (await _tokens_of_a_client(server_mode, token))[1]["access_token"]
    refused = (403, "no_authorization", "An OAuth client is not allowed to do this")
    for method, path, body in (
        ("PUT", "/user", {"password": "of the client alone"}),
        ("PUT", "/user", {"email": f"evil-{email}"}),
        ("PUT", "/user", {"phone": "+34600111222"}),
        ("POST", "/factors", {"factor_type": "totp", "friendly_name": "evil"}),
        ("GET", "/reauthenticate", None),
        ("GET", "/user/oauth/grants", None),
    ):
        assert problem(await server_mode.call(method, path, body, token=held)) == refused, path
    assert (await server_mode.sign_in(email)).status_code == 200
    assert (await server_mode.get("/user", token=held)).json()["email"] == email
    assert (await server_mode.put("/user", {"data": {"a": 1}}, token=held)).status_code == 200


async def test_a_client_of_an_administrator_is_none(server_mode: Auth, email: str):
    user = await server_mode.signed_up(email)
    client, held = await _tokens_of_a_client(server_mode, user["access_token"])
    await server_mode.rows(
        "update auth.users set role = 'service_role' where id = $1", UUID(user["user"]["id"])
    )
    fresh = await server_mode.post("/oauth/token", {
        "grant_type": "refresh_token", "refresh_token": held["refresh_token"], "client_id": client,
    })  # fmt: skip
    answer = await server_mode.get("/admin/users", token=fresh.json()["access_token"])
    assert problem(answer)[:2] == (403, "no_authorization")
