"""Passkeys, and a security key as a second factor: auth reference 8."""

from __future__ import annotations

import base64
import hashlib
import json
from uuid import UUID, uuid4

import cbor2
import httpx2
import pytest_asyncio
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from tests.harness_auth import AUTO, Auth, admin_token, claims_of, problem

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
        self.is_synced = False

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
        flags |= 0x18 if self.is_synced else 0
        return (
            hashlib.sha256(rp_id.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")
        )

    def _client(self, kind: str, challenge: str) -> bytes:
        collected = {"type": kind, "challenge": challenge, "origin": ORIGIN, "crossOrigin": False}
        return json.dumps(collected).encode()

    def _answer(self, **response: bytes) -> dict:
        return {
            "id": _b64(self.id), "rawId": _b64(self.id), "type": "public-key",
            "response": {name: _b64(value) for name, value in response.items()},
            "clientExtensionResults": {},
        }  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def keys(open_with) -> Auth:
    return await open_with(
        nodes=2, **AUTO, GOTRUE_PASSKEY_ENABLED="true", GOTRUE_WEBAUTHN_RP_ID="localhost",
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


async def test_whose_answer_names_nobody_does_not_sign_in(keys: Auth, email: str):
    token = (await keys.signed_up(email))["access_token"]
    key = Authenticator()
    await _registered(keys, token, key)
    key.handle = b""
    begun = (await keys.post("/passkeys/authentication/options")).json()
    body = {"challenge_id": begun["challenge_id"], "credential": key.get(begun["options"])}
    answer = await keys.post("/passkeys/authentication/verify", body)
    assert problem(answer)[:2] == (400, "webauthn_verification_failed")


async def _signed_in(keys: Auth, key: Authenticator) -> httpx2.Response:
    begun = (await keys.post("/passkeys/authentication/options")).json()
    body = {"challenge_id": begun["challenge_id"], "credential": key.get(begun["options"])}
    return await keys.post("/passkeys/authentication/verify", body)


async def test_a_passkey_that_was_copied_does_not_sign_in(keys: Auth, email: str):
    """Its count of uses is behind, or one that stayed on its device is on others now."""
    token = (await keys.signed_up(email))["access_token"]
    key = Authenticator()
    await _registered(keys, token, key)
    for key.count in (10, 20):
        assert (await _signed_in(keys, key)).status_code == 200
    key.count = 10
    assert problem(await _signed_in(keys, key))[:2] == (400, "webauthn_verification_failed")
    key.count, key.is_synced = 30, True
    assert problem(await _signed_in(keys, key))[:2] == (400, "webauthn_verification_failed")
    key.is_synced = False
    assert (await _signed_in(keys, key)).status_code == 200


async def test_an_origin_is_set_as_any_address_of_it(open_with, email: str):
    auth = await open_with(
        **AUTO, GOTRUE_PASSKEY_ENABLED="true", GOTRUE_WEBAUTHN_RP_ID="localhost",
        GOTRUE_WEBAUTHN_RP_DISPLAY_NAME="Planes", GOTRUE_WEBAUTHN_RP_ORIGINS="HTTP://LocalHost:5173/",
    )  # fmt: skip
    token = (await auth.signed_up(email))["access_token"]
    assert (await _registered(auth, token, Authenticator())).status_code == 200


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
    foreign = key.get(options)
    foreign["response"]["userHandle"] = "c29tZWJvZHk"
    proof = {"type": "request", "credential_response": foreign}
    body = {"challenge_id": challenge["id"], "webauthn": proof}
    refused = await keys.post(f"{path}/verify", body, token=low)
    assert problem(refused)[:2] == (400, "validation_failed")
    proof = {"type": "request", "credential_response": key.get(options)}
    body = {"challenge_id": challenge["id"], "webauthn": proof}
    verified = await keys.post(f"{path}/verify", body, token=low)
    assert claims_of(verified.json()["access_token"])["aal"] == "aal2"
    again = await keys.post(f"{path}/verify", body, token=verified.json()["access_token"])
    assert problem(again)[:2] == (422, "mfa_factor_not_found")  # the challenge is gone
