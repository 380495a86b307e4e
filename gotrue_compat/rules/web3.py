"""Signed sign-in messages of wallets: EIP-4361 and its Solana form (auth reference 9.6)."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import base58
import coincurve
from Crypto.Hash import keccak
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_HEADER = re.compile(r"(?P<domain>\S+) wants you to sign in with your (?P<chain>\w+) account:")
_FIELD = re.compile(r"(?P<name>[A-Z][A-Za-z ]*): ?(?P<value>.*)")
_ETHEREUM_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_KEY_LENGTH, _SOLANA_SIGNATURE, _ETHEREUM_SIGNATURE = 32, 64, 65
_FUTURE = timedelta(minutes=1)


class MessageError(ValueError):
    """The message is not of the standard's form; the text says why."""


@dataclass(frozen=True, slots=True)
class Message:
    """A sign-in message; times None where it tells none."""

    domain: str
    address: str
    uri: str
    version: str
    chain_id: str
    nonce: str
    issued_at: datetime
    expires_at: datetime | None
    not_before: datetime | None
    statement: str


def parse(text: str, chain: str) -> Message:
    """Read a message for a chain; MessageError for any other text."""
    lines = text.split("\n")
    header = _HEADER.fullmatch(lines[0])
    if header is None or header["chain"].lower() != chain or len(lines) < 2:  # noqa: PLR2004
        raise MessageError(f"message first line does not match the {chain.title()} sign-in form")
    address = lines[1].strip()
    if not _is_address(address, chain):
        raise MessageError("wallet address is not in a valid form")
    fields, statement = _fields(lines[2:])
    if fields.get("Version") != "1":
        raise MessageError(
            f"Version value is not supported, expected 1 got {fields.get('Version')}"
        )
    issued = _moment(fields, "Issued At")
    if not fields.get("URI") or issued is None:
        raise MessageError("Issued At and URI are required")
    return Message(
        domain=header["domain"],
        address=address,
        uri=fields["URI"],
        version=fields["Version"],
        chain_id=fields.get("Chain ID", ""),
        nonce=fields.get("Nonce", ""),
        issued_at=issued,
        expires_at=_moment(fields, "Expiration Time"),
        not_before=_moment(fields, "Not Before"),
        statement=statement,
    )


def time_problem(message: Message, chain: str, now: datetime, life: float) -> str:
    """What is wrong with a message's times, "" for nothing."""
    signed = f"Signed {chain.title()} message"
    if message.not_before is not None and now < message.not_before:
        return f"{signed} becomes valid in the future"
    if message.expires_at is not None and now > message.expires_at:
        return f"{signed} is expired"
    if now > message.issued_at + timedelta(seconds=life):
        return f"{chain.title()} message was issued too long ago"
    if message.issued_at > now + _FUTURE:
        return f"{chain.title()} message was issued too far in the future"
    return ""


def place_problem(message: Message, chain: str, *, is_allowed: bool) -> str:
    """What is wrong with whom a message was signed for, "" for nothing."""
    signed = f"Signed {chain.title()} message is using"
    parts = urlsplit(message.uri)
    is_local = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local):
        return f"{signed} URI which does not use HTTPS"
    if not is_allowed:
        return (
            f"{signed} URI which is not allowed on this server, message was signed for another app"
        )
    if message.domain not in {parts.netloc, parts.hostname}:
        return (
            f"{signed} a Domain that does not match the one in URI which is not allowed on this "
            "server"
        )
    return ""


def is_signed(text: str, signature: bytes, message: Message, chain: str) -> bool:
    """Whether the wallet of the message's address signed its text."""
    if chain == "solana":
        try:
            key = Ed25519PublicKey.from_public_bytes(base58.b58decode(message.address))
            key.verify(signature, text.encode())
        except (InvalidSignature, ValueError):
            return False
        return True
    return _ethereum_signer(text, signature) == message.address.lower()


def solana_signature(text: str) -> bytes:
    """A signature sent as base64, with or without padding, in either alphabet; b"" for others."""
    try:
        plain = text.replace("-", "+").replace("_", "/").rstrip("=")
        data = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
    return data if len(data) == _SOLANA_SIGNATURE else b""


def ethereum_signature(text: str) -> bytes:
    """A signature sent as hexadecimal; b"" for others."""
    try:
        data = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        return b""
    return data if len(data) == _ETHEREUM_SIGNATURE else b""


def _ethereum_signer(text: str, signature: bytes) -> str:
    """The address that signed a personal message (EIP-191), "" where nobody did."""
    data = text.encode()
    prefixed = b"\x19Ethereum Signed Message:\n" + str(len(data)).encode() + data
    recovery = signature[64] - 27 if signature[64] >= 27 else signature[64]  # noqa: PLR2004 — EIP-155
    try:
        key = coincurve.PublicKey.from_signature_and_message(
            signature[:64] + bytes([recovery]), _keccak(prefixed), hasher=None
        )
    except Exception:  # noqa: BLE001 — the library raises the plain class for what it refuses
        return ""
    return "0x" + _keccak(key.format(compressed=False)[1:])[-20:].hex()


def _keccak(data: bytes) -> bytes:
    return keccak.new(digest_bits=256, data=data).digest()


def _is_address(text: str, chain: str) -> bool:
    if chain == "ethereum":
        return bool(_ETHEREUM_ADDRESS.fullmatch(text))
    try:
        return len(base58.b58decode(text)) == _KEY_LENGTH
    except ValueError:
        return False


def _fields(lines: list[str]) -> tuple[dict[str, str], str]:
    """The fields, and the statement that may stand before them."""
    fields: dict[str, str] = {}
    statement = ""
    for line in lines:
        match = _FIELD.fullmatch(line)
        if match is not None:
            fields.setdefault(match["name"], match["value"].strip())
        elif line and not fields and not statement:
            statement = line
    return fields, statement


def _moment(fields: dict[str, str], name: str) -> datetime | None:
    text = fields.get(name)
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise MessageError(f"{name} is not a valid ISO8601 timestamp") from error
    if moment.tzinfo is None:
        raise MessageError(f"{name} is not a valid ISO8601 timestamp")
    return moment
