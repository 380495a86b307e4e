"""What wallets sign: auth reference 9.6."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import base58
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gotrue_compat.features.web3 import signatures
from gotrue_compat.features.web3.message import CHAINS, MessageError, parse
from gotrue_compat.features.web3.signatures import is_signed

SOLANA, ETHEREUM = CHAINS["solana"], CHAINS["ethereum"]
ADDRESS = "4" * 40
WHOLE = (
    f"app.es wants you to sign in with your Solana account:\n{ADDRESS}\n\nEntra\n\n"
    "URI: https://app.es/in\nVersion: 1\nChain ID: solana:mainnet\nNonce: n\n"
    "Issued At: 2026-11-21T10:00:00Z\nExpiration Time: 2026-11-21T11:00:00.5Z\n"
    "Not Before: 2026-11-21T10:30:00Z\nResources:\n- https://app.es/a\n- /b"
)


def test_a_whole_message():
    message = parse(WHOLE, SOLANA)
    assert (message.domain, message.address, message.statement) == ("app.es", ADDRESS, "Entra")
    assert (message.uri, message.chain_id) == ("https://app.es/in", "solana:mainnet")
    assert message.expires_at is not None
    assert message.expires_at.microsecond == 500_000


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (WHOLE, "x\ny", "message needs at least 6 lines"),
        ("Solana", "Other", 'message first line does not end in " wants you to sign in with your Solana account:"'),
        ("app.es wants", "a_b wants", "domain in first line of message is not valid"),
        (ADDRESS, "4" * 31, "wallet address is not in base58 format"),
        ("\n\nEntra", "\nEntra", "third line must be empty"),
        ("URI: https://app.es/in", "URI: app", "URI is not valid"),
        ("Nonce: n", "Nonce", "encountered unparsable line at index 8"),
        ("solana:mainnet", "1", "Chain ID is not valid"),
        ("T10:00:00Z", "", "Issued At is not a valid ISO8601 timestamp"),
        ("T11:00:00.5Z", "", "Expiration Time is not a valid ISO8601 timestamp"),
        ("T10:30:00Z", "", "Not Before is not a valid ISO8601 timestamp"),
        ("Version: 1", "Version: 2", 'Version value is not supported, expected 1 got "2"'),
        ("Issued At: 2026-11-21T10:00:00Z\n", "", "Issued At is not specified"),
        ("URI: https://app.es/in\n", "", "URI is not specified"),
        ("T11:00:00.5Z", "T09:00:00Z", "Issued At is after Expiration Time"),
        ("T10:30:00Z", "T12:30:00Z", "Not Before is after Expiration Time"),
        ("- /b", "- b", "Resource at position 1 has invalid URI"),
    ],
)  # fmt: skip
def test_messages_refused(old: str, new: str, text: str):
    with pytest.raises(MessageError) as caught:
        parse(WHOLE.replace(old, new), SOLANA)
    assert str(caught.value) == f"siws: {text}"


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
def test_a_message_of_any_time_is_judged(moment: str):
    text = "\n".join(line for line in WHOLE.split("\n") if " Time:" not in line)
    message = parse(text.replace("2026-11-21T10:00:00Z", moment), SOLANA)
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    problem = signatures.time_problem(replace(message, not_before=None), SOLANA, now, 600)
    assert problem.startswith("Solana message was issued too ")


@pytest.mark.parametrize(
    ("domain", "uri", "is_right"),
    [
        ("app.es", "https://app.es/in", True),
        ("localhost:3000", "http://localhost:3000/in", True),
        ("evil.example", "http://localhost:3000/in", False),  # which its page may ask for
        ("evil.example", "https://app.es/in", False),
        ("app.es:8443", "https://app.es/in", False),
        ("app.es:443", "https://app.es/in", False),
        ("APP.es", "https://app.es/in", False),
    ],
)
def test_the_domain_that_a_wallet_shows_is_the_uris(domain: str, uri: str, is_right: bool):
    text = WHOLE.replace("app.es wants", f"{domain} wants").replace("https://app.es/in", uri)
    problem = signatures.place_problem(parse(text, SOLANA), SOLANA, lambda _: True)
    assert (problem == "") is is_right, problem


@pytest.mark.parametrize("network", ["", "0", "x", "9" * 23])
def test_ethereums_networks_are_numbers(network: str):
    text = WHOLE.replace("Solana", "Ethereum").replace(ADDRESS, "0x" + "a" * 40)
    assert parse(text.replace("solana:mainnet", "1"), ETHEREUM).chain_id == "1"
    with pytest.raises(MessageError, match="siwe: Chain ID is not valid"):
        parse(text.replace("solana:mainnet", network), ETHEREUM)


def test_a_hardware_wallet_signs_an_off_chain_message():
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    text = WHOLE.replace(ADDRESS, base58.b58encode(public).decode())
    message = parse(text, SOLANA)
    head = b"\xffsolana offchain\0" + b"app.es".ljust(32, b"\0") + b"\0\x01" + public
    signed = head + len(text.encode()).to_bytes(2, "little") + text.encode()
    assert is_signed(text, key.sign(signed), message)
    assert is_signed(text, key.sign(text.encode()), message)
    assert not is_signed(text, key.sign(b"other"), message)


@pytest.mark.parametrize(
    "address",
    [
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    ],
)
def test_an_address_with_its_checksum(address: str):
    assert signatures.checksummed(address.lower()) == signatures.checksummed(address) == address


@pytest.mark.parametrize(
    "text",
    ["2025-01-01 00:00:00Z", "20250101T000000Z", "2025-01-01T00:00:00", "2025-13-01T00:00:00Z"],
)
def test_a_moment_is_written_as_rfc_3339_says(text: str):
    message = (
        "a.example wants you to sign in with your Ethereum account:\n0x" + "a" * 40 + "\n\n\n"
        f"URI: https://a.example\nVersion: 1\nIssued At: {text}"
    )
    with pytest.raises(MessageError, match="Issued At is not a valid ISO8601 timestamp"):
        parse(message, ETHEREUM)


@pytest.mark.parametrize(
    "key",
    [
        "00" * 32, "01" + "00" * 31, "ec" + "ff" * 30 + "7f", "ee" + "ff" * 30 + "ff",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ],
)  # fmt: skip
def test_nobody_signs_for_a_key_of_small_order(key: str):
    address = base58.b58encode(bytes.fromhex(key)).decode()
    message = replace(parse(WHOLE, SOLANA), address=address)
    made = [bytes([r]) + bytes(63) for r in (0, 1)] + [bytes.fromhex(key) + bytes(32)]
    texts = [f"{WHOLE}{number}" for number in range(16)]
    assert not any(is_signed(text, proof, message) for text in texts for proof in made)
