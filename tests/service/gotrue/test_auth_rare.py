"""Passkeys, the OAuth server, custom providers, wallets: auth reference 8, 9.3, 9.6, 11."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime
from urllib.parse import quote
from uuid import UUID, uuid4

import base58
import cbor2
import coincurve
import httpx2
import pytest
import pytest_asyncio
from Crypto.Hash import keccak
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from tests.harness_auth import AUTO, Auth, admin_token, claims_of, location, pkce_pair, problem

ADMIN = admin_token()
ORIGIN = "http://localhost:5173"


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Authenticator:
    """A security key in software: one credential, ES256, no attestation."""

    def __init__(self, model: str = str(UUID(int=0))) -> None:
        self.model = UUID(model)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = hashlib.sha256(str(uuid4()).encode()).digest()
        self.handle = b""
        self.count = 0

    def create(self, options: dict) -> dict:
        self.handle = base64.urlsafe_b64decode(options["user"]["id"] + "==")
        numbers = self.key.public_key().public_numbers()
        cose = cbor2.dumps({
            1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big"),
        })  # fmt: skip
        credential = self.model.bytes + len(self.id).to_bytes(2, "big") + self.id + cose
        data = self._data(options["rp"]["id"], 0x45) + credential
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options["challenge"])
        return self._answer(clientDataJSON=client, attestationObject=attestation)

    def get(self, options: dict) -> dict:
        self.count += 1
        data = self._data(options["rpId"], 0x05)
        client = self._client("webauthn.get", options["challenge"])
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(
            clientDataJSON=client, authenticatorData=data, signature=signature,
            userHandle=self.handle,
        )  # fmt: skip

    def _data(self, rp_id: str, flags: int) -> bytes:
        return (
            hashlib.sha256(rp_id.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")
        )

    def _client(self, kind: str, challenge: str) -> bytes:
        told = {"type": kind, "challenge": challenge, "origin": ORIGIN, "crossOrigin": False}
        return json.dumps(told).encode()

    def _answer(self, **response: bytes) -> dict:
        return {
            "id": _b64(self.id), "rawId": _b64(self.id), "type": "public-key",
            "response": {name: _b64(value) for name, value in response.items()},
            "clientExtensionResults": {},
        }  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def keys(open_with) -> Auth:
    return await open_with(
        **AUTO, GOTRUE_PASSKEY_ENABLED="true", GOTRUE_WEBAUTHN_RP_ID="localhost",
        GOTRUE_WEBAUTHN_RP_DISPLAY_NAME="Planes", GOTRUE_WEBAUTHN_RP_ORIGINS=ORIGIN,
        GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED="true", GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED="true",
    )  # fmt: skip


async def test_a_passkey_is_called_after_what_keeps_it(keys: Auth, email: str):
    token = (await keys.signed_up(email))["access_token"]
    begun = (await keys.post("/passkeys/registration/options", token=token)).json()
    key = Authenticator("bada5566-a7aa-401f-bd96-45619a55120d")
    body = {"challenge_id": begun["challenge_id"], "credential": key.create(begun["options"])}
    made = await keys.post("/passkeys/registration/verify", body, token=token)
    assert made.json()["friendly_name"] == "1Password"
    [listed] = (await keys.get("/passkeys", token=token)).json()
    assert listed["friendly_name"] == "1Password"


async def test_a_passkey_is_registered_and_signs_in(keys: Auth, email: str):
    token = (await keys.signed_up(email))["access_token"]
    begun = (await keys.post("/passkeys/registration/options", token=token)).json()
    options = begun["options"]
    assert options["authenticatorSelection"]["residentKey"] == "required"
    assert (options["attestation"], options["timeout"]) == ("none", 300000)
    key = Authenticator()
    body = {"challenge_id": begun["challenge_id"], "credential": key.create(options)}
    made = await keys.post("/passkeys/registration/verify", body, token=token)
    assert made.status_code == 200, made.text
    assert set(made.json()) == {"id", "friendly_name", "created_at"}
    assert made.json()["friendly_name"] == "Passkey"
    again = await keys.post("/passkeys/registration/verify", body, token=token)
    assert problem(again)[:2] == (400, "webauthn_challenge_not_found")
    begun = (await keys.post("/passkeys/authentication/options")).json()
    assert "allowCredentials" not in begun["options"]
    body = {"challenge_id": begun["challenge_id"], "credential": key.get(begun["options"])}
    session = await keys.post("/passkeys/authentication/verify", body)
    assert session.status_code == 200, session.text
    assert claims_of(session.json()["access_token"])["amr"][0]["method"] == "passkey"
    [listed] = (await keys.get("/passkeys", token=token)).json()
    assert listed["last_used_at"]
    path = f"/passkeys/{listed['id']}"
    named = await keys.call("PATCH", path, {"friendly_name": "mi llave"}, token=token)
    assert named.json()["friendly_name"] == "mi llave"
    user = session.json()["user"]["id"]
    assert len((await keys.get(f"/admin/users/{user}/passkeys", token=ADMIN)).json()) == 1
    assert (await keys.delete(path, token=token)).status_code == 204
    assert problem(await keys.delete(path, token=token)) == (
        404, "validation_failed", "Passkey not found",
    )  # fmt: skip


async def test_a_passkey_that_lies_does_not_sign_in(keys: Auth, email: str):
    token = (await keys.signed_up(email))["access_token"]
    begun = (await keys.post("/passkeys/registration/options", token=token)).json()
    key = Authenticator()
    body = {"challenge_id": begun["challenge_id"], "credential": key.create(begun["options"])}
    await keys.post("/passkeys/registration/verify", body, token=token)
    begun = (await keys.post("/passkeys/authentication/options")).json()
    key.key = ec.generate_private_key(ec.SECP256R1())
    body = {"challenge_id": begun["challenge_id"], "credential": key.get(begun["options"])}
    answer = await keys.post("/passkeys/authentication/verify", body)
    assert problem(answer)[:2] == (400, "webauthn_verification_failed")


async def _registered(keys: Auth, token: str, key: Authenticator) -> httpx2.Response:
    begun = (await keys.post("/passkeys/registration/options", token=token)).json()
    body = {"challenge_id": begun["challenge_id"], "credential": key.create(begun["options"])}
    return await keys.post("/passkeys/registration/verify", body, token=token)


async def test_passkey_refusals(keys: Auth, email: str):
    token = (await keys.signed_up(email))["access_token"]
    key = Authenticator()
    made = (await _registered(keys, token, key)).json()
    other = (await keys.signed_up(f"o-{email}"))["access_token"]
    assert problem(await _registered(keys, other, key)) == (
        422, "webauthn_credential_exists", "This credential is already registered",
    )  # fmt: skip
    path = f"/passkeys/{made['id']}"
    for name, text in (("", "is required"), ("ñ" * 61, "must be 120 characters or less")):
        refused = await keys.call("PATCH", path, {"friendly_name": name}, token=token)
        assert problem(refused) == (400, "validation_failed", f"friendly_name {text}")
    assert problem(await keys.delete("/passkeys/5", token=token)) == (
        404, "validation_failed", "Passkey not found",
    )  # fmt: skip
    begun = (await keys.post("/passkeys/authentication/options")).json()
    await keys.rows(
        "update auth.webauthn_challenges set expires_at = now() - interval '1 second'"
        " where id = $1::uuid", begun["challenge_id"],
    )  # fmt: skip
    body = {"challenge_id": begun["challenge_id"], "credential": key.get(begun["options"])}
    assert problem(await keys.post("/passkeys/authentication/verify", body)) == (
        400, "webauthn_challenge_expired", "Challenge has expired",
    )  # fmt: skip
    for credential in ({}, "x", {"id": "x", "rawId": "x", "type": "public-key", "response": {}}):
        begun = (await keys.post("/passkeys/authentication/options")).json()
        body = {"challenge_id": begun["challenge_id"], "credential": credential}
        assert problem(await keys.post("/passkeys/authentication/verify", body)) == (
            400, "webauthn_verification_failed", "Invalid credential response",
        )  # fmt: skip
    body = {"challenge_id": "x", "credential": {}}
    assert problem(await keys.post("/passkeys/authentication/verify", body)) == (
        400, "validation_failed", "challenge_id must be a valid UUID",
    )  # fmt: skip


async def test_a_user_has_so_many_passkeys(open_with, email: str):
    few = await open_with(
        **AUTO, GOTRUE_PASSKEY_ENABLED="true", GOTRUE_WEBAUTHN_RP_ID="localhost",
        GOTRUE_WEBAUTHN_RP_DISPLAY_NAME="Planes", GOTRUE_WEBAUTHN_RP_ORIGINS=ORIGIN,
        GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER="1",
    )  # fmt: skip
    token = (await few.signed_up(email))["access_token"]
    assert (await _registered(few, token, Authenticator())).status_code == 200
    assert problem(await few.post("/passkeys/registration/options", token=token)) == (
        422, "too_many_passkeys", "Maximum number of passkeys reached",
    )  # fmt: skip


async def test_passkeys_can_be_off(auto: Auth):
    answer = await auto.post("/passkeys/authentication/options")
    assert problem(answer) == (404, "passkey_disabled", "Passkeys are disabled")


async def test_a_security_key_as_a_second_factor(keys: Auth, email: str):
    token = (await keys.signed_up(email))["access_token"]
    body = {"factor_type": "webauthn", "friendly_name": "key"}
    factor = (await keys.post("/factors", body, token=token)).json()
    path = f"/factors/{factor['id']}"
    challenge = (await keys.post(f"{path}/challenge", {}, token=token)).json()
    assert challenge["webauthn"]["type"] == "create"
    for part, text in (
        (None, "WebAuthn config required"),
        ({"type": "x"}, "WebAuthn type must be create or request"),
        ({"type": "create"}, "credential_response required"),
        ({"type": "create", "credential_response": "x"}, "Invalid credential_response"),
    ):
        body = {"challenge_id": challenge["id"], "webauthn": part}
        refused = await keys.post(f"{path}/verify", body, token=token)
        assert problem(refused) == (400, "validation_failed", text)
    key = Authenticator()
    options = challenge["webauthn"]["credential_options"]["publicKey"]
    proof = {"type": "create", "credential_response": key.create(options)}
    body = {"challenge_id": challenge["id"], "webauthn": proof}
    verified = await keys.post(f"{path}/verify", body, token=token)
    assert verified.status_code == 200, verified.text
    assert claims_of(verified.json()["access_token"])["amr"][0]["method"] == "mfa/webauthn"
    low = (await keys.sign_in(email)).json()["access_token"]
    challenge = (await keys.post(f"{path}/challenge", {}, token=low)).json()
    assert challenge["webauthn"]["type"] == "request"
    options = challenge["webauthn"]["credential_options"]["publicKey"]
    proof = {"type": "request", "credential_response": key.get(options)}
    body = {"challenge_id": challenge["id"], "webauthn": proof}
    verified = await keys.post(f"{path}/verify", body, token=low)
    assert claims_of(verified.json()["access_token"])["aal"] == "aal2"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server_mode(open_with) -> Auth:
    from cryptography.hazmat.primitives.asymmetric import ec as curves
    from jwt.algorithms import ECAlgorithm

    key = curves.generate_private_key(curves.SECP256R1())
    jwk = {**json.loads(ECAlgorithm.to_jwk(key)), "kid": "one", "alg": "ES256", "key_ops": ["sign"]}
    return await open_with(
        **AUTO, GOTRUE_OAUTH_SERVER_ENABLED="true", GOTRUE_JWT_KEYS=json.dumps([jwk]),
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
    ask = (
        f"/oauth/authorize?client_id={client}&redirect_uri=https://client.example/cb&state=s1"
        "&response_type=code&scope=openid%20email&nonce=n1"
    )
    refused = await server_mode.get(ask)
    assert location(refused)[1]["error"] == "invalid_request"
    sent = await server_mode.get(f"{ask}&code_challenge={challenge}&code_challenge_method=S256")
    place, query, _ = location(sent)
    assert place == "http://localhost:3000/oauth/consent"
    path = f"/oauth/authorizations/{query['authorization_id']}"
    told = (await server_mode.get(path, token=token)).json()
    assert (told["client"]["id"], told["scope"]) == (client, "openid email")
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
    wrong = await server_mode.post("/oauth/token", {**form, "code_verifier": "w" * 64})
    assert wrong.json()["error"] == "invalid_grant"
    granted = await server_mode.client.post("/oauth/token", data=form)
    tokens = granted.json()
    assert granted.status_code == 200, granted.text
    assert set(tokens) == {"access_token", "token_type", "expires_in", "refresh_token", "id_token"}
    claims = claims_of(tokens["access_token"])
    assert (claims["client_id"], claims["scope"]) == (client, "openid email")
    id_token = claims_of(tokens["id_token"])
    assert (id_token["aud"], id_token["nonce"], id_token["email"]) == (client, "n1", email)
    replay = await server_mode.client.post("/oauth/token", data=form)
    assert replay.json()["error"] == "invalid_grant"
    info = (await server_mode.get("/oauth/userinfo", token=tokens["access_token"])).json()
    assert info == {"sub": claims["sub"], "email": email, "email_verified": True}
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


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("body", "headers", "text"),
    [
        ("", {}, "Invalid client credentials: client_id is required"),
        ("{", JSON, "Invalid client credentials: failed to parse JSON body"),
        ('{"client_id": 5}', JSON, "Invalid client credentials: failed to parse JSON body"),
        ("{}", {}, "Invalid client credentials: client_id is required"),
        ('{"client_id": "x"}', {}, "Invalid client_id format"),
        ('{"client_id": "' + str(UUID(int=7)) + '"}', {}, "Invalid client credentials"),
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


async def test_custom_providers(auto: Auth):
    path = "/admin/custom-providers"
    body = {
        "provider_type": "oidc", "identifier": "custom:acme", "name": "Acme",
        "client_id": "c", "client_secret": "s", "issuer": "https://id.acme.example",
    }  # fmt: skip
    made = await auto.post(path, body, token=ADMIN)
    assert made.status_code == 201, made.text
    assert "client_secret" not in made.json()
    assert made.json()["pkce_enabled"] is True
    listed = (await auto.get(f"{path}?type=oidc", token=ADMIN)).json()["providers"]
    assert [provider["identifier"] for provider in listed] == ["custom:acme"]
    changed = await auto.put(f"{path}/custom:acme", {"name": "New"}, token=ADMIN)
    assert changed.json()["name"] == "New"
    assert changed.json()["scopes"] == ["openid"]
    again = await auto.post(path, body, token=ADMIN)
    assert problem(again) == (
        400, "conflict", "A custom OAuth provider with this identifier already exists",
    )  # fmt: skip
    insecure = await auto.put(f"{path}/custom:acme", {"issuer": "http://x"}, token=ADMIN)
    assert problem(insecure) == (400, "validation_failed", "URL must use HTTPS")
    foreign = await auto.get(f"{path}/acme", token=ADMIN)
    assert problem(foreign) == (
        400, "validation_failed", "identifier must start with 'custom:' prefix, e.g. 'custom:acme'",
    )  # fmt: skip
    assert (await auto.delete(f"{path}/custom:acme", token=ADMIN)).status_code == 204
    assert problem(await auto.get(f"{path}/custom:acme", token=ADMIN))[:2] == (
        404, "custom_provider_not_found",
    )  # fmt: skip


async def test_so_many_custom_providers(open_with):
    auth = await open_with(GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS="1")
    path = "/admin/custom-providers"
    body = {
        "provider_type": "oidc", "identifier": "custom:one", "name": "One", "client_id": "c",
        "client_secret": "s", "issuer": "https://id.one.example",
    }  # fmt: skip
    assert (await auth.post(path, body, token=ADMIN)).status_code == 201
    again = await auth.post(path, {**body, "identifier": "custom:two"}, token=ADMIN)
    assert problem(again) == (
        400, "over_custom_provider_quota", "Maximum number of custom OAuth/OIDC providers reached",
    )  # fmt: skip
    assert (await auth.delete(f"{path}/custom:one", token=ADMIN)).status_code == 204


def _message(chain: str, address: str, domain: str = "app.example.com") -> str:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    network = "solana:mainnet" if chain == "Solana" else "1"
    return (
        f"{domain} wants you to sign in with your {chain} account:\n{address}\n\nEntra\n\n"
        f"URI: https://app.example.com/in\nVersion: 1\nChain ID: {network}\nNonce: abcdefgh\n"
        f"Issued At: {now}"
    )


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def wallets(open_with) -> Auth:
    return await open_with(
        GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED="true", GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED="true"
    )


async def test_a_solana_wallet_signs_in(wallets: Auth):
    key = ed25519.Ed25519PrivateKey.generate()
    address = base58.b58encode(key.public_key().public_bytes_raw()).decode()
    text = _message("Solana", address)
    body = {
        "chain": "solana", "message": text,
        "signature": base64.b64encode(key.sign(text.encode())).decode(),
    }  # fmt: skip
    answer = await wallets.post("/token?grant_type=web3", body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["user"]["identities"][0]["id"] == f"web3:solana:{address}"
    assert claims_of(answer.json()["access_token"])["amr"][0]["method"] == "web3"
    forged = await wallets.post("/token?grant_type=web3", {**body, "message": text + " "})
    assert forged.json()["error"] == "invalid_grant"
    other = _message("Solana", address, "evil.example")
    body = {**body, "message": other, "signature": _b64(key.sign(other.encode()))}
    assert (await wallets.post("/token?grant_type=web3", body)).json()["error"] == "invalid_grant"


async def test_a_hook_is_asked_before_a_wallet_gets_an_account(open_with, wallets: Auth):
    await wallets.rows(
        "create or replace function public.no_wallets(event jsonb) returns jsonb language sql as "
        "$$ select jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', "
        "event->'user'->'app_metadata'->>'provider')) $$"
    )
    guarded = await open_with(
        GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED="true", GOTRUE_HOOK_BEFORE_USER_CREATED_ENABLED="true",
        GOTRUE_HOOK_BEFORE_USER_CREATED_URI="pg-functions://postgres/public/no_wallets",
    )  # fmt: skip
    key = ed25519.Ed25519PrivateKey.generate()
    address = base58.b58encode(key.public_key().public_bytes_raw()).decode()
    text = _message("Solana", address)
    body = {"chain": "solana", "message": text, "signature": _b64(key.sign(text.encode()))}
    refused = await guarded.post("/token?grant_type=web3", body)
    assert (refused.status_code, refused.json()["message"]) == (403, "web3")
    assert (await wallets.post("/token?grant_type=web3", body)).status_code == 200
    assert (await guarded.post("/token?grant_type=web3", body)).status_code == 200
    notes = await wallets.rows(
        "select payload->'traits'->>'address' from auth.audit_log_entries"
        " where payload->'traits'->>'address' = $1", address,
    )  # fmt: skip
    assert len(notes) == 2


async def test_an_ethereum_wallet_signs_in(wallets: Auth):
    key = coincurve.PrivateKey()
    public = key.public_key.format(compressed=False)[1:]
    address = "0x" + keccak.new(digest_bits=256, data=public).digest()[-20:].hex()
    text = _message("Ethereum", address)
    data = f"\x19Ethereum Signed Message:\n{len(text)}{text}".encode()
    digest = keccak.new(digest_bits=256, data=data).digest()
    signature = key.sign_recoverable(digest, hasher=None)
    signature = signature[:64] + bytes([signature[64] + 27])
    body = {"chain": "ethereum", "message": text, "signature": "0x" + signature.hex()}
    answer = await wallets.post("/token?grant_type=web3", body)
    assert answer.status_code == 200, answer.text
    again = await wallets.post("/token?grant_type=web3", body)
    assert again.json()["user"]["id"] == answer.json()["user"]["id"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"chain": "bitcoin"}, (400, "web3_unsupported_chain", "Unsupported chain")),
        ({"chain": "solana", "message": "x"}, (400, "validation_failed", "message is too short")),
    ],
)
async def test_wallets_refused(wallets: Auth, body, expected):
    assert problem(await wallets.post("/token?grant_type=web3", body)) == expected


async def test_wallets_can_be_off(auto: Auth):
    answer = await auto.post("/token?grant_type=web3", {"chain": "solana"})
    assert problem(answer) == (422, "web3_provider_disabled", "Web3 provider is disabled")


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
    asked = f"/oauth/authorize?client_id={client}&redirect_uri={quote(old, safe='')}&state=s"
    assert problem(await server_mode.get(asked))[2] == "invalid redirect_uri"
