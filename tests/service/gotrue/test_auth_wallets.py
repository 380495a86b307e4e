"""Solana and Ethereum wallets: auth reference 9.6."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import base58
import coincurve
import pytest
import pytest_asyncio
from Crypto.Hash import keccak
from cryptography.hazmat.primitives.asymmetric import ed25519

from gotrue_compat.features.web3.signatures import checksummed
from tests.harness_auth import Auth, claims_of, problem

GROUP_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141  # of secp256k1


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


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
        nodes=2,
        GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED="true",
        GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED="true",
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
        "concat(event->'user'->'app_metadata'->>'provider', event->'user'->>'is_anonymous'))) $$"
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
    assert (refused.status_code, refused.json()["message"]) == (403, "web3false")
    assert (await wallets.post("/token?grant_type=web3", body)).status_code == 200
    assert (await guarded.post("/token?grant_type=web3", body)).status_code == 200
    notes = await wallets.rows(
        "select payload->'traits'->>'uri' as uri from auth.audit_log_entries"
        " where payload->'traits'->>'address' = $1", address,
    )  # fmt: skip
    assert [note["uri"] for note in notes] == ["https://app.example.com/in"] * 2


def _signed(key: coincurve.PrivateKey, text: str) -> dict[str, str]:
    """The body of a sign-in by a wallet of Ethereum."""
    data = f"\x19Ethereum Signed Message:\n{len(text)}{text}".encode()
    digest = keccak.new(digest_bits=256, data=data).digest()
    signature = key.sign_recoverable(digest, hasher=None)
    signature = signature[:64] + bytes([signature[64] + 27])
    return {"chain": "ethereum", "message": text, "signature": "0x" + signature.hex()}


def _address(key: coincurve.PrivateKey) -> str:
    public = key.public_key.format(compressed=False)[1:]
    return "0x" + keccak.new(digest_bits=256, data=public).digest()[-20:].hex()


def _sign_in(key: coincurve.PrivateKey) -> dict[str, str]:
    return _signed(key, _message("Ethereum", _address(key)))


@pytest.mark.parametrize("first", ["as it is", "with its checksum"])
async def test_an_ethereum_wallet_is_one_account_however_it_writes_its_address(
    wallets: Auth, first: str
):
    key = coincurve.PrivateKey()
    spellings = [_address(key), checksummed(_address(key))]
    if first != "as it is":
        spellings.reverse()
    seen = []
    for spelling in (*spellings, spellings[0]):
        body = _signed(key, _message("Ethereum", spelling))
        answer = await wallets.post("/token?grant_type=web3", body)
        assert answer.status_code == 200, answer.text
        seen.append(answer.json()["user"])
    assert len({user["id"] for user in seen}) == 1
    [identity] = seen[-1]["identities"]
    assert identity["id"] == identity["identity_data"]["sub"] == f"web3:ethereum:{spellings[0]}"


async def test_a_signed_message_counts_once(open_with):
    wallets = await open_with(
        nodes=2, GOTRUE_RATE_LIMIT_STORE="database", GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED="true"
    )
    key = coincurve.PrivateKey()
    body = _sign_in(key)
    assert (await wallets.post("/token?grant_type=web3", body)).status_code == 200
    r, s, v = body["signature"][2:66], int(body["signature"][66:130], 16), body["signature"][130:]
    twin = f"0x{r}{GROUP_ORDER - s:064x}{'1b' if v == '1c' else '1c'}"  # as valid as the other one
    for signature in (body["signature"], body["signature"].upper().replace("X", "x", 1), twin):
        again = await wallets.post("/token?grant_type=web3", body | {"signature": signature})
        assert again.json() == {
            "error": "invalid_grant",
            "error_description": "Signed Ethereum message was used before",
        }
    assert (await wallets.post("/token?grant_type=web3", _sign_in(key))).status_code == 200


async def test_a_signature_of_ethereum_is_hexadecimal_after_0x(wallets: Auth):
    key = coincurve.PrivateKey()
    body = _signed(key, _message("Ethereum", _address(key)))
    path = "/token?grant_type=web3"
    bare = body | {"signature": body["signature"][2:]}
    for wrong in (bare, body | {"signature": "0x" + "g" * 130}):
        assert (await wallets.post(path, wrong)).json() == {
            "error": "invalid_grant",
            "error_description": "Signature does not match address in message",
        }
    assert problem(await wallets.post(path, body | {"signature": "0x00"})) == (
        400, "validation_failed",
        "signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string",
    )  # fmt: skip


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
